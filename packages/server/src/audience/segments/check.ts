import { sql } from 'kysely'
import type { Caller, Ctx } from '../../core/context.ts'
import { emitMany } from '../../core/events/emit.ts'
import type { SimpleEvent } from '../../core/events/shapes.ts'
import type { Instant } from '../../core/lib/instant.ts'
import { toFiltered } from '../customers/filtered.ts'
import type { Customer } from '../customers/schema.ts'
import { listCustomersById } from '../customers/store.ts'
import type { SegmentEntries } from '../reactions.ts'
import { getSegmentDefinitions, type SegmentDefinitions, segmentsOf } from './definitions.ts'
import { type StoredSegment, toSimpleSegment } from './store.ts'

/** A queued membership check: a changed customer and the request that changed it. */
export interface SegmentCheck {
  customer_id: Customer['id']
  request_id: string
  caller: Caller
}

/**
 * Recomputes the segment memberships of customers, saves the differences and emits entered and left events for active segments.
 * Locks the customers first, so that the last check of a customer sees its last change.
 */
export async function recomputeMemberships(ctx: Ctx, checks: readonly SegmentCheck[]): Promise<void> {
  const checkByCustomer = new Map(checks.map((check) => [check.customer_id, check])) // events name the latest request
  const definitions = await getSegmentDefinitions(ctx, { lock: true })
  const ids = [...checkByCustomer.keys()].sort() as StoredMember['customer_id'][]
  const rows = await listCustomersById(ctx, ids, { lock: true })
  const [recomputes, memberships] = [await listRunningRecomputes(ctx), await listMemberships(ctx, ids)]
  for (const filtered of await toFiltered(ctx, rows)) {
    const { customer } = filtered
    const current = segmentsOf(definitions, filtered, ctx)
    const before = memberships.get(customer.id) ?? new Set()
    const isDecidedHere = (id: string) => !willBeReached(recomputes.get(id), customer)
    const entered = [...current].filter((id) => !before.has(id) && isDecidedHere(id))
    const left = [...before].filter(
      (id) => !current.has(id) && isDecidedHere(id) && definitions.segments.some((s) => s.id === id),
    )
    if (entered.length + left.length === 0) continue
    await saveMemberships(ctx, customer.id as StoredMember['customer_id'], { entered, left })
    const { request_id, caller } = checkByCustomer.get(customer.id) as SegmentCheck
    await emitTransitions({ ...ctx, request_id, caller }, definitions, [{ customer, entered, left }])
  }
}

interface StoredMember {
  segment_id: StoredSegment['id']
  customer_id: `cust_${string}`
}

/** The segments that a customer has entered and left. */
export interface Transition {
  customer: Customer
  entered: StoredSegment['id'][]
  left: StoredSegment['id'][]
}

/** Emits events for customers that entered or left active segments and calls the reactions; passive segments have no events. */
export async function emitTransitions(
  ctx: Ctx,
  { segments }: Pick<SegmentDefinitions, 'segments'>,
  transitions: readonly Transition[],
): Promise<void> {
  const active = new Map(segments.filter(({ type }) => type === 'auto-update').map((segment) => [segment.id, segment]))
  const eventsOf = (type: 'customer.segment.entered' | 'customer.segment.left', customer: Customer, ids: string[]) =>
    ids.flatMap((id) => {
      const segment = active.get(id as StoredSegment['id'])
      const entityId = customer.id as StoredMember['customer_id']
      return segment === undefined
        ? []
        : [{ type, entity_id: entityId, data: { customer, segment: toSimpleSegment(segment) } }]
    })
  const events = await emitMany(
    ctx,
    transitions.flatMap(({ customer, entered, left }) => [
      ...eventsOf('customer.segment.left', customer, left),
      ...eventsOf('customer.segment.entered', customer, entered),
    ]),
  )
  const entries = entriesOf(active, transitions, events)
  if (entries.length > 0) await ctx.reactions.segmentsEntered(ctx, entries)
}

/** Pairs each entered active segment with its event: within one customer, segments and events are in the same order. */
function entriesOf(
  active: ReadonlyMap<string, Pick<StoredSegment, 'id' | 'name'>>,
  transitions: readonly Transition[],
  events: readonly SimpleEvent[],
): SegmentEntries[] {
  return transitions.flatMap(({ customer, entered }) => {
    const enteredEvents = events.filter(
      ({ type, entity_id }) => type === 'customer.segment.entered' && entity_id === customer.id,
    )
    const segments = entered.flatMap((id) => active.get(id) ?? [])
    const entries = segments.flatMap((segment, n) => {
      const event = enteredEvents[n]
      return event === undefined ? [] : [{ segment: toSimpleSegment(segment), event }]
    })
    return entries.length === 0 ? [] : [{ customer_id: customer.id, entries }]
  })
}

/** The progress of a running recompute (recompute of all memberships of a segment, audience/segments/recompute-batch.ts). */
interface RunningRecompute {
  walk_started_at: Instant
  walk_is_silent: boolean
  walked_to: string | null
}

/** Whether a silent recompute will still reach this customer: the membership is then saved there, without events. */
function willBeReached(recompute: RunningRecompute | undefined, { id, created_at }: Customer): boolean {
  if (recompute === undefined || !recompute.walk_is_silent) return false
  return created_at <= recompute.walk_started_at && (recompute.walked_to === null || id > recompute.walked_to)
}

async function listRunningRecomputes({ db, project_id }: Ctx): Promise<Map<string, RunningRecompute>> {
  const rows = await db
    .selectFrom('segments')
    .where('project_id', '=', project_id)
    .where('walk_started_at', 'is not', null)
    .select(['id', 'walk_started_at', 'walk_is_silent', 'walked_to'])
    .execute()
  return new Map(rows.map(({ id, ...recompute }) => [id, recompute as RunningRecompute]))
}

async function listMemberships(
  { db, project_id }: Ctx,
  ids: StoredMember['customer_id'][],
): Promise<Map<string, Set<StoredMember['segment_id']>>> {
  const rows = await db
    .selectFrom('segment_members')
    .where('project_id', '=', project_id)
    .where('customer_id', 'in', ids)
    .select(['segment_id', 'customer_id'])
    .execute()
  const memberships = new Map<string, Set<StoredMember['segment_id']>>()
  for (const { segment_id, customer_id } of rows)
    memberships.set(customer_id, (memberships.get(customer_id) ?? new Set()).add(segment_id))
  return memberships
}

async function saveMemberships(
  { db, project_id }: Ctx,
  customerId: StoredMember['customer_id'],
  { entered, left }: Pick<Transition, 'entered' | 'left'>,
): Promise<void> {
  await sql`
    insert into segment_members (project_id, segment_id, customer_id)
    select own.id, each.id, ${customerId} from projects own, unnest(${entered}::text[]) as each (id)
    where own.id = ${project_id}
    on conflict do nothing`.execute(db)
  await sql`
    delete from segment_members
    where project_id = ${project_id} and customer_id = ${customerId} and segment_id = any(${left}::text[])`.execute(db)
}
