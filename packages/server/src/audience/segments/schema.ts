import { Filter, Instant, InstantInput, Name, Nullable, OneOf } from '@guerdon/engine/schema'
import { type Static, Type } from 'typebox'
import { ActivityQuery } from '../../core/events/activities.ts'
import { limits } from '../../core/lib/limits.ts'
import { DateQuery, FilterQuery, IdsQuery, listOf, PageQuery } from '../../core/query/list.ts'

const SegmentType = OneOf(['auto-update', 'passive', 'static'])

export const Segment = Type.Object({
  id: Type.String({ description: 'Time-ordered id, `seg_` and 24 letters and digits.' }),
  name: Type.String(),
  type: SegmentType,
  filter: Nullable(Filter),
  initial_sync_status: Type.Unsafe<'IN_PROGRESS' | 'DONE'>({
    ...OneOf(['IN_PROGRESS', 'DONE']),
    description: '`IN_PROGRESS` while the first members, of the segment or of a new filter, are being found.',
  }),
  created_at: Instant,
  updated_at: Nullable(Instant),
  object: Type.Literal('segment'),
})
export type Segment = Static<typeof Segment>

export const SegmentReference = Type.Object({ id: Type.String(), name: Type.String(), object: Type.Literal('segment') })

export const CreateSegment = Type.Object(
  {
    name: Name,
    type: Type.Optional(SegmentType),
    filter: Type.Optional(Nullable(Filter)),
    customers: Type.Optional(Type.Array(Type.String(), { maxItems: limits.static_segment_customers_max })),
  },
  {
    examples: [
      {
        name: 'Regular customers',
        type: 'passive',
        filter: { junction: 'and', 'summary.orders.total_count': { conditions: { $more_than: [3] } } },
      },
    ],
  },
)
export type CreateSegment = Static<typeof CreateSegment>

export const UpdateSegment = Type.Object({ name: Type.Optional(Name), filter: Type.Optional(Nullable(Filter)) })
export type UpdateSegment = Static<typeof UpdateSegment>

export const SegmentQuery = Type.Object({
  ...PageQuery({ order: ['-created_at', 'created_at'] }),
  ...DateQuery,
  ...FilterQuery,
  ...IdsQuery,
  starting_after: Type.Optional(InstantInput),
})
export type SegmentQuery = Static<typeof SegmentQuery>

export const SegmentList = listOf('data', Segment, { total: true })
export const CustomerSegmentList = listOf('data', SegmentReference, { total: true })

export const SegmentActivityQuery = Type.Object(ActivityQuery('segment'))
