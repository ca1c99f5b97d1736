/**
 * Control characters and separators of lines and paragraphs, with which a text could add lines to the mail that shows it, and
 * controls of the writing direction, which would reverse what stands around it.
 */
const breaks = '\\p{Cc}\\p{Zl}\\p{Zp}\\p{Bidi_Control}'

/** Texts of one line, for the `pattern` of a schema. */
export const oneLinePattern = `^[^${breaks}]*$`

const oneLine = new RegExp(oneLinePattern, 'u')
const breaksInARow = new RegExp(`[${breaks}]+`, 'gu')

export const isOneLine = (text: string): boolean => oneLine.test(text)

export const toOneLine = (text: string): string => text.replaceAll(breaksInARow, ' ')
