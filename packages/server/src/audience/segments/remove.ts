import type { Ctx } from '../../core/context.ts'
import { inUse } from '../../core/http/errors.ts'
import { earningRulesNaming } from '../../loyalty/earning-rules/naming.ts'
import { listTiersNaming } from '../../loyalty/referrals/tier-store.ts'
import { rulesNaming } from '../../rules/validation-rules/naming.ts'
import { hideSegment, type StoredSegment } from './store.ts'

/**
 * Deletes a segment that no rule and no referral tier names. Nobody is told to have left it
 * (docs/reference/segments.md#membership).
 */
export async function removeSegment(ctx: Ctx, { id }: StoredSegment): Promise<void> {
  const { ids, total } = await rulesNaming(ctx, 'segment', [id])
  if (total > 0) throw inUse('segment', id, { type: 'validation_rules', ids, total })
  const earning_rules = await earningRulesNaming(ctx, { segment_id: id })
  if (earning_rules !== null) throw inUse('segment', id, earning_rules)
  const referral_tiers = await listTiersNaming(ctx, id)
  if (referral_tiers.length > 0) throw inUse('segment', id, { type: 'referral_tier', ids: referral_tiers })
  await hideSegment(ctx, id)
  ctx.afterCommit(() => ctx.jobs.wake('segments'))
}
