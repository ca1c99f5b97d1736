/** Whether a text names a time zone: an IANA name, `GMT`, `GMT±H` or `GMT±HH:MM`. */
export function isTimezone(text: string): boolean {
  const offset = /^GMT(?:[+-](\d{1,2})(?::(\d{2}))?)?$/.exec(text)
  if (offset !== null) return Number(offset[1] ?? 0) <= 14 && Number(offset[2] ?? 0) <= 59
  if (!/^[A-Za-z]/.test(text)) return false // Intl also accepts bare offsets, the contract does not
  try {
    new Intl.DateTimeFormat('en', { timeZone: text })
    return true
  } catch {
    return false
  }
}
