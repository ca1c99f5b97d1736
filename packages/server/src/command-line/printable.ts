/**
 * Text for a terminal. Messages contain what files and other services say, and control characters of theirs could hide or rewrite what the
 * terminal shows. Line feeds and tabs stay.
 */
export const printable = (text: string): string => text.replaceAll(/(?![\n\t])\p{Cc}/gu, '\ufffd')
