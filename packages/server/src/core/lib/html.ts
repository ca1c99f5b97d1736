/** Markup that is safe to send: everything put into it was escaped, or is such markup itself. */
export interface Html {
  readonly markup: string
}

type Piece = Html | string | number | null | undefined | false | readonly Piece[]

/** html`<b>${name}</b>`: what is put in is escaped, lists are joined, nothing (null, undefined, false) is left out. */
export function html(texts: TemplateStringsArray, ...pieces: Piece[]): Html {
  return { markup: texts.reduce((markup, text, index) => markup + markupOf(pieces[index - 1]) + text) }
}

function markupOf(piece: Piece): string {
  if (piece === null || piece === undefined || piece === false) return ''
  if (typeof piece === 'string' || typeof piece === 'number') return escaped(String(piece))
  return 'markup' in piece ? piece.markup : piece.map(markupOf).join('')
}

const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (character) => entities[character] as string)

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
