import type { Ctx } from '../../core/context.ts'
import type { CodeConfig } from '../../core/db/tables.ts'
import { type ApiError, invalidPayload } from '../../core/http/errors.ts'
import { Accepted } from '../../core/http/operation.ts'
import { readCodeConfig } from '../vouchers/code-config.ts'
import { emitCreated, makeVoucherWithCode } from '../vouchers/create.ts'
import { makeAll, refuseUnlessPossible } from '../vouchers/make.ts'
import type { Voucher } from '../vouchers/schema.ts'
import { invalidCampaign } from './define.ts'
import { countMade, generateInBackground, refuseBeyondLimit } from './generate.ts'
import type { AddVouchers, AddVoucherWithCode } from './schema.ts'
import type { StoredCampaign } from './store.ts'
import { templateWith } from './voucher-template.ts'

/**
 * Adds vouchers to a campaign that the caller has locked: one immediately, several in a background job
 * (docs/reference/campaigns.md#add-vouchers-to-a-campaign).
 */
export async function addVouchers(
  ctx: Ctx,
  campaign: StoredCampaign,
  body: AddVouchers,
  count: number,
): Promise<Voucher | Accepted> {
  const { code, code_config, ...overrides } = body
  if (code != null) {
    if (count > 1) throw invalidPayload('Property .code can be given for one voucher only')
    return addVoucherWithCode(ctx, campaign, code, overrides)
  }
  refusePromotion(campaign)
  if (campaign.type === 'STANDALONE')
    throw invalidCampaign('You can not generate vouchers for STANDALONE type campaign.')
  const config =
    code_config == null ? (campaign.voucher?.code_config as CodeConfig) : readCodeConfig(code_config, ctx.project)
  const template = await templateWith(ctx, campaign, overrides)
  if (count > 1) return new Accepted(await generateInBackground(ctx, campaign, template, config, count))

  await refuseBeyondLimit(ctx, campaign, 1)
  await refuseUnlessPossible(ctx, config, 1)
  const [id] = await makeAll(ctx, template, config, 1)
  await countMade(ctx, template, 1)
  return emitCreated(ctx, id as `v_${string}`, campaign)
}

/** Adds one voucher with a code chosen by the client. */
export async function addVoucherWithCode(
  ctx: Ctx,
  campaign: StoredCampaign,
  code: string,
  overrides: AddVoucherWithCode,
): Promise<Voucher> {
  refusePromotion(campaign)
  const template = await templateWith(ctx, campaign, overrides)
  await refuseBeyondLimit(ctx, campaign, 1)
  const id = await makeVoucherWithCode(ctx, code, template)
  await countMade(ctx, template, 1)
  return emitCreated(ctx, id, campaign)
}

export function refusePromotion({ campaign_type, name }: StoredCampaign): void {
  if (campaign_type === 'PROMOTION') throw noVouchers(name)
}

const noVouchers = (name: string): ApiError => invalidCampaign(`Campaign ${name} is a promotion and has no vouchers`)
