import { type MetadataRules, refuseUnlessStorable } from '../../definitions/metadata-schemas/rules.ts'

/**
 * Checks the metadata of a product or SKU after it was written: only the upsert statement knows whether the row is new and what
 * its merged metadata is. An error rolls the write back. Merged metadata may be too large even if the sent part is not.
 */
export function checkMetadata(
  rules: MetadataRules,
  sent: Record<string, unknown> | null | undefined,
  { isNew, metadata }: { isNew: boolean; metadata: Record<string, unknown> },
): void {
  rules.check(sent ?? {}, { isNew })
  refuseUnlessStorable(metadata)
}
