import { limits } from '../lib/limits.ts'
import type { Settings } from '../settings.ts'
import type { JsonBounds } from './json-body.ts'
import { isPublic, type Operation } from './operation.ts'

/** How large the body of an operation may be (docs/reference/limits.md#request-size). */
type BodyKind = 'client' | 'ordinary' | 'bulk' | 'form'

type SentOperation = Pick<Operation, 'method' | 'path' | 'consumes'>

/** Bodies with one element for each of many objects, and files, are bulk; what anybody may send is small. */
function bodyKindOf({ method, path, consumes }: SentOperation): BodyKind {
  if (consumes === 'form') return 'form'
  if (isPublic({ path })) return 'client'
  return isBulkPath({ method, path }) ? 'bulk' : 'ordinary'
}

/** Imports, and updates of many objects at once. */
export const isBulkPath = ({ method, path }: Pick<Operation, 'method' | 'path'>): boolean =>
  method === 'POST' && /\/(?:import|importCSV|bulk\/async|metadata\/async)$/.test(path)

/** The maximum size of the body of an operation. No kind exceeds `MAX_BODY_BYTES`. */
export function bodyBytesMax(operation: SentOperation, settings: BodySettings): number {
  const { max_body_bytes, max_ordinary_body_bytes, max_client_body_bytes } = settings
  const bytesMax = {
    client: max_client_body_bytes,
    ordinary: max_ordinary_body_bytes,
    bulk: max_body_bytes,
    form: limits.form_bytes_max,
  }
  return Math.min(bytesMax[bodyKindOf(operation)], max_body_bytes)
}

type BodySettings = Pick<Settings, 'max_body_bytes' | 'max_ordinary_body_bytes' | 'max_client_body_bytes'>

/** The bounds of a JSON body: an element of a bulk body may hold as much as an ordinary body. */
export function jsonBoundsOf(operation: Operation, { max_ordinary_body_bytes }: BodySettings): JsonBounds {
  const { type, maxItems = Number.POSITIVE_INFINITY } = operation.body as { type?: unknown; maxItems?: number }
  const isBulk = bodyKindOf(operation) === 'bulk'
  if (!isBulk || type !== 'array')
    return {
      values_max: limits.body_values_max + (isBulk ? limits.bulk_items_max : 0),
      elements_max: isBulk ? maxItems : Number.POSITIVE_INFINITY,
      element_bytes_max: null,
    }
  return { values_max: limits.body_values_max, elements_max: maxItems, element_bytes_max: max_ordinary_body_bytes }
}
