import type { Selectable } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import type { CampaignType, CategoryRow, Terms, VoucherRow } from '../../core/db/tables.ts'
import type { SimpleVoucher } from '../../core/events/shapes.ts'
import { toCategory } from '../../rules/categories/store.ts'
import { assetsOf } from '../code-images/urls.ts'
import type { Voucher } from './schema.ts'

/** A voucher with its terms, the name of its campaign and its category. */
export interface StoredVoucher extends Selectable<VoucherRow> {
  terms: Terms
  campaign: string | null
  campaign_type: CampaignType | null
  campaign_active: boolean | null
  /** Null also once the category is deleted. */
  category: Selectable<CategoryRow> | null
  /** Points that expire next. */
  next_expiration: { next_expiration_date: string; next_expiration_points: number } | null
}

/** What the API shows of a voucher. */
export type ShownVoucher = Omit<StoredVoucher, 'project_id' | 'code_key' | 'is_automatic' | 'deleted_at'>

/** A voucher as the API returns it, without its rules (see show.ts). */
export function toVoucher({ settings }: Pick<Ctx, 'settings'>, voucher: ShownVoucher): Voucher {
  const { code, terms, category, holder_id, referrer_id } = voucher
  const path = `/v1/vouchers/${encodeURIComponent(code)}`
  return {
    id: voucher.id,
    code,
    campaign: voucher.campaign,
    campaign_id: voucher.campaign_id,
    category: category?.name ?? null,
    category_id: category?.id ?? null,
    categories: category === null ? [] : [toCategory(category)],
    type: voucher.type,
    discount: voucher.type === 'DISCOUNT_VOUCHER' ? (terms.discount ?? null) : null,
    gift: giftOf(voucher),
    loyalty_card: pointsOf(voucher),
    start_date: voucher.start_date,
    expiration_date: voucher.expiration_date,
    validity_timeframe: terms.validity_timeframe ?? null,
    validity_day_of_week: terms.validity_day_of_week ?? null,
    validity_hours: terms.validity_hours ?? null,
    active: voucher.active,
    additional_info: voucher.additional_info,
    metadata: voucherMetadataOf(voucher),
    assets: assetsOf(settings, voucher.asset_id),
    is_referral_code: voucher.is_referral_code,
    created_at: voucher.created_at,
    updated_at: voucher.updated_at,
    ...(holder_id === null ? {} : { holder_id }),
    ...(referrer_id === null ? {} : { referrer_id }),
    publish: { object: 'list', count: voucher.publish_count, url: `${path}/publications?page=1&limit=10` },
    redemption: {
      quantity: voucher.quantity,
      redeemed_quantity: voucher.redeemed_quantity,
      ...(voucher.type === 'GIFT_VOUCHER' ? { redeemed_amount: voucher.credits_redeemed ?? 0 } : {}),
      ...(voucher.type === 'LOYALTY_CARD' ? { redeemed_points: voucher.credits_redeemed ?? 0 } : {}),
      object: 'list',
      url: `${path}/redemptions?page=1&limit=10`,
    },
    object: 'voucher',
  }
}

/** Its own metadata, or those inherited from its campaign. */
export const voucherMetadataOf = ({
  metadata,
  terms,
}: Pick<StoredVoucher, 'metadata' | 'terms'>): Record<string, unknown> => metadata ?? terms.metadata ?? {}

type Credits = Pick<
  VoucherRow,
  'credits_added' | 'credits_subtracted' | 'credits_redeemed' | 'credits_expired' | 'credits_pending'
>

/** All credits ever added to a card, minus those removed other than by spending. */
export const voucherTotalOf = (card: Credits): number =>
  (card.credits_added ?? 0) - (card.credits_subtracted ?? 0) - (card.credits_expired ?? 0)

export const voucherBalanceOf = (card: Credits): number => voucherTotalOf(card) - (card.credits_redeemed ?? 0)

function giftOf(voucher: ShownVoucher): Voucher['gift'] {
  if (voucher.type !== 'GIFT_VOUCHER') return null
  const { effect } = voucher.terms
  return {
    amount: voucher.credits_added ?? 0,
    subtracted_amount: voucher.credits_subtracted ?? 0,
    balance: voucherBalanceOf(voucher),
    ...(effect === undefined ? {} : { effect }),
  }
}

function pointsOf(voucher: ShownVoucher): Voucher['loyalty_card'] {
  if (voucher.type !== 'LOYALTY_CARD') return null
  const { credits_pending, credits_expired, credits_subtracted } = voucher
  return {
    points: voucher.credits_added ?? 0,
    balance: voucherBalanceOf(voucher),
    ...(credits_pending ? { pending_points: credits_pending } : {}),
    ...(credits_expired ? { expired_points: credits_expired } : {}),
    ...(credits_subtracted ? { subtracted_points: credits_subtracted } : {}),
    ...voucher.next_expiration,
  }
}

/** [SV], the short form in events. */
export function toSimpleVoucher(voucher: StoredVoucher): SimpleVoucher {
  const { category, holder_id, referrer_id, updated_at } = voucher
  const common = {
    id: voucher.id,
    code: voucher.code,
    campaign: voucher.campaign,
    campaign_id: voucher.campaign_id,
    is_referral_code: voucher.is_referral_code,
    ...(holder_id === null ? {} : { holder_id }),
    ...(referrer_id === null ? {} : { referrer_id }),
    category_id: category?.id ?? null,
    categories: category === null ? [] : [toCategory(category)],
    active: voucher.active,
    created_at: voucher.created_at,
    ...(updated_at === null ? {} : { updated_at }),
    redemption: {
      quantity: voucher.quantity,
      redeemed_quantity: voucher.redeemed_quantity,
      ...(voucher.type === 'LOYALTY_CARD' ? { redeemed_points: voucher.credits_redeemed ?? 0 } : {}),
    },
    start_date: voucher.start_date,
    expiration_date: voucher.expiration_date,
    metadata: voucherMetadataOf(voucher),
    object: 'voucher',
  } as const
  const [gift, loyaltyCard] = [giftOf(voucher), pointsOf(voucher)]
  if (gift !== null) {
    const { amount, balance, effect } = gift
    return { ...common, type: 'GIFT_VOUCHER', gift: { amount, balance, ...(effect === undefined ? {} : { effect }) } }
  }
  if (loyaltyCard !== null) return { ...common, type: 'LOYALTY_CARD', loyalty_card: loyaltyCard }
  return { ...common, type: 'DISCOUNT_VOUCHER', discount: voucher.terms.discount ?? {} }
}
