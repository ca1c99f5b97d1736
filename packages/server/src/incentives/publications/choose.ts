import type { Ctx } from '../../core/context.ts'
import { ApiError, notFound } from '../../core/http/errors.ts'
import { lockCampaignIfExists, type StoredCampaign } from '../campaigns/store.ts'
import { makeCampaignVouchers } from '../vouchers/make-for-campaign.ts'
import { getVoucher } from '../vouchers/store.ts'
import type { StoredVoucher } from '../vouchers/voucher.ts'
import { rollbackUnlessResult } from './rollback-unless-result.ts'
import { takeFreeVouchers } from './store.ts'
import type { Target } from './target.ts'

export interface ChosenVouchers {
  vouchers: StoredVoucher[]
  /** The vouchers among them that were newly created. */
  created: StoredVoucher[]
}

/**
 * Locks the vouchers to publish, all or none of them; if none, returns the reason
 * (docs/reference/publications.md#create-a-publication step 7). As everywhere, the campaign is locked before its
 * vouchers.
 */
export async function chooseVouchers(
  ctx: Ctx,
  { voucher, campaign, count }: Target,
): Promise<ChosenVouchers | ApiError> {
  if (campaign !== null && !(await lockCampaignIfExists(ctx, campaign.id)))
    throw voucher === null ? notFound('campaign', campaign.id) : notFound('voucher', voucher.code)
  return voucher === null ? chooseFree(ctx, campaign, count) : chooseRequested(ctx, voucher)
}

async function chooseRequested(ctx: Ctx, { id }: StoredVoucher): Promise<ChosenVouchers | ApiError> {
  const voucher = await getVoucher(ctx, id, { lock: 'update' })
  const { active, expiration_date, publish_count } = voucher
  if (publish_count > 0)
    return new ApiError('voucher_already_published', { details: `Voucher '${id}' has already been published` })
  const isOver = expiration_date !== null && expiration_date < ctx.now
  if (isOver || !active) return unsuitable(`Voucher '${id}' is ${active ? 'expired' : 'disabled'}`)
  return { vouchers: [voucher], created: [] }
}

async function chooseFree(ctx: Ctx, campaign: StoredCampaign, count: number): Promise<ChosenVouchers | ApiError> {
  const take = () => takeOrCreate(ctx, campaign, count)
  const chosen = count === 1 ? await take() : await rollbackUnlessResult(ctx, take)
  if (chosen !== undefined) return chosen
  // Concurrent transactions have locked the remaining vouchers and may still roll back. This request waits for them
  // without holding any voucher, and waiting requests lock in the same order: otherwise they would deadlock.
  const available = await rollbackUnlessResult(ctx, async () => {
    const vouchers = await takeFreeVouchers(ctx, campaign.id, count, { waits: true })
    return vouchers.length === count ? vouchers : undefined
  })
  if (available !== undefined) return { vouchers: available, created: [] }
  return unsuitable(
    campaign.type === 'AUTO_UPDATE'
      ? "Couldn't create new vouchers for publication"
      : 'Campaign has not enough unpublished vouchers. An auto-update campaign creates them when they are needed',
  )
}

/** Locks free vouchers and, in an auto-update campaign, creates the missing ones; undefined if that is not enough. */
async function takeOrCreate(ctx: Ctx, campaign: StoredCampaign, count: number): Promise<ChosenVouchers | undefined> {
  const free = await takeFreeVouchers(ctx, campaign.id, count, { waits: false })
  if (free.length === count) return { vouchers: free, created: [] }
  if (campaign.type !== 'AUTO_UPDATE') return undefined
  try {
    const created = await makeCampaignVouchers(ctx, campaign, count - free.length)
    return { vouchers: [...free, ...created], created }
  } catch (error) {
    if (error instanceof ApiError && error.key === 'invalid_code_config') return undefined
    throw error
  }
}

const unsuitable = (details: string) => new ApiError('no_voucher_suitable_for_publication', { details })
