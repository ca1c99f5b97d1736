import { sql } from 'kysely'
import type { Caller, Ctx } from '../../core/context.ts'
import { emitMany } from '../../core/events/emit.ts'
import type { SimpleEvent } from '../../core/events/shapes.ts'
import type { Instant } from '../../core/lib/instant.ts'
import { toFiltered } from '../customers/filtered.ts'
import type { Customer } from '../customers/schema.ts'
import { listCustomersById } from '../customers/store.ts'
import type { SegmentEntries } from '../reactions.ts'
import { definitionsOf, type SegmentDefinitions, segmentsOf } from './definitions.ts'
import { type StoredSegment, toSimpleSegment } from './store.ts'

/** A customer that changed, and the request that changed it. */
export interface Check {
  customer_id: Customer['id']
  request_id: string
  caller: Caller
}

/**
 * Looks at the memberships of customers again and tells who entered or left an active segment. The customers are locked,
 * so that whoever looks last has seen the last change.
 */
export async function checkMemberships(ctx: Ctx, checks: readonly Check[]): Promise<void> {
  const causes = new Map(checks.map((check) => [check.customer_id, check])) // the latest request speaks for all
  const definitions = await definitionsOf(ctx, { lock: true })
  const ids = [...causes.keys()].sort() as StoredMember['customer_id'][]
  const rows = await listCustomersById(ctx, ids, { lock: true })
  const [walks, known] = [await listWalks(ctx), await listMemberships(ctx, ids)]
  for (const filtered of await toFiltered(ctx, rows)) {
    const { customer } = filtered
    const now = segmentsOf(definitions, filtered, ctx)
    const before = known.get(customer.id) ?? new Set()
    const isKnown = (id: string) => !isAhead(walks.get(id), customer)
    const entered = [...now].filter((id) => !before.has(id) && isKnown(id))
    const left = [...before].filter(
      (id) => !now.has(id) && isKnown(id) && definitions.segments.some((s) => s.id === id),
    )
    if (entered.length + left.length === 0) continue
    await saveMemberships(ctx, customer.id as StoredMember['customer_id'], { entered, left })
    const { request_id, caller } = causes.get(customer.id) as Check
    await tellTransitions({ ...ctx, request_id, caller }, definitions, [{ customer, entered, left }])
  }
}

interface StoredMember {
  segment_id: StoredSegment['id']
  customer_id: `cust_${string}`
}

/** Segments that a customer came into or went out of. */
export interface Transition {
  customer: Customer
  entered: StoredSegment['id'][]
  left: StoredSegment['id'][]
}

/** Tells of customers that entered or left active segments; passive ones are nobody's business. */
export async function tellTransitions(
  ctx: Ctx,
  { segments }: Pick<SegmentDefinitions, 'segments'>,
  transitions: readonly Transition[],
): Promise<void> {
  const active = new Map(segments.filter(({ type }) => type === 'auto-update').map((segment) => [segment.id, segment]))
  const told = (type: 'customer.segment.entered' | 'customer.segment.left', customer: Customer, ids: string[]) =>
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
      ...told('customer.segment.left', customer, left),
      ...told('customer.segment.entered', customer, entered),
    ]),
  )
  const entered = entriesOf(active, transitions, events)
  if (entered.length > 0) await ctx.reactions.segmentsEntered(ctx, entered)
}

/** The customers that entered active segments, each segment with its event: of one customer, both are in the same order. */
function entriesOf(
  active: ReadonlyMap<string, Pick<StoredSegment, 'id' | 'name'>>,
  transitions: readonly Transition[],
  events: readonly SimpleEvent[],
): SegmentEntries[] {
  return transitions.flatMap(({ customer, entered }) => {
    const told = events.filter(
      ({ type, entity_id }) => type === 'customer.segment.entered' && entity_id === customer.id,
    )
    const segments = entered.flatMap((id) => active.get(id) ?? [])
    const entries = segments.flatMap((segment, n) => {
      const event = told[n]
      return event === undefined ? [] : [{ segment: toSimpleSegment(segment), event }]
    })
    return entries.length === 0 ? [] : [{ customer_id: customer.id, entries }]
  })
}

/** How far a walk has come; what lies ahead of a silent one, it will find itself. */
interface Walk {
  walk_started_at: Instant
  walk_is_silent: boolean
  walked_to: string | null
}

function isAhead(walk: Walk | undefined, { id, created_at }: Customer): boolean {
  if (walk === undefined || !walk.walk_is_silent) return false
  return created_at <= walk.walk_started_at && (walk.walked_to === null || id > walk.walked_to)
}

async function listWalks({ db, project_id }: Ctx): Promise<Map<string, Walk>> {
  const rows = await db
    .selectFrom('segments')
    .where('project_id', '=', project_id)
    .where('walk_started_at', 'is not', null)
    .select(['id', 'walk_started_at', 'walk_is_silent', 'walked_to'])
    .execute()
  return new Map(rows.map(({ id, ...walk }) => [id, walk as Walk]))
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
  const found = new Map<string, Set<StoredMember['segment_id']>>()
  for (const { segment_id, customer_id } of rows)
    found.set(customer_id, (found.get(customer_id) ?? new Set()).add(segment_id))
  return found
}

async function saveMemberships(
  { db, project_id }: Ctx,
  customerId: StoredMember['customer_id'],
  { entered, left }: Pick<Transition, 'entered' | 'left'>,
): Promise<void> {
  await sql`
    insert into segment_members (project_id, segment_id, customer_id)
    select ${project_id}, id, ${customerId} from unnest(${entered}::text[]) as id
    on conflict do nothing`.execute(db)
  await sql`
    delete from segment_members
    where project_id = ${project_id} and customer_id = ${customerId} and segment_id = any(${left}::text[])`.execute(db)
}
