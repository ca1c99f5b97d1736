import type { MetadataType } from '@guerdon/engine/schema'
import type { Ctx } from '../../core/context.ts'
import { ApiError, invalidPayload } from '../../core/http/errors.ts'
import { active, compileCheck, type MetadataRequirements, whyNotMetadata } from './check.ts'
import type { DescribedObject } from './definition.ts'
import { valueFromText } from './from-text.ts'
import { listDefinitions, listDemandsFor } from './store.ts'

export type { DescribedObject } from './definition.ts'

/** What a project demands of the metadata of one kind of object. */
export interface MetadataRules {
  /**
   * Throws `metadata_validation_failed` unless what is sent may be written (docs/reference/metadata-schemas.md#checking-values),
   * and `invalid_payload` for metadata that no schema could allow (docs/reference/limits.md#sizes-and-counts). Required keys must
   * be there when the object is new. `property` is where the metadata stood.
   */
  check(sent: Record<string, unknown>, options: { isNew: boolean; property?: string }): void
  /**
   * The metadata of an object after an update, key by key (docs/reference/metadata-schemas.md#writing-metadata); checked, and no
   * larger than it may be.
   */
  merged(stored: Record<string, unknown>, sent: Record<string, unknown>): Record<string, unknown>
  /**
   * A cell of a CSV file as the value that its key's type wants (docs/reference/customers.md#bulk-updates); what cannot be
   * converted stays text.
   */
  fromText(key: string, text: string): unknown
}

/** The metadata rules of the project for one kind of object; loaded once for a request or a step of an import. */
export async function loadMetadataRules(ctx: Ctx, object: DescribedObject): Promise<MetadataRules> {
  return metadataRules(await listDemandsFor(ctx, object), object)
}

/** The rules for one kind of object that some schemas make, of which those it does not name do no harm. */
export function metadataRules(
  schemas: ReadonlyMap<string, MetadataRequirements>,
  object: DescribedObject,
): MetadataRules {
  const demands = schemas.get(object) ?? { definitions: [], allow_defined_only: null }
  const faultsOf = compileCheck(demands, schemas)
  const byKey = new Map(active(demands.definitions).map((definition) => [definition.name, definition]))
  const check: MetadataRules['check'] = (sent, { isNew, property }) => {
    refuseUnlessStorable(sent, property)
    refuseFaults(faultsOf(sent, { isNew }))
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

/** The types that the project's schema gives to the metadata keys of an object; of a list, that of its elements. */
export async function metadataTypes(ctx: Ctx, object: DescribedObject): Promise<Record<string, MetadataType>> {
  return Object.fromEntries(active(await listDefinitions(ctx, object)).map(({ name, type }) => [name, type]))
}

/** The metadata keys that the project's schema knows, in its order: the first columns of an export. */
export async function metadataKeys(ctx: Ctx, object: DescribedObject): Promise<string[]> {
  return active(await listDefinitions(ctx, object)).map(({ name }) => name)
}

export function refuseUnlessStorable(metadata: Record<string, unknown>, property?: string): void {
  const reason = whyNotMetadata(metadata, property)
  if (reason !== null) throw invalidPayload(reason)
}

/** A definition can be long, and a hundred of them can fail: nobody reads more than this. */
const detailsLengthMax = 10_000

export function refuseFaults(faults: readonly string[]): void {
  if (faults.length === 0) return
  const details = faults.join('; ')
  throw new ApiError('metadata_validation_failed', {
    details: details.length > detailsLengthMax ? `${details.slice(0, detailsLengthMax)}…` : details,
  })
}
