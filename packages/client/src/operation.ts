/** What the client must know of an operation: a line of the generated tree, read. */
export interface Operation {
  method: string
  /** With placeholders: `/v1/vouchers/{code}`. */
  path: string
  /** Letters of `traits`. */
  traits: string
}

/** The letters before a name in the tree; the first one is its method. */
export const methods = { G: 'GET', P: 'POST', U: 'PUT', D: 'DELETE' } as const

/** The argument after the path parameters is the query. */
export const takesQuery = 'q'
/** … is the body, as JSON or as the form that it is. */
export const takesBody = 'b'
/** … is the body, sent as a form. */
export const takesForm = 'f'
/** The service takes an Idempotency-Key: it makes the call safe to repeat. */
export const takesKey = 'k'
/** The call may be repeated without a key, though it is no GET: it changes nothing. */
export const isSafe = 's'
/** The page's tracking id belongs into it. */
export const isTracked = 't'
/** What it answers is a file rather than JSON, or may be one. */
export const isDownload = 'd'
/** A list: how the rows behind a page are asked for (docs/reference/lists.md). */
export const continuesAfterId = 'a'
export const continuesByPage = 'p'
export const continuesByCursor = 'c'

/**
 * The operations of a tree by name. A line is a segment of a path, indented by its depth, and the operations at that path:
 * ` vouchers Gqa:listVouchers Pbk:createVoucher`. A tree takes a quarter less than the paths themselves, also compressed.
 */
export function readTree(tree: string): [id: string, operation: Operation][] {
  const segments: string[] = []
  return tree.split('\n').flatMap((line) => {
    const [segment, ...entries] = line.trim().split(' ') as [string, ...string[]]
    segments.splice(line.search(/\S/), 99, segment)
    const path = `/${segments.join('/')}`
    return entries.map((entry): [string, Operation] => {
      const [traits, id] = entry.split(':') as [string, string]
      return [id, { method: methods[traits[0] as keyof typeof methods], path, traits }]
    })
  })
}
