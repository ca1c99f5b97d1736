import { sql } from 'kysely'
import type { Ctx } from '../context.ts'
import { inUse } from '../http/errors.ts'
import { deleteCustomEventSchema } from './store.ts'

/** Deletes a schema, unless a referral program converts by its event (spec 04, 10.1). */
export async function removeCustomEventSchema(ctx: Ctx, id: string): Promise<void> {
  const waiting = await ctx.db
    .selectFrom('campaigns')
    .where('project_id', '=', ctx.project_id)
    .where('deleted_at', 'is', null)
    .where(sql<boolean>`referral_program -> 'custom_event' ->> 'id' = ${id}`)
    .orderBy('id')
    .select('id')
    .execute()
  if (waiting.length > 0) throw inUse('custom_event_schema', id, { type: 'campaign', ids: waiting.map(({ id }) => id) })
  await deleteCustomEventSchema(ctx, id)
}
