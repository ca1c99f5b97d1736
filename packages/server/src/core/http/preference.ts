/** The value of a preference in the header `Prefer` (RFC 7240), in lower case; null if it is absent. Of repeated ones the first counts. */
function preferenceOf(header: string | string[] | undefined, wanted: string): string | null {
  if (header === undefined) return null
  for (const preference of String(header).split(',')) {
    const [name = '', value = ''] = (preference.split(';')[0] as string).split('=')
    if (name.trim().toLowerCase() === wanted) return value.replaceAll('"', '').trim().toLowerCase()
  }
  return null
}

/** Whether unknown fields are to be refused. */
export const prefersStrict = (header: string | string[] | undefined): boolean =>
  preferenceOf(header, 'handling') === 'strict'

/** Whether a reply is asked for that is otherwise left out. */
export const prefersReply = (header: string | string[] | undefined): boolean =>
  preferenceOf(header, 'return') === 'representation'
