import { isDeepStrictEqual } from 'node:util'
import type { OpenapiDocument } from '../../core/http/openapi.ts'
import type { Operation } from '../../core/http/operation.ts'
import type { Examples } from '../../platform/docs/examples.ts'
import { isBetter } from './choose.ts'
import { faultInExample } from './faults.ts'
import type { RecordedExample } from './record.ts'

/**
 * The examples of every operation in the order of the document. An example that still fits stays, so that a new run changes only what had to change;
 * the others are replaced by the best recorded ones. A call of the story replaces one that differs from it.
 */
export function mergeExamples(
  operations: readonly Operation[],
  document: OpenapiDocument,
  { kept, recorded }: { kept: Examples; recorded: readonly RecordedExample[] },
): Examples {
  const best = bestOf(recorded, new Map(operations.map((operation) => [operation.id, operation])))
  return Object.fromEntries(
    operations.map((operation) => {
      const statuses = ownStatuses(document, operation)
      const entries = statuses.flatMap((status) => {
        const existing = kept[operation.id]?.[status]
        const found = best.get(`${operation.id} ${status}`)
        const isFit =
          existing !== undefined &&
          faultInExample(operation, Number(status), existing) === null &&
          (found?.is_story === undefined || isDeepStrictEqual(existing.request, found.example.request))
        const example = isFit ? existing : found?.example
        return example === undefined ? [] : [[status, example] as const]
      })
      return [operation.id, Object.fromEntries(entries)]
    }),
  )
}

/** The statuses that the operation declares itself; the wording of shared refusals is the same everywhere. */
function ownStatuses({ paths }: OpenapiDocument, { path, method }: Operation): string[] {
  const { responses = {} } = paths[path]?.[method.toLowerCase()] ?? {}
  return Object.keys(responses).filter((status) => 'description' in (responses[status] ?? {}))
}

function bestOf(recorded: readonly RecordedExample[], operations: ReadonlyMap<string, Operation>) {
  const best = new Map<string, RecordedExample>()
  for (const candidate of recorded) {
    const { operation_id, status, example } = candidate
    const operation = operations.get(operation_id)
    const key = `${operation_id} ${status}`
    if (operation === undefined || faultInExample(operation, status, example) !== null) continue
    if (precedes(candidate, best.get(key))) best.set(key, candidate)
  }
  return best
}

/** A call of the story precedes all others; of two that are none, the better one comes first. */
function precedes(candidate: RecordedExample, other: RecordedExample | undefined): boolean {
  if (candidate.is_story !== other?.is_story) return candidate.is_story === true
  return isBetter(candidate.example, other?.example)
}
