import type { OpenapiDocument } from '../core/http/openapi-document.ts'
import type { Operation } from '../core/http/operation.ts'
import type { PublicOperation } from './public-operations.ts'

export interface ContractCoverage {
  /** The tags of the public contract in alphabetical order, each with its operations. */
  tags: Array<{ tag: string; served: ServedOperation[]; missing: PublicOperation[] }>
  /** Operations that are served beyond the public contract. */
  extensions: Operation[]
  served_count: number
  public_count: number
}

export type ServedOperation = PublicOperation & { by: Operation }

/** Which operations of the public contract are served and which are missing, and what is served beyond it. */
export function contractCoverageOf(
  operations: readonly Operation[],
  contract: readonly PublicOperation[],
): ContractCoverage {
  const servedByRoute = new Map(operations.map((operation) => [routeOf(operation), operation]))
  const publicRoutes = new Set(contract.map(routeOf))
  const tags = [...new Set(contract.map(({ tag }) => tag))].sort().map((tag) => {
    const listed = contract.filter((entry) => entry.tag === tag)
    return {
      tag,
      served: listed.flatMap((entry) => {
        const by = servedByRoute.get(routeOf(entry))
        return by === undefined ? [] : [{ ...entry, by }]
      }),
      missing: listed.filter((entry) => !servedByRoute.has(routeOf(entry))),
    }
  })
  return {
    tags,
    extensions: operations.filter((operation) => !publicRoutes.has(routeOf(operation))).sort(byRoute),
    served_count: tags.reduce((count, { served }) => count + served.length, 0),
    public_count: contract.length,
  }
}

/** The differences between the committed document and the one generated from the operations. */
export function documentDifferences(committed: OpenapiDocument, generated: OpenapiDocument): string[] {
  const result = differences('operation', operationsIn(committed), operationsIn(generated))
  result.push(...differences('schema', committed.components.schemas, generated.components.schemas))
  // The remaining part is small: the message does not say where it differs.
  if (result.length === 0 && JSON.stringify(committed) !== JSON.stringify(generated))
    result.push('its general part differs')
  return result
}

/** Paths that differ only in the names of their parameters are the same route. */
const routeOf = ({ method, path }: { method: string; path: string }): string =>
  `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`

function byRoute(a: Operation, b: Operation): number {
  const [left, right] = [`${a.path} ${a.method}`, `${b.path} ${b.method}`]
  return left < right ? -1 : left > right ? 1 : 0
}

const operationsIn = ({ paths }: OpenapiDocument): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation]),
    ),
  )

function differences(kind: string, committed: Record<string, unknown>, generated: Record<string, unknown>): string[] {
  return [...new Set([...Object.keys(generated), ...Object.keys(committed)])].flatMap((name) => {
    if (!Object.hasOwn(committed, name)) return [`${kind} ${name} is missing`]
    if (!Object.hasOwn(generated, name)) return [`${kind} ${name} does not exist any more`]
    return JSON.stringify(committed[name]) === JSON.stringify(generated[name]) ? [] : [`${kind} ${name} differs`]
  })
}
