import { Discount, Instant, Int, Maybe, Metadata, Name, Nullable, OneOf } from '@guerdon/engine/schema'
import { type Static, Type } from 'typebox'
import { clientReply } from '../../audience/customers/client-view.ts'
import { Customer, CustomerBody } from '../../audience/customers/schema.ts'
import { CampaignType, SimpleCustomer, SimpleHolder, SimplePublication } from '../../core/events/shapes.ts'
import { limits } from '../../core/lib/limits.ts'
import { CursorQuery, FilterQuery, listOf, PageQuery } from '../../core/query/list.ts'
import { GiftCredits, LoyaltyPoints, Voucher, VoucherType } from '../vouchers/schema.ts'

/** Members of every form of a publication (docs/reference/publications.md#publication-object). */
const { customer: _, ...publication } = SimplePublication.properties

/** A publication as returned to the request that created or repeats it: with the full customer and voucher. */
export const Publication = Type.Object({ ...publication, customer: Customer, voucher: Type.Optional(Voucher) })
export type Publication = Static<typeof Publication>

const PublishedVoucher = Type.Object({
  code: Type.String(),
  object: Type.Literal('voucher'),
  campaign: Nullable(Type.String()),
  discount: Type.Optional(Discount),
  gift: Type.Optional(GiftCredits),
  loyalty_card: Type.Optional(LoyaltyPoints),
  is_referral_code: Type.Boolean(),
})
export type PublishedVoucher = Static<typeof PublishedVoucher>

/** A publication in a list. */
export const ListedPublication = Type.Object({
  ...publication,
  customer_id: Nullable(Type.String({ description: 'Null once the customer is erased.' })),
  customer: Type.Optional(SimpleCustomer),
  voucher: Type.Optional(PublishedVoucher),
})
export type ListedPublication = Static<typeof ListedPublication>

export const PublicationList = listOf('publications', ListedPublication, { total: true })

const VoucherCode = Type.String({ minLength: 1, maxLength: 1_000 })

const CampaignChoice = Type.Union([
  Name,
  Type.Object({ name: Name, count: Maybe(Int({ minimum: 1, maximum: limits.published_at_once_max })) }),
])

/**
 * The voucher and its recipient: a given voucher, or free ones of a campaign
 * (docs/reference/publications.md#create-a-publication).
 */
export const CreatePublication = Type.Object(
  {
    voucher: Maybe(VoucherCode),
    campaign: Maybe(CampaignChoice),
    customer: Type.Union([Name, CustomerBody]),
    source_id: Maybe(Name),
    metadata: Maybe(Metadata),
    channel: Maybe(Type.String({ maxLength: limits.name_length_max })),
  },
  {
    examples: [
      {
        campaign: { name: 'Spring sale', count: 1 },
        customer: { source_id: 'customer-1' },
        source_id: 'newsletter-1',
        channel: 'Email',
      },
    ],
  },
)
export type CreatePublication = Static<typeof CreatePublication>

const JoinOnce = {
  join_once: Type.Optional(
    Type.Boolean({ description: 'A customer gets one code of the campaign, and the same one every time.' }),
  ),
}

export const PublishQuery = Type.Object(JoinOnce)

export const ClientPublishQuery = Type.Object({
  ...JoinOnce,
  campaign: Type.Optional(Type.String({ description: 'Used when the body names neither voucher nor campaign.' })),
})

/** The body as a query string, in brackets: `campaign[name]=Autumn&customer[source_id]=customer-1`. */
export const CreatePublicationQuery = Type.Object({
  ...JoinOnce,
  voucher: Type.Optional(Type.String()),
  campaign: Type.Optional(
    Type.Union([
      Type.String(),
      Type.Object({ name: Type.Optional(Type.String()), count: Type.Optional(Type.String()) }),
    ]),
  ),
  customer: Type.Union([Type.String(), Type.Object({ source_id: Type.Optional(Type.String()) })], {
    description: 'An id or a source id, or the properties of a customer in brackets.',
  }),
  source_id: Type.Optional(Type.String()),
  metadata: Type.Optional(Metadata),
  channel: Type.Optional(Type.String()),
})
export type CreatePublicationQuery = Static<typeof CreatePublicationQuery>

export const PublicationQuery = Type.Object({
  ...PageQuery({
    order: [
      '-created_at',
      'created_at',
      'id',
      '-id',
      'voucher_code',
      '-voucher_code',
      'tracking_id',
      '-tracking_id',
      'customer_id',
      '-customer_id',
      'channel',
      '-channel',
    ],
  }),
  // No maximum here: pages beyond the limit have two error keys of their own (docs/reference/errors.md#keys).
  page: Type.Optional(Type.Integer({ minimum: 1, default: 1, description: `At most ${limits.page_max}.` })),
  campaign: Type.Optional(Type.String({ description: 'Name of a campaign that exists.' })),
  campaign_name: Type.Optional(Type.String({ description: 'The same.' })),
  customer: Type.Optional(Type.String({ description: 'Id or source id.' })),
  customer_id: Type.Optional(Type.String({ description: 'The same.' })),
  voucher: Type.Optional(Type.String({ description: 'Code.' })),
  voucher_code: Type.Optional(Type.String({ description: 'The same.' })),
  result: Type.Optional(publication.result),
  voucher_type: Type.Optional(OneOf(['discount', 'gift', 'loyalty'])),
  is_referral_code: Type.Optional(Type.Boolean({ description: '`false` is ignored.' })),
  source_id: Type.Optional(Type.String()),
  related_object_id: Type.Optional(Type.String({ description: 'Id of a voucher.' })),
  parent_object_id: Type.Optional(Type.String({ description: 'Id of a campaign.' })),
  ...FilterQuery,
})
export type PublicationQuery = Static<typeof PublicationQuery>

export const CustomerRedeemableQuery = Type.Object({ ...CursorQuery({ order: ['-id', 'id'] }), ...FilterQuery })
export type CustomerRedeemableQuery = Static<typeof CustomerRedeemableQuery>

/** A voucher that a customer holds. */
export const CustomerRedeemable = Type.Object({
  id: Type.String(),
  created_at: Instant,
  redeemable_id: Type.String(),
  redeemable_object: Type.Literal('voucher'),
  customer_id: Type.String(),
  holder_role: SimpleHolder.properties.holder_role,
  campaign_id: Nullable(Type.String()),
  campaign_type: Nullable(CampaignType),
  voucher_type: VoucherType,
  redeemable: Type.Object({
    type: Type.Literal('voucher'),
    voucher: Voucher,
    status: OneOf(['ACTIVE', 'USED', 'DISABLED', 'NOT_ACTIVE_YET', 'EXPIRED', 'NO_BALANCE']),
  }),
})
export type CustomerRedeemable = Static<typeof CustomerRedeemable>

export const CustomerRedeemableList = listOf('data', CustomerRedeemable, { total: true, cursor: true })

/** The same on the client side (docs/reference/client-side.md#answers). */
export const ClientPublication = clientReply(Publication)

/** Its voucher; `ClientVoucher` is the shorter form of lists. */
export const ClientPublishedVoucher = clientReply(Voucher)
