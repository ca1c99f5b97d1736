import { setImmediate } from 'node:timers/promises'
import type { Ctx } from '../../core/context.ts'
import type { CampaignRow } from '../../core/db/tables.ts'
import { invalidPayload } from '../../core/http/errors.ts'
import { defineCsvImport, startCsvImport } from '../../core/jobs/csv-import.ts'
import type { Id } from '../../core/lib/ids.ts'
import { loadMetadataRules, type MetadataRules } from '../../definitions/metadata-schemas/rules.ts'
import { checkedAtOnce } from '../vouchers/import.ts'
import { changeIn } from '../vouchers/import-cells.ts'
import { importCodes } from '../vouchers/import-codes.ts'
import { codesIn, defineEntryImport, refuseTaken, startEntryImport } from '../vouchers/import-entries.ts'
import type { ImportedVoucher } from '../vouchers/import-schema.ts'
import type { ImportTarget } from '../vouchers/import-store.ts'
import { refusePromotion } from './add.ts'
import { invalidCampaign } from './define.ts'
import { campaignSerialKey, remainingCapacity, vouchersMax } from './generate.ts'
import { type CampaignEntry, columns, draftFor, readCells, readEntry } from './import-entry.ts'
import { jobBegun, jobOver, jobStarted } from './status.ts'
import { findCampaign, type StoredCampaign } from './store.ts'

type StartedJob = { async_action_id: Id<'async_action'> }

/**
 * Starts an import of vouchers into a campaign (docs/reference/imports.md#import-into-a-campaign-as-json). An error found
 * before the response refuses the whole import.
 */
export async function startImport(
  ctx: Ctx,
  campaign: StoredCampaign,
  sent: readonly ImportedVoucher[],
): Promise<StartedJob> {
  const indexWithoutCard =
    campaign.voucher_type === 'LOYALTY_CARD' ? sent.findIndex(({ loyalty_card }) => loyalty_card == null) : -1
  if (indexWithoutCard >= 0)
    throw invalidPayload(`Property [${indexWithoutCard}] should have required property 'loyalty_card'`)
  refuseImport(campaign)
  const codes = codesIn(sent)
  const entries: CampaignEntry[] = []
  for (const [index, voucher] of sent.entries()) {
    if (index % checkedAtOnce === 0) await setImmediate() // yields to other requests: 100,000 entries would block them
    entries.push(readEntry(voucher, codes[index] as string, campaign))
  }
  await refuseTaken(ctx, codes)
  await jobStarted(ctx, campaign.id, 'MODIFYING')
  return startEntryImport(ctx, importCampaignVouchers, entries, { campaign_id: campaign.id })
}

/** The same for a CSV file, whose rows the job checks one by one. */
export async function startImportCsv(ctx: Ctx, campaign: StoredCampaign, file: Buffer): Promise<StartedJob> {
  refuseImport(campaign)
  await jobStarted(ctx, campaign.id, 'MODIFYING')
  return startCsvImport(ctx, importCampaignVouchersCsv, file, { campaign_id: campaign.id })
}

function refuseImport(campaign: StoredCampaign): void {
  refusePromotion(campaign)
  if (campaign.type === 'STANDALONE')
    throw invalidCampaign('You can not import vouchers into STANDALONE type campaign.')
}

interface Input {
  campaign_id: CampaignRow['id']
}

/** Makes other jobs of the campaign wait, and shows the import in the status of the campaign. */
const jobOfCampaign = {
  lane: campaignSerialKey,
  begin: (ctx: Ctx, { campaign_id }: Input) => jobBegun(ctx, campaign_id, 'MODIFYING'),
  over: (ctx: Ctx, { campaign_id }: Input, ending: { failed: boolean }) => jobOver(ctx, campaign_id, ending),
}

export const importCampaignVouchers = defineEntryImport<CampaignEntry, Input>({
  ...jobOfCampaign,
  type: 'CAMPAIGN.VOUCHERS_IMPORT',
  async entries(ctx, entries, { campaign_id }) {
    const setup = await prepare(ctx, campaign_id)
    if (setup === undefined) return undefined
    const { campaign, rules, target } = setup
    const { refused } = await importCodes(ctx, entries, {
      target,
      codeOf: ({ code }) => code,
      draft: (entry) => draftFor(ctx, campaign, entry, rules),
    })
    return refused
  },
})

export const importCampaignVouchersCsv = defineCsvImport<Setup, Input>({
  ...jobOfCampaign,
  type: 'CAMPAIGN.VOUCHERS_IMPORT_CSV',
  noun: 'voucher(s)',
  known: columns,
  required: ['Code'],
  prepare: (ctx, { campaign_id }) => prepare(ctx, campaign_id),
  failure: ({ cells }) => ({ code: cells.Code?.trim() || null }),
  async rows(ctx, rows, { campaign, rules, target }) {
    const { refused } = await importCodes(ctx, rows, {
      target,
      codeOf: ({ cells }) => cells.Code,
      change: ({ cells }) => changeIn(cells),
      draft: ({ cells }, code) => draftFor(ctx, campaign, readCells(cells, code, campaign, rules), rules),
    })
    return refused
  },
})

interface Setup {
  campaign: StoredCampaign
  rules: MetadataRules
  target: ImportTarget
}

/**
 * The current campaign, which an earlier update may have changed; undefined once it is deleted. It is locked, so that its
 * voucher limit is exact.
 */
async function prepare(ctx: Ctx, campaignId: Input['campaign_id']): Promise<Setup | undefined> {
  const campaign = await findCampaign(ctx, campaignId, { lock: 'alone' })
  if (campaign === undefined) return undefined
  return {
    campaign,
    rules: await loadMetadataRules(ctx, 'voucher'),
    target: {
      campaign_id: campaign.id,
      category_id: campaign.category_id,
      is_referral_code: campaign.campaign_type === 'REFERRAL_PROGRAM',
      terms_id: campaign.terms_id,
      capacity: await remainingCapacity(ctx, campaign),
      limitMessage: `A campaign can have at most ${vouchersMax(ctx)} vouchers`,
    },
  }
}
