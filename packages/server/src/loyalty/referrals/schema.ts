import { FreeText, Instant, Int, Maybe, Metadata, Name, Nullable, OneOf, variants } from '@guerdon/engine/schema'
import { type Static, Type } from 'typebox'
import { CustomerBody } from '../../audience/customers/schema.ts'
import { SimpleHolder } from '../../core/events/shapes.ts'
import { NumericText } from '../../core/http/numeric-text.ts'
import { limits } from '../../core/lib/limits.ts'
import { CursorQuery, FilterQuery, listOf, PageQuery } from '../../core/query/list.ts'

const { publication_id: _, object, ...holder } = SimpleHolder.properties

/** A holder of a referral code: its referrer or a referee (docs/reference/holders.md#holder-object). */
export const RedeemableHolder = Type.Object({ ...holder, metadata: Type.Optional(Metadata), object })
export type RedeemableHolder = Static<typeof RedeemableHolder>

export const RedeemableHolderQuery = Type.Object({ ...CursorQuery({ order: ['-id', 'id'] }), ...FilterQuery })
export type RedeemableHolderQuery = Static<typeof RedeemableHolderQuery>

export const RedeemableHolderList = listOf('data', RedeemableHolder, { total: true, cursor: true })

export const ReferralHoldersBody = Type.Object(
  {
    holders: Type.Array(CustomerBody, { minItems: 1, maxItems: limits.referral_holders_sent_max }),
    metadata: Maybe(Metadata),
  },
  { examples: [{ holders: [{ source_id: 'customer-2', name: 'Ben Example' }], metadata: { shared_by: 'link' } }] },
)
export type ReferralHoldersBody = Static<typeof ReferralHoldersBody>

export const ReferralHolders = Type.Object({ holders: Type.Array(RedeemableHolder) })
export type ReferralHolders = Static<typeof ReferralHolders>

/** When a referrer is rewarded (docs/reference/referrals.md#referral-tiers). */
const segment = Maybe(Type.Object({ id: Name }, { description: 'The referrer has to be in it.' }))
export const ReferralTierParameters = variants('criteria', [
  Type.Object({ criteria: Type.Literal('EACH_REFEREE'), segment }),
  Type.Object({ criteria: Type.Literal('MIN_REFEREES'), min_referees: Int({ minimum: 1 }), segment }),
])
export type ReferralTierParameters = Static<typeof ReferralTierParameters>

/** A reward for referrers. */
export const ReferralTier = Type.Object({
  id: Type.String(),
  campaign_id: Type.String(),
  banner: Nullable(Type.String()),
  parameters: Type.Object({
    criteria: OneOf(['EACH_REFEREE', 'MIN_REFEREES']),
    min_referees: Type.Optional(Int({ minimum: 1 })),
    segment: Type.Optional(Type.Object({ id: Type.String() })),
  }),
  reward: Type.Object({ id: Type.String(), assignment_id: Type.String() }),
  created_at: Instant,
  updated_at: Nullable(Instant),
  object: Type.Literal('referral_tier'),
})
export type ReferralTier = Static<typeof ReferralTier>

const RewardChoice = Type.Object({ id: Name }, { description: 'A CAMPAIGN or MATERIAL reward.' })
const firstExample = {
  banner: 'A mug for every friend',
  parameters: { criteria: 'EACH_REFEREE' },
  reward: { id: 'rew_mug' },
}

/** A tier after numeric strings are converted. */
export const NewReferralTier = Type.Object(
  { banner: Maybe(FreeText), parameters: ReferralTierParameters, reward: RewardChoice },
  { examples: [firstExample] },
)
export type NewReferralTier = Static<typeof NewReferralTier>

export const CreateReferralTier = NumericText(NewReferralTier)

/** Members that are not sent stay unchanged; `null` clears the banner. */
export const ReferralTierChanges = Type.Object({
  banner: Maybe(FreeText),
  parameters: Type.Optional(ReferralTierParameters),
  reward: Type.Optional(RewardChoice),
})
export type ReferralTierChanges = Static<typeof ReferralTierChanges>

export const UpdateReferralTier = NumericText(ReferralTierChanges)

export const ReferralTierQuery = Type.Object(PageQuery({ order: ['-created_at', 'created_at'] }))
export type ReferralTierQuery = Static<typeof ReferralTierQuery>

export const ReferralTierList = listOf('data', ReferralTier, { total: true })
