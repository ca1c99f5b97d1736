/**
 * Joins JSON texts into one parameter that `string_to_array(…, chr(30))` splits again. Unlike an array parameter it needs no
 * escaping: JSON text never contains this control character.
 */
export const joinJsonTexts = (texts: readonly string[]): string => texts.join('\u001e')
