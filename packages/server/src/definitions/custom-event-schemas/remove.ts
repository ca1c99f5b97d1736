import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { inUse } from '../../core/http/errors.ts'
import { earningRulesNaming } from '../../loyalty/earning-rules/naming.ts'
import { deleteCustomEventSchema } from './store.ts'

/**
 * Deletes a schema, unless an earning rule or a referral program waits for its event
 * (docs/reference/custom-events.md#event-schemas).
 */
export async function removeCustomEventSchema(ctx: Ctx, id: string): Promise<void> {
  // First, since it locks the project: no earning rule that waits for the event can be saved while we look for one.
  await deleteCustomEventSchema(ctx, id)
  const rules = await earningRulesNaming(ctx, { schema_id: id })
  if (rules !== null) throw inUse('custom_event_schema', id, rules)
  const waiting = await ctx.db
    .selectFrom('campaigns')
    .where('project_id', '=', ctx.project_id)
    .where('deleted_at', 'is', null)
    .where(sql<boolean>`referral_program -> 'custom_event' ->> 'id' = ${id}`)
    .orderBy('id')
    .select('id')
    .execute()
  if (waiting.length > 0) throw inUse('custom_event_schema', id, { type: 'campaign', ids: waiting.map(({ id }) => id) })
}
