/** Begins a line of the output that names a command which failed, also inside a function. */
export const failed = '\u001ffailed: '

/** Begins a line of the output with the key of a refused call. */
export const refused = '\u001frefused: '

const marks = new RegExp(`(${failed}|${refused})(.*)\\n?`, 'g')

/** An error as the whole answer of a call that a shell printed; the reason of a refused redeemable stands inside one. */
const errorAnswer = /(?:^|\})\{"code":[45]\d\d,"key":"(\w+)"/gm

/** What was printed for a block, and what went wrong that the page does not show. */
export function readOutput(output: string, shown: string): { printed: string; faults: string[] } {
  const printed = output.replaceAll(marks, '')
  const found = [...output.matchAll(marks)].map(([, mark, text]) => ({ mark, text: text as string }))
  const keys = [
    ...found.filter(({ mark }) => mark === refused).map(({ text }) => text),
    ...[...printed.matchAll(errorAnswer)].map(([, key]) => key as string),
  ].filter((key) => !shown.includes(key))
  return {
    printed,
    faults: [
      ...found.filter(({ mark }) => mark === failed).map(({ text }) => `a command failed: ${text}`),
      ...keys.map((key) => `a call was answered with ${key}, which the page does not show`),
    ],
  }
}

/**
 * Whether a command printed what the page shows. `…` stands for anything. Ids, moments and UUIDs differ from run to run: any id of the
 * same kind will do. White space does not matter between words, and not at all in JSON, which pages show in lines.
 */
export function isShown(shown: string, printed: string, language: string): boolean {
  const comparable = (text: string) => {
    const stable = withoutChance(text)
    return language === 'json' ? stable.replaceAll(/\s+/g, '') : stable.replaceAll(/\s+/g, ' ').trim()
  }
  return matches(comparable(shown).split('…'), comparable(printed))
}

/** Whether the pieces occur one after the other, the first at the beginning and the last at the end. */
function matches(pieces: readonly string[], text: string): boolean {
  const trimmed = pieces.map((piece) => piece.trim())
  const [first = '', ...others] = trimmed
  const last = others.pop()
  if (last === undefined) return text === first
  if (!text.startsWith(first)) return false
  let at = first.length
  for (const piece of others) {
    const found = text.indexOf(piece, at)
    if (found < 0) return false
    at = found + piece.length
  }
  return text.length - last.length >= at && text.endsWith(last)
}

function withoutChance(text: string): string {
  return text
    .replaceAll(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, 'UUID')
    .replaceAll(/\bv-[0-9a-f]{18}\b/g, 'REQUEST')
    .replaceAll(/\b([a-z]{1,8})_(?=[A-Za-z0-9]*\d)[A-Za-z0-9]{10,40}\b/g, '$1_ID')
    .replaceAll(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, 'MOMENT')
}
