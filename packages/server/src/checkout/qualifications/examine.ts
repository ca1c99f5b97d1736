import type { Applicable } from '@guerdon/engine/schema'
import { categoryOf } from '../../core/configuration/configuration.ts'
import type { Ctx } from '../../core/context.ts'
import { newId } from '../../core/lib/ids.ts'
import { forEachInSlices } from '../../core/lib/time-slice.ts'
import { listed } from '../../core/query/list.ts'
import { toCampaign } from '../../incentives/campaigns/campaign.ts'
import { listCampaignsById } from '../../incentives/campaigns/store.ts'
import { listVouchersById } from '../../incentives/vouchers/store.ts'
import { toVoucher } from '../../incentives/vouchers/voucher.ts'
import type { Checkout } from '../decision/facts.ts'
import { readRequest } from '../decision/request.ts'
import { trackingIdOf } from '../decision/tracked.ts'
import { judgedAssignments } from './element.ts'
import type { Finding } from './evaluate-offers.ts'
import { newestPage, rankedPage } from './page.ts'
import { openSearch, pageSizeOf } from './qualify.ts'
import type {
  CampaignExamination,
  CampaignExaminationQuery,
  ExaminationBody,
  VoucherExamination,
  VoucherExaminationQuery,
} from './schema.ts'

/** The deprecated operation for vouchers: lists those that could be redeemed, with the goods they apply to. */
export async function examineVouchers(
  ctx: Ctx,
  body: ExaminationBody,
  query: VoucherExaminationQuery,
): Promise<VoucherExamination> {
  const { checkout, findings } = await findQualified(ctx, body, query, 'voucher')
  const vouchers = await listVouchersById(
    ctx,
    findings.map(({ offer }) => offer.resource_id),
  )
  const byId = new Map<string, (typeof vouchers)[number]>(vouchers.map((voucher) => [voucher.id, voucher]))
  const data = findings.flatMap(({ offer, outcomes }) => {
    const voucher = byId.get(offer.resource_id)
    if (voucher === undefined) return [] // deleted between the two statements
    const { applicable_to, inapplicable_to } = outcomes[0] as Applicable
    const validationRulesAssignments = judgedAssignments(checkout, offer, outcomes[0] as Applicable)
    return [
      {
        ...toVoucher(ctx, voucher),
        validation_rules_assignments: validationRulesAssignments,
        applicable_to,
        inapplicable_to,
      },
    ]
  })
  return { ...listed('data', data, { total: data.length }), ...commonProperties(ctx, checkout) }
}

/** The deprecated operation for campaigns: lists those whose vouchers could be redeemed. */
export async function examineCampaigns(
  ctx: Ctx,
  body: ExaminationBody,
  query: CampaignExaminationQuery,
): Promise<CampaignExamination> {
  const { checkout, findings } = await findQualified(ctx, body, query, 'campaign')
  const campaigns = await listCampaignsById(
    ctx,
    findings.map(({ offer }) => offer.resource_id),
  )
  const byId = new Map<string, (typeof campaigns)[number]>(campaigns.map((campaign) => [campaign.id, campaign]))
  const data = findings.flatMap(({ offer, outcomes }) => {
    const campaign = byId.get(offer.resource_id)
    if (campaign === undefined) return [] // deleted between the two statements
    const validationRulesAssignments = judgedAssignments(checkout, offer, outcomes[0] as Applicable)
    return [{ ...toCampaign(campaign), validation_rules_assignments: validationRulesAssignments }]
  })
  return { ...listed('data', data, { total: data.length }), ...commonProperties(ctx, checkout) }
}

const commonProperties = (ctx: Ctx, checkout: Checkout) => ({
  id: newId('validation', Date.parse(ctx.now)),
  created_at: ctx.now,
  ...trackingIdOf(ctx, checkout),
})

async function findQualified(
  ctx: Ctx,
  body: ExaminationBody,
  query: VoucherExaminationQuery | CampaignExaminationQuery,
  object: 'voucher' | 'campaign',
): Promise<{ checkout: Checkout; findings: Finding[] }> {
  const { audienceRulesOnly, order = '-created_at' } = query
  const limit = pageSizeOf(query.limit)
  const { customer, order: orderBody, tracking_id, metadata } = body
  const { checkout, candidates, evaluator } = await openSearch(
    ctx,
    readRequest(
      ctx,
      {
        customer: customer ?? null,
        order: orderBody ?? null,
        tracking_id: tracking_id ?? null,
        metadata: metadata ?? null,
      },
      [],
    ),
    audienceRulesOnly === true ? 'AUDIENCE_ONLY' : 'ALL',
    { filters: { resource_type: { conditions: { $is: [object] } } }, starting_after: null },
  )
  const { findings } =
    order === '-created_at'
      ? await newestPage(candidates, evaluator, { limit, starting_after: null })
      : await rankedPage(candidates, evaluator, { limit }, comparison(checkout, order))
  const explained: Finding[] = []
  await forEachInSlices(findings.slice(0, limit), (finding) => explained.push(evaluator.explain(finding)))
  return { checkout, findings: explained }
}

/** Offers without a value come last in both directions. */
function comparison(checkout: Checkout, order: string): (a: Finding, b: Finding) => number {
  const isDescending = order.startsWith('-')
  const key = keys[order.replace('-', '') as keyof typeof keys]
  return (a, b) => {
    const [keyA, keyB] = [key(a, checkout), key(b, checkout)]
    if (keyA === null || keyB === null) return keyA === keyB ? 0 : keyA === null ? 1 : -1
    return keyA === keyB ? 0 : keyA < keyB === isDescending ? 1 : -1
  }
}

type Key = (finding: Finding, checkout: Checkout) => string | null

const name: Key = ({ offer }) => (offer.object === 'campaign' ? (offer.campaign?.name ?? null) : offer.id)

const keys = {
  created_at: ({ offer }) => offer.created_at,
  updated_at: ({ offer }) => (offer.object === 'campaign' ? offer.campaign : offer.voucher)?.updated_at ?? null,
  type: ({ offer }) => offer.campaign?.type ?? null,
  code: name,
  campaign: name,
  category: ({ offer: { category_id } }, { rows: { configuration } }) =>
    categoryOf(configuration, { category_id, campaign_id: null })?.name ?? null,
} as const satisfies Record<string, Key>
