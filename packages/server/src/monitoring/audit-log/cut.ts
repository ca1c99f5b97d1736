/** The text of the first bytes, up to a number of them and without half a character at the end. What is not UTF-8 becomes U+FFFD. */
export function textOfBytes(bytes: Buffer, bytesMax: number): string {
  return bytes.toString('utf8', 0, bytes.length <= bytesMax ? bytes.length : wholeCharacters(bytes, bytesMax))
}

/** The beginning of a text up to the same number of bytes. A cut text is a copy: a part of the original would keep all of it in memory. */
export function textUpToBytes(text: string, bytesMax: number): string {
  // A character takes up to three bytes, or four for two UTF-16 units.
  if (text.length * 3 <= bytesMax) return text
  if (text.length <= bytesMax && Buffer.byteLength(text) <= bytesMax) return text
  const bytes = Buffer.from(text.slice(0, bytesMax))
  return bytes.toString('utf8', 0, bytes.length <= bytesMax ? bytes.length : wholeCharacters(bytes, bytesMax))
}

/** The beginning of a URL or header, whose characters are single bytes; a copy, as above. */
export function copyUpTo(text: string, lengthMax: number): string {
  return text.length <= lengthMax ? text : Buffer.from(text.slice(0, lengthMax), 'latin1').toString('latin1')
}

/** Where the last character begins that does not fit. */
function wholeCharacters(bytes: Buffer, bytesMax: number): number {
  let end = bytesMax
  // At most three continuation bytes (10xxxxxx) belong to one character; a longer run is not UTF-8.
  while (end > bytesMax - 3 && ((bytes[end] as number) & 0xc0) === 0x80) end -= 1
  return end
}
