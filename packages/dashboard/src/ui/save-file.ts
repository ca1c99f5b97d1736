/** Hands a file to the browser, as a download would: for what had to be fetched with credentials, or was made here. */
export function saveFile(content: Blob | string, name: string): void {
  const blob = typeof content === 'string' ? new Blob([content], { type: 'text/plain;charset=utf-8' }) : content
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  document.body.append(link)
  link.click()
  link.remove()
  // The download has begun by then; until it has, the address must stay.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
