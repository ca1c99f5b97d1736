/** Whether a text is the name of a host, such as `shop.example`, `localhost` or `münchen.example`. */
export function isHostName(text: string): boolean {
  if (text.length > 253) return false
  return text.split('.').every(isLabel)
}

const isLabel = (label: string): boolean =>
  label.length <= 63 && /^[\p{L}\p{M}\p{N}-]+$/u.test(label) && !label.startsWith('-') && !label.endsWith('-')
