/** Metadata as an object shows it: absent, not `{}`, while there is none (docs/reference/metadata-schemas.md#writing-metadata). */
export const shownMetadata = (metadata: Record<string, unknown>): { metadata?: Record<string, unknown> } =>
  Object.keys(metadata).length === 0 ? {} : { metadata }
