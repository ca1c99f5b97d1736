/** Safe markup: every inserted value is escaped or is `Html` itself. */
export interface Html {
  readonly markup: string
}

type Piece = Html | string | number | null | undefined | false | readonly Piece[]

/** html`<b>${name}</b>`: inserted values are escaped, lists are joined, and null, undefined and false are omitted. */
export function html(texts: TemplateStringsArray, ...pieces: Piece[]): Html {
  return { markup: texts.reduce((markup, text, index) => markup + markupOf(pieces[index - 1]) + text) }
}

function markupOf(piece: Piece): string {
  if (piece === null || piece === undefined || piece === false) return ''
  if (typeof piece === 'string' || typeof piece === 'number') return escapeHtml(String(piece))
  return 'markup' in piece ? piece.markup : piece.map(markupOf).join('')
}

const escapeHtml = (text: string) => text.replaceAll(/[&<>"']/g, (character) => entities[character] as string)

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
