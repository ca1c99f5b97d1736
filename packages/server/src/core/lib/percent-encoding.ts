/** The source of an expression that also matches each of its letters as `%XX`. */
export function withEncodedLetters(pattern: string): string {
  return pattern.replaceAll(/\[_-\]|\[\.\]|[a-z\d_/-]/g, (part) => {
    const characters = part.startsWith('[') ? [...part.slice(1, -1)] : [part]
    const codes = characters.flatMap((each) => [hexOf(each), hexOf(each.toUpperCase())])
    return `(?:${part}|%(?:${[...new Set(codes)].join('|')}))`
  })
}

function hexOf(character: string): string {
  return character.charCodeAt(0).toString(16)
}

const encodedLetters = /%([2-7][\da-f])/gi

/** A text with its percent-encoded ASCII characters decoded. Unlike `decodeURI` it takes any text. */
export const decodeLetters = (text: string): string =>
  text.includes('%') ? text.replace(encodedLetters, decodeLetter) : text

const decodeLetter = (_: string, code: string): string => String.fromCharCode(Number.parseInt(code, 16))
