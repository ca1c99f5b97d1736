import type { OpenapiDocument } from '../core/http/openapi-document.ts'
import type { Operation } from '../core/http/operation.ts'
import type { PublicOperation } from './public-operations.ts'

export interface Coverage {
  /** The tags of the public contract in alphabetical order, each with its operations. */
  tags: Array<{ tag: string; served: ServedOperation[]; missing: PublicOperation[] }>
  /** What we serve beyond the public contract. */
  extensions: Operation[]
  served_count: number
  public_count: number
}

export type ServedOperation = PublicOperation & { by: Operation }

/** Which operations of the public contract are served, and what is served besides. */
export function coverageOf(operations: readonly Operation[], contract: readonly PublicOperation[]): Coverage {
  const ours = new Map(operations.map((operation) => [routeOf(operation), operation]))
  const known = new Set(contract.map(routeOf))
  const tags = [...new Set(contract.map(({ tag }) => tag))].sort().map((tag) => {
    const listed = contract.filter((one) => one.tag === tag)
    return {
      tag,
      served: listed.flatMap((one) => {
        const by = ours.get(routeOf(one))
        return by === undefined ? [] : [{ ...one, by }]
      }),
      missing: listed.filter((one) => !ours.has(routeOf(one))),
    }
  })
  return {
    tags,
    extensions: operations.filter((operation) => !known.has(routeOf(operation))).sort(byRoute),
    served_count: tags.reduce((count, { served }) => count + served.length, 0),
    public_count: contract.length,
  }
}

/** How the written documentation departs from the one that the operations make; empty when it does not. */
export function documentDifferences(written: OpenapiDocument, made: OpenapiDocument): string[] {
  const found = differences('operation', documentedIn(written), documentedIn(made))
  found.push(...differences('schema', written.components.schemas, made.components.schemas))
  // The rest is small: which part of it differs is found with a glance at the file.
  if (found.length === 0 && JSON.stringify(written) !== JSON.stringify(made)) found.push('its general part differs')
  return found
}

/** Two paths that differ only in the names of their parameters are one. */
const routeOf = ({ method, path }: { method: string; path: string }): string =>
  `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`

function byRoute(a: Operation, b: Operation): number {
  const [left, right] = [`${a.path} ${a.method}`, `${b.path} ${b.method}`]
  return left < right ? -1 : left > right ? 1 : 0
}

const documentedIn = ({ paths }: OpenapiDocument): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation]),
    ),
  )

function differences(kind: string, written: Record<string, unknown>, made: Record<string, unknown>): string[] {
  return [...new Set([...Object.keys(made), ...Object.keys(written)])].flatMap((name) => {
    if (!Object.hasOwn(written, name)) return [`${kind} ${name} is missing`]
    if (!Object.hasOwn(made, name)) return [`${kind} ${name} does not exist any more`]
    return JSON.stringify(written[name]) === JSON.stringify(made[name]) ? [] : [`${kind} ${name} differs`]
  })
}
