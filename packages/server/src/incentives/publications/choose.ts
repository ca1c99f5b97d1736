import type { Ctx } from '../../core/context.ts'
import { ApiError, notFound } from '../../core/http/errors.ts'
import { holdCampaign, type StoredCampaign } from '../campaigns/store.ts'
import { makeCampaignVouchers } from '../vouchers/make-for-campaign.ts'
import { getVoucher } from '../vouchers/store.ts'
import type { StoredVoucher } from '../vouchers/voucher.ts'
import { rollbackUnlessResult } from './rollback-unless-result.ts'
import { takeFreeVouchers } from './store.ts'
import type { Target } from './target.ts'

export interface Chosen {
  vouchers: StoredVoucher[]
  /** Those of them that did not exist before. */
  made: StoredVoucher[]
}

/**
 * Takes the codes that are to be given away, or says why there are none (docs/reference/publications.md#create-a-publication step
 * 7); then nothing is taken. The campaign is held before its codes, as everywhere.
 */
export async function chooseVouchers(ctx: Ctx, { voucher, campaign, count }: Target): Promise<Chosen | ApiError> {
  if (campaign !== null && !(await holdCampaign(ctx, campaign.id)))
    throw voucher === null ? notFound('campaign', campaign.id) : notFound('voucher', voucher.code)
  return voucher === null ? chooseFree(ctx, campaign, count) : chooseNamed(ctx, voucher)
}

async function chooseNamed(ctx: Ctx, { id }: StoredVoucher): Promise<Chosen | ApiError> {
  const voucher = await getVoucher(ctx, id, { lock: 'alone' })
  const { active, expiration_date, publish_count } = voucher
  if (publish_count > 0)
    return new ApiError('voucher_already_published', { details: `Voucher '${id}' has already been published` })
  const isOver = expiration_date !== null && expiration_date < ctx.now
  if (isOver || !active) return unsuitable(`Voucher '${id}' is ${active ? 'expired' : 'disabled'}`)
  return { vouchers: [voucher], made: [] }
}

async function chooseFree(ctx: Ctx, campaign: StoredCampaign, count: number): Promise<Chosen | ApiError> {
  const take = () => takeOrMake(ctx, campaign, count)
  const chosen = count === 1 ? await take() : await rollbackUnlessResult(ctx, take)
  if (chosen !== undefined) return chosen
  // Others have taken what is left and may yet give it back. Nothing is held while waiting for them, nor do those who wait
  // overtake each other: they would otherwise wait in a circle.
  const left = await rollbackUnlessResult(ctx, async () => {
    const vouchers = await takeFreeVouchers(ctx, campaign.id, count, { waits: true })
    return vouchers.length === count ? vouchers : undefined
  })
  if (left !== undefined) return { vouchers: left, made: [] }
  return unsuitable(
    campaign.type === 'AUTO_UPDATE'
      ? "Couldn't create new vouchers for publication"
      : 'Campaign has not enough unpublished vouchers. An auto-update campaign creates them when they are needed',
  )
}

/** Free codes, and new ones for those that are missing where the campaign makes them; undefined when that is not enough. */
async function takeOrMake(ctx: Ctx, campaign: StoredCampaign, count: number): Promise<Chosen | undefined> {
  const free = await takeFreeVouchers(ctx, campaign.id, count, { waits: false })
  if (free.length === count) return { vouchers: free, made: [] }
  if (campaign.type !== 'AUTO_UPDATE') return undefined
  try {
    const made = await makeCampaignVouchers(ctx, campaign, count - free.length)
    return { vouchers: [...free, ...made], made }
  } catch (error) {
    if (error instanceof ApiError && error.key === 'invalid_code_config') return undefined
    throw error
  }
}

const unsuitable = (details: string) => new ApiError('no_voucher_suitable_for_publication', { details })
