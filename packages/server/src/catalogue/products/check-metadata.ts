import { type MetadataRules, refuseUnlessStorable } from '../../definitions/metadata-schemas/rules.ts'

/**
 * Checks the metadata of something that has just been written, whose refusal undoes the write: only the statement that
 * wrote it knows whether it is new, and what its metadata has become. Merged, it may be too much where what was sent was
 * not.
 */
export function checkMetadata(
  rules: MetadataRules,
  sent: Record<string, unknown> | null | undefined,
  { isNew, metadata }: { isNew: boolean; metadata: Record<string, unknown> },
): void {
  rules.check(sent ?? {}, { isNew })
  refuseUnlessStorable(metadata)
}
