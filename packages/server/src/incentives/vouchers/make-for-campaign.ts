import type { Ctx } from '../../core/context.ts'
import type { CodeConfig } from '../../core/db/tables.ts'
import { tally } from '../../core/db/tallies.ts'
import { automaticTally, countMade } from '../campaigns/generate.ts'
import type { StoredCampaign } from '../campaigns/store.ts'
import { templateOf } from '../campaigns/voucher-template.ts'
import { exhausted, makeAll } from './make.ts'
import { listVouchersById } from './store.ts'
import type { StoredVoucher } from './voucher.ts'

/**
 * Creates vouchers of a campaign with its own code configuration, to be published at once
 * (docs/reference/codes.md#how-many-codes-a-campaign-may-have: they do not count towards its limit). Throws
 * `invalid_code_config` when no free codes are left.
 */
export async function makeCampaignVouchers(
  ctx: Ctx,
  campaign: StoredCampaign,
  count: number,
): Promise<StoredVoucher[]> {
  const config: CodeConfig | undefined = campaign.voucher?.code_config
  if (config === undefined) throw exhausted()
  const template = { ...templateOf(campaign), is_automatic: true }
  const ids = await makeAll(ctx, template, config, count)
  await countMade(ctx, template, count)
  await tally(ctx.db, ctx.project_id, automaticTally(campaign.id), count)
  return listVouchersById(ctx, ids)
}
