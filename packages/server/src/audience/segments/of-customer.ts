import type { Ctx } from '../../core/context.ts'
import type { SimpleSegment } from '../../core/events/shapes.ts'
import { anonymousCustomer, type StoredCustomer } from '../customers/customer.ts'
import type { FilteredCustomer } from '../customers/fields.ts'
import { toFiltered } from '../customers/filtered.ts'
import { findCustomer } from '../customers/store.ts'
import { getSegmentDefinitions, segmentsOf } from './definitions.ts'
import { toSimpleSegment } from './store.ts'

/** The segments that a customer belongs to now; an unknown key is evaluated as an anonymous customer with that source id. */
export async function listSegmentsOf(ctx: Ctx, key: string): Promise<SimpleSegment[]> {
  const row = await findCustomer(ctx, key)
  const [stored] = row === undefined ? [] : await toFiltered(ctx, [row])
  const filtered: FilteredCustomer = stored ?? {
    customer: anonymousCustomer(key, ctx.now),
    events: new Map(),
    publications: [],
  }
  const definitions = await getSegmentDefinitions(ctx)
  const ids = segmentsOf(definitions, filtered, ctx)
  const dynamicSegments = definitions.segments.filter(({ id }) => ids.has(id))
  const staticSegments = row === undefined ? [] : await listStaticSegments(ctx, row.id)
  return [...staticSegments, ...dynamicSegments].sort((a, b) => (a.id < b.id ? 1 : -1)).map(toSimpleSegment)
}

function listStaticSegments({ db, project_id }: Ctx, customerId: StoredCustomer['id']) {
  return db
    .selectFrom('segment_members as m')
    .innerJoin('segments as s', (join) =>
      join.onRef('s.project_id', '=', 'm.project_id').onRef('s.id', '=', 'm.segment_id'),
    )
    .where('m.project_id', '=', project_id)
    .where('m.customer_id', '=', customerId)
    .where('s.type', '=', 'static')
    .where('s.deleted_at', 'is', null)
    .select(['s.id', 's.name'])
    .execute()
}
