/** Text that is HTML already. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Value = string | number | Html | null | readonly Value[]

/** A template whose values are escaped, unless they are HTML themselves: html`<b>${name}</b>`. */
export const html = (parts: TemplateStringsArray, ...values: Value[]): Html =>
  new Html(String.raw({ raw: parts }, ...values.map(written)))

function written(value: Value): string {
  if (value instanceof Html) return value.text
  if (Array.isArray(value)) return value.map(written).join('')
  return value === null ? '' : String(value).replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
