import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import type { Db } from '../../core/db/database.ts'
import { inTransaction } from '../../core/db/transaction.ts'
import { deleteEvents } from '../../core/events/delete-events.ts'
import type { QueueData } from '../../core/jobs/queues.ts'
import { type Instant, toInstant } from '../../core/lib/instant.ts'
import { limits } from '../../core/lib/limits.ts'

/**
 * Has the events of an erased customer deleted once more. The event of a validation is written shortly after its answer: a validation that had
 * read the customer before it was erased, perhaps from a replica, writes it afterwards.
 */
export async function scheduleLateErasure(ctx: Ctx, customerId: string): Promise<void> {
  const { rows } = await sql<{ now: Instant }>`select greatest(now(), ${ctx.now}::timestamptz) as now`.execute(ctx.db)
  const startAfter = toInstant(Date.parse((rows[0] as { now: Instant }).now) + limits.late_events_minutes * 60_000)
  const data = { project_id: ctx.project_id, customer_id: customerId }
  await ctx.jobs.send(ctx, 'erase-late-events', data, { start_after: startAfter })
}

export async function eraseLateEvents(db: Db, job: QueueData['erase-late-events']): Promise<void> {
  await inTransaction(db, (trx) => deleteEvents(trx, job.project_id, sql`entity_id = ${job.customer_id}`))
}
