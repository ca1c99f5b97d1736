import { Instant, Int, Name, OneOf } from '@guerdon/engine/schema'
import { type Static, Type } from 'typebox'
import {
  CalendarDate,
  EventSource,
  Full,
  PendingPoints,
  PointsBucket as PointsBucketInEvents,
} from '../../core/events/shapes.ts'
import { CursorQuery, FilterQuery, listOf, PageQuery } from '../../core/query/list.ts'
import { RewardAssignment } from '../reward-assignments/schema.ts'
import { Reward } from '../rewards/schema.ts'
import { LoyaltyTier } from '../tiers/schema.ts'
import { activityTypes } from './activity-types.ts'

export const PendingPointsEntry = PendingPoints
export const PendingPointsList = listOf('data', PendingPointsEntry, { cursor: true })
export const PendingPointsQuery = Type.Object(CursorQuery({ order: ['-id', 'id'] }))
export type PendingPointsQuery = Static<typeof PendingPointsQuery>

/**
 * [LB] The points of a card that expire on one day (docs/reference/points.md#bucket-object). Events contain only buckets that
 * expire.
 */
export const PointsBucket = Type.Object({
  ...PointsBucketInEvents.properties,
  expires_at: Type.Optional(Type.Unsafe<string>({ ...CalendarDate, description: 'Absent: they never expire.' })),
})
export type PointsBucket = Static<typeof PointsBucket>

export const PointsBucketList = listOf('data', PointsBucket, { total: true })
export const PointsBucketQuery = Type.Object(PageQuery({ order: ['expires_at', '-expires_at'] }))
export type PointsBucketQuery = Static<typeof PointsBucketQuery>

/** An event in the history of a card (docs/reference/loyalty-cards.md#member-activity). */
export const MemberActivity = Type.Object({
  id: Type.String(),
  type: OneOf(activityTypes),
  data: Type.Object({ data: Full, event_source: EventSource }),
  created_at: Instant,
  group_id: Type.String({ description: 'The id of the request that caused it.' }),
})
export type MemberActivity = Static<typeof MemberActivity>

export const MemberActivityList = listOf('data', MemberActivity, { cursor: true })
export const MemberActivityItem = Type.Object({ ...MemberActivity.properties, object: Type.Literal('event') })
export const MemberActivitiesList = listOf('activities', MemberActivityItem, { total: true, cursor: true })
export const MemberActivityQuery = Type.Object(CursorQuery({ order: ['-created_at', 'created_at'] }))
export type MemberActivityQuery = Static<typeof MemberActivityQuery>

export const CardTransactionQuery = Type.Object({ ...CursorQuery({ order: ['-id', 'id'] }), ...FilterQuery })
export type CardTransactionQuery = Static<typeof CardTransactionQuery>

export const MemberReward = Type.Object({
  reward: Reward,
  assignment: RewardAssignment,
  object: Type.Literal('loyalty_reward'),
})
export type MemberReward = Static<typeof MemberReward>

export const MemberRewardList = listOf('data', MemberReward, { total: true })
export const MemberRewardQuery = Type.Object({
  affordable_only: Type.Optional(
    Type.Boolean({ default: false, description: 'Only those that the balance of the card can pay.' }),
  ),
})
export type MemberRewardQuery = Static<typeof MemberRewardQuery>

/** One tier at most, with its `expiration`. */
export const MemberTierList = listOf('data', LoyaltyTier, { total: true })

const Sum = Int({ minimum: 0 })

/** The liability of a campaign to the holders of its cards. */
export const Liability = Type.Object({
  object: Type.Literal('liability'),
  campaign: Type.Object({ id: Type.String(), name: Name, object: Type.Literal('campaign') }),
  as_of: Instant,
  asset: Type.Unsafe<'points' | 'credits'>({
    type: 'string',
    enum: ['points', 'credits'],
    description: 'Points of loyalty cards, or the credits of gift cards in minor units.',
  }),
  outstanding: Type.Unsafe<number>({ ...Sum, description: 'What `expiring` and `non_expiring` add up to.' }),
  pending: Type.Unsafe<number>({ ...Sum, description: 'Points that wait for their day: not part of `outstanding`.' }),
  expiring: Type.Array(
    Type.Object({ month: Type.String({ pattern: '^\\d{4,}-\\d{2}$' }), amount: Int({ minimum: 1 }) }),
    { description: 'What will expire, by month.' },
  ),
  non_expiring: Sum,
  cards: Type.Unsafe<number>({ ...Sum, description: 'How many cards there were, with or without something on them.' }),
})
export type Liability = Static<typeof Liability>

export const LiabilityQuery = Type.Object({
  as_of: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'A moment, or a day for the end of it in the time zone of the project. Now, unless said.',
    }),
  ),
})
export type LiabilityQuery = Static<typeof LiabilityQuery>
