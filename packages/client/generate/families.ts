import type { Operation } from './document.ts'

/** Who calls an operation: each kind of client offers one of these sets. */
const families = [
  {
    type: 'ServerOperations',
    tree: 'serverTree',
    about: 'What a server calls, with an application key or a management key.',
    has: ({ path }: Operation) => path.startsWith('/v1/') || path.startsWith('/management/'),
  },
  {
    type: 'ClientOperations',
    tree: 'clientTree',
    about: 'What a page calls, with a client-side key.',
    has: ({ path }: Operation) => path.startsWith('/client/'),
  },
  {
    type: 'SessionOperations',
    tree: 'sessionTree',
    about: 'What only a person calls, with the cookie of a session.',
    has: ({ path }: Operation) => path.startsWith('/auth/'),
  },
] as const

/** The operations of each family. An operation that belongs to none, or to several, is refused. */
export function byFamily(operations: Operation[]): { family: (typeof families)[number]; members: Operation[] }[] {
  for (const operation of operations)
    if (families.filter(({ has }) => has(operation)).length !== 1)
      throw new Error(`${operation.id} at ${operation.path} belongs to no client`)
  return families.map((family) => ({ family, members: operations.filter(family.has) }))
}
