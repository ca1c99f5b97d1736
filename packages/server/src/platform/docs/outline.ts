import type { DocumentedOperation, OpenapiDocument } from '../../core/http/openapi.ts'

/** An operation with the address that it is called at. */
export interface PlacedOperation extends DocumentedOperation {
  method: string
  path: string
}

/** The operations of one resource: one page. */
export interface Resource {
  name: string
  /** Its address below `/docs/`. */
  page: string
  operations: PlacedOperation[]
}

export function resourcesOf({ tags, paths }: OpenapiDocument): Resource[] {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  )
  const byTag = Map.groupBy(all, ({ tags: [tag] }) => tag)
  return tags.map(({ name }) => ({ name, page: pageOf(name), operations: byTag.get(name) ?? [] }))
}

/** `Client side: promotions` → `client-side-promotions`. */
const pageOf = (tag: string) => tag.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')

/** The pages of `/docs/` are beside each other, so that their links also work behind a proxy with a path prefix. */
export const schemaPage = (name: string): string => `schema-${name}`

/** Who calls: the groups of the contents, by the beginning of the name. */
const groups = [
  ['For servers', (name: string) => !/^(?:Client side|Management): |^Sign-in$/.test(name)],
  ['For pages: client side', (name: string) => name.startsWith('Client side: ')],
  ['For operators: management', (name: string) => name.startsWith('Management: ')],
  ['For people: sessions', (name: string) => name === 'Sign-in'],
] as const

export const groupsOf = (resources: readonly Resource[]): Array<{ title: string; members: Resource[] }> =>
  groups.map(([title, has]) => ({ title, members: resources.filter(({ name }) => has(name)) }))

/** The name without that of its group: `Management: API keys` → `API keys`. */
export function shortNameOf({ name }: Resource): string {
  const own = name.slice(name.indexOf(': ') + 1).trim()
  return own.charAt(0).toUpperCase() + own.slice(1)
}
