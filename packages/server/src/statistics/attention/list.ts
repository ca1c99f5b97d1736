import { configurationNow } from '../../core/configuration/configuration-now.ts'
import type { Ctx } from '../../core/context.ts'
import { limits } from '../../core/lib/limits.ts'
import { budgetsNearlyUsed } from './budgets.ts'
import { campaignsEnding, codesRunningOut } from './campaigns.ts'
import { manyRefusals } from './refusals.ts'
import type { AttentionEntry } from './schema.ts'
import { failedJobs, failingWebhooks } from './technical.ts'

/** What needs attention, the most severe first. Everything is read from memory, from sums, or from the first rows of an index. */
export async function listMatters(ctx: Ctx): Promise<AttentionEntry[]> {
  const configuration = await configurationNow(ctx)
  const running = [...configuration.campaigns.values()]
    .filter(({ active, expiration_date }) => active && (expiration_date === null || expiration_date > ctx.now))
    .sort((a, b) => (a.created_at < b.created_at ? 1 : -1))
  const entries = [
    ...(await budgetsNearlyUsed(ctx, running, configuration)),
    ...(await codesRunningOut(ctx, running)),
    ...(await failingWebhooks(ctx)),
    ...(await failedJobs(ctx)),
    ...(await manyRefusals(ctx)),
    ...campaignsEnding(ctx, running),
  ]
  return entries.sort((a, b) => ranks[a.severity] - ranks[b.severity]).slice(0, limits.attention_entries_max)
}

const ranks = { ERROR: 0, WARNING: 1, INFO: 2 } as const
