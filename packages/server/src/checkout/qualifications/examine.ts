import type { Applicable } from '@guerdon/engine/schema'
import { categoryOf } from '../../core/configuration/configuration.ts'
import type { Ctx } from '../../core/context.ts'
import { newId } from '../../core/lib/ids.ts'
import { listed } from '../../core/query/list.ts'
import { toCampaign } from '../../incentives/campaigns/campaign.ts'
import { listCampaignsById } from '../../incentives/campaigns/store.ts'
import { listVouchersById } from '../../incentives/vouchers/store.ts'
import { toVoucher } from '../../incentives/vouchers/voucher.ts'
import type { Checkout } from '../decision/facts.ts'
import { readRequest } from '../decision/request.ts'
import { trackingIdOf } from '../decision/tracked.ts'
import { judgedAssignments } from './element.ts'
import type { Finding } from './judge.ts'
import { newestPage, rankedPage } from './page.ts'
import { openSearch, shownByDefault } from './qualify.ts'
import type {
  CampaignExamination,
  CampaignExaminationQuery,
  ExaminationBody,
  VoucherExamination,
  VoucherExaminationQuery,
} from './schema.ts'

/** The older call for codes: those that could be redeemed, as they are shown elsewhere, with the goods they are for. */
export async function examineVouchers(
  ctx: Ctx,
  body: ExaminationBody,
  query: VoucherExaminationQuery,
): Promise<VoucherExamination> {
  const { it, findings } = await examined(ctx, body, query, 'voucher')
  const vouchers = await listVouchersById(
    ctx,
    findings.map(({ offer }) => offer.resource_id),
  )
  const byId = new Map<string, (typeof vouchers)[number]>(vouchers.map((voucher) => [voucher.id, voucher]))
  const data = findings.flatMap(({ offer, outcomes }) => {
    const voucher = byId.get(offer.resource_id)
    if (voucher === undefined) return [] // deleted between the two statements
    const { applicable_to, inapplicable_to } = outcomes[0] as Applicable
    const validationRulesAssignments = judgedAssignments(it, offer, outcomes[0] as Applicable)
    return [
      {
        ...toVoucher(ctx, voucher),
        validation_rules_assignments: validationRulesAssignments,
        applicable_to,
        inapplicable_to,
      },
    ]
  })
  return { ...listed('data', data, { total: data.length }), ...stamps(ctx, it) }
}

/** The older call for campaigns: those whose codes could be redeemed. */
export async function examineCampaigns(
  ctx: Ctx,
  body: ExaminationBody,
  query: CampaignExaminationQuery,
): Promise<CampaignExamination> {
  const { it, findings } = await examined(ctx, body, query, 'campaign')
  const campaigns = await listCampaignsById(
    ctx,
    findings.map(({ offer }) => offer.resource_id),
  )
  const byId = new Map<string, (typeof campaigns)[number]>(campaigns.map((campaign) => [campaign.id, campaign]))
  const data = findings.flatMap(({ offer, outcomes }) => {
    const campaign = byId.get(offer.resource_id)
    if (campaign === undefined) return [] // deleted between the two statements
    const validationRulesAssignments = judgedAssignments(it, offer, outcomes[0] as Applicable)
    return [{ ...toCampaign(campaign), validation_rules_assignments: validationRulesAssignments }]
  })
  return { ...listed('data', data, { total: data.length }), ...stamps(ctx, it) }
}

const stamps = (ctx: Ctx, it: Checkout) => ({
  id: newId('validation', Date.parse(ctx.now)),
  created_at: ctx.now,
  ...trackingIdOf(ctx, it),
})

async function examined(
  ctx: Ctx,
  body: ExaminationBody,
  query: VoucherExaminationQuery | CampaignExaminationQuery,
  object: 'voucher' | 'campaign',
): Promise<{ it: Checkout; findings: Finding[] }> {
  const { audienceRulesOnly, limit = shownByDefault, order = '-created_at' } = query
  const { customer, order: sent, tracking_id, metadata } = body
  const { it, candidates, judge } = await openSearch(
    ctx,
    readRequest(
      ctx,
      { customer: customer ?? null, order: sent ?? null, tracking_id: tracking_id ?? null, metadata: metadata ?? null },
      [],
    ),
    audienceRulesOnly === true ? 'AUDIENCE_ONLY' : 'ALL',
    { filters: { resource_type: { conditions: { $is: [object] } } }, starting_after: null },
  )
  const { findings } =
    order === '-created_at'
      ? await newestPage(candidates, judge, { limit, starting_after: null })
      : await rankedPage(candidates, judge, limit, comparison(it, order))
  return { it, findings: findings.slice(0, limit).map((finding) => judge.explain(finding)) }
}

/** What has no value comes last, whichever way. */
function comparison(it: Checkout, order: string): (one: Finding, other: Finding) => number {
  const isDescending = order.startsWith('-')
  const key = keys[order.replace('-', '') as keyof typeof keys]
  return (one, other) => {
    const [a, b] = [key(one, it), key(other, it)]
    if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1
    return a === b ? 0 : a < b === isDescending ? 1 : -1
  }
}

type Key = (finding: Finding, it: Checkout) => string | null

const name: Key = ({ offer }) => (offer.object === 'campaign' ? (offer.campaign?.name ?? null) : offer.id)

const keys = {
  created_at: ({ offer }) => offer.created_at,
  updated_at: ({ offer }) => (offer.object === 'campaign' ? offer.campaign : offer.voucher)?.updated_at ?? null,
  type: ({ offer }) => offer.campaign?.type ?? null,
  code: name,
  campaign: name,
  category: ({ offer: { category_id } }, { loaded: { configuration } }) =>
    categoryOf(configuration, { category_id, campaign_id: null })?.name ?? null,
} as const satisfies Record<string, Key>
