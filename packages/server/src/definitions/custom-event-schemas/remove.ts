import type { Ctx } from '../../core/context.ts'
import { type FindReferences, refuseInUse } from '../../core/in-use.ts'
import { deleteCustomEventSchema } from './store.ts'

declare module '../../core/reactions.ts' {
  interface References {
    custom_event_schema: ReadonlyArray<FindReferences<{ schema_id: string }>>
  }
}

/**
 * Deletes a schema, unless an earning rule or a referral program uses its event
 * (docs/reference/custom-events.md#event-schemas).
 */
export async function removeCustomEventSchema(ctx: Ctx, id: string): Promise<void> {
  // Delete first, since that locks the project: no earning rule that uses the event can be saved during the check.
  await deleteCustomEventSchema(ctx, id)
  await refuseInUse(ctx, 'custom_event_schema', id, ctx.references.custom_event_schema, { schema_id: id })
}
