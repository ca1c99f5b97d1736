import type { IdKind } from '../core/lib/ids.ts'

/** Kinds of ids that the reference documents but `newId` does not generate, and why. */
export const reservedIds: Partial<Record<IdKind, string>> = {
  tracking: 'made of the `source_id` that it hides',
  distribution_event: 'distributions are not served',
}
