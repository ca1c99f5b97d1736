import type { MetadataType } from '@guerdon/engine/schema'
import type { Ctx } from '../../core/context.ts'
import { ApiError, invalidPayload } from '../../core/http/errors.ts'
import { active, compileCheck, type MetadataRequirements, whyNotMetadata } from './check.ts'
import type { DescribedObject } from './definition.ts'
import { valueFromText } from './from-text.ts'
import { listDefinitions, listRequirementsFor } from './store.ts'

export type { DescribedObject } from './definition.ts'

/** The metadata rules of a project for one kind of object. */
export interface MetadataRules {
  /**
   * Throws `metadata_validation_failed` unless the sent metadata is valid (docs/reference/metadata-schemas.md#checking-values), and
   * `invalid_payload` if it cannot be stored whatever the schema (docs/reference/limits.md#sizes-and-counts). A new object must
   * have all required keys. `property` is the path of the metadata in the request.
   */
  check(sent: Record<string, unknown>, options: { isNew: boolean; property?: string }): void
  /**
   * Merges sent metadata into stored metadata by key (docs/reference/metadata-schemas.md#writing-metadata); checks the sent keys
   * and the size of the result.
   */
  merged(stored: Record<string, unknown>, sent: Record<string, unknown>): Record<string, unknown>
  /**
   * Converts a cell of a CSV file to the type of its key (docs/reference/customers.md#bulk-updates); a cell that cannot be
   * converted stays a string.
   */
  fromText(key: string, text: string): unknown
}

/** Loads the metadata rules for one kind of object; call once per request or import step. */
export async function loadMetadataRules(ctx: Ctx, object: DescribedObject): Promise<MetadataRules> {
  return metadataRules(await listRequirementsFor(ctx, object), object)
}

/** Compiles the rules for one kind of object from schemas by name; schemas that the object does not refer to are ignored. */
export function metadataRules(
  schemas: ReadonlyMap<string, MetadataRequirements>,
  object: DescribedObject,
): MetadataRules {
  const requirements = schemas.get(object) ?? { definitions: [], allow_defined_only: null }
  const faultsOf = compileCheck(requirements, schemas)
  const byKey = new Map(active(requirements.definitions).map((definition) => [definition.name, definition]))
  const check: MetadataRules['check'] = (sent, { isNew, property }) => {
    refuseUnlessStorable(sent, property)
    throwIfFaults(faultsOf(sent, { isNew }))
  }
  return {
    check,
    merged(stored, sent) {
      check(sent, { isNew: false })
      const merged = { ...stored, ...sent }
      refuseUnlessStorable(merged)
      return merged
    },
    fromText(key, text) {
      const definition = byKey.get(key)
      return definition === undefined ? text : valueFromText(definition, text)
    },
  }
}

/** The types of the metadata keys in the project's schema of an object; for an array, the type of its elements. */
export async function metadataTypes(ctx: Ctx, object: DescribedObject): Promise<Record<string, MetadataType>> {
  return Object.fromEntries(active(await listDefinitions(ctx, object)).map(({ name, type }) => [name, type]))
}

/** The metadata keys in the project's schema of an object, in schema order: the first columns of an export. */
export async function metadataKeys(ctx: Ctx, object: DescribedObject): Promise<string[]> {
  return active(await listDefinitions(ctx, object)).map(({ name }) => name)
}

export function refuseUnlessStorable(metadata: Record<string, unknown>, property?: string): void {
  const reason = whyNotMetadata(metadata, property)
  if (reason !== null) throw invalidPayload(reason)
}

/** Limits the size of the error: a definition can be long, and 100 of them can fail. */
const detailsLengthMax = 10_000

export function throwIfFaults(faults: readonly string[]): void {
  if (faults.length === 0) return
  const details = faults.join('; ')
  throw new ApiError('metadata_validation_failed', {
    details: details.length > detailsLengthMax ? `${details.slice(0, detailsLengthMax)}…` : details,
  })
}
