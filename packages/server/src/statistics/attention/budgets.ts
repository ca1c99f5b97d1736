import type { RuleTree, ValidationRule } from '@guerdon/engine/schema'
import { type Configuration, type ConfiguredCampaign, rulesOf } from '../../core/configuration/configuration.ts'
import type { Ctx } from '../../core/context.ts'
import { netUsageOf, type Usage } from '../../core/db/usage.ts'
import type { AttentionEntry } from './schema.ts'
import { count, money } from './words.ts'

/** From this share of a budget on, it needs attention. */
const shareShown = 0.8
/** Campaigns with budgets that are looked at, the newest first. */
const campaignsMax = 50

interface Budget {
  campaign: ConfiguredCampaign
  counter: keyof typeof usageOf
  limit: number
}

/** The counters of rules that limit a whole campaign, and its usage that they compare. */
const usageOf = {
  'campaign.redemptions.count': ({ redemptions }: Usage) => redemptions,
  'campaign.orders.amount': ({ orders_amount }: Usage) => orders_amount,
  'campaign.orders.amount_discounted': ({ discounted_amount }: Usage) => discounted_amount,
} as const

/** Campaigns that have used most of what their rules allow them, by the usage that the rules compare. */
export async function budgetsNearlyUsed(
  ctx: Ctx,
  campaigns: readonly ConfiguredCampaign[],
  configuration: Configuration,
): Promise<AttentionEntry[]> {
  const budgets = budgetsOf(campaigns, configuration).slice(0, campaignsMax)
  const usage = await netUsageOf(ctx.db, ctx.project_id, [...new Set(budgets.map(({ campaign }) => campaign.id))])
  return budgets.flatMap(({ campaign: { id, name }, counter, limit }) => {
    const used = usageOf[counter](usage(id))
    const share = used / limit
    if (share < shareShown) return []
    const numbers =
      counter === 'campaign.redemptions.count'
        ? `${count(used)} of ${count(limit)} redemptions`
        : `${money(ctx, used)} of ${money(ctx, limit)}`
    const percent = Math.floor(share * 100)
    return [
      {
        id: `budget_nearly_used/${id}/${counter}`,
        kind: 'budget_nearly_used' as const,
        severity: share >= 1 ? ('ERROR' as const) : ('WARNING' as const),
        message: `The campaign "${name}" has used ${percent} % of its budget: ${numbers}.`,
        link: { place: 'campaign' as const, id },
        data: { campaign_id: id, campaign_name: name, counter, used, limit, percent },
      },
    ]
  })
}

function budgetsOf(campaigns: readonly ConfiguredCampaign[], configuration: Configuration): Budget[] {
  const tiersOf = new Map<string, string[]>()
  for (const { id, campaign_id } of configuration.tiers.values())
    tiersOf.set(campaign_id, [...(tiersOf.get(campaign_id) ?? []), id])
  return campaigns.flatMap((campaign) => {
    const rules = [campaign.id, ...(tiersOf.get(campaign.id) ?? [])].flatMap((id) => rulesOf(configuration, id))
    const limits = new Map<Budget['counter'], number>()
    for (const [counter, limit] of rules.flatMap(limitsOf))
      limits.set(counter, Math.min(limit, limits.get(counter) ?? limit))
    return [...limits].map(([counter, limit]) => ({ campaign, counter, limit }))
  })
}

/** The upper limits of a rule on what a campaign has used. */
function limitsOf({ rules }: ValidationRule): Array<[Budget['counter'], number]> {
  return Object.values(rules as RuleTree).flatMap((rule) => {
    if (rule === null || typeof rule !== 'object' || !Object.hasOwn(usageOf, rule.name)) return []
    const { $less_than, $less_than_or_equal } = rule.conditions ?? {}
    const limit = Number([$less_than_or_equal ?? $less_than].flat()[0])
    return limit > 0 ? [[rule.name as Budget['counter'], limit] as [Budget['counter'], number]] : []
  })
}
