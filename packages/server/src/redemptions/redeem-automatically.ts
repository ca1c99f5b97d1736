import { guardName, RewardUnavailableError } from '../checkout/decision/decide.ts'
import { assembleCheckout } from '../checkout/decision/facts.ts'
import { loadCheckout } from '../checkout/decision/load.ts'
import { type CheckoutRequest, readRequest } from '../checkout/decision/request.ts'
import { StaleVersionError, saveCheckout } from '../checkout/decision/save.ts'
import type { ConfiguredRewardAssignment } from '../core/configuration/configuration.ts'
import type { Ctx } from '../core/context.ts'
import { ApiError } from '../core/http/errors.ts'
import { limits } from '../core/lib/limits.ts'
import type { RewardCredit } from '../loyalty/points/issue.ts'
import { inSavepointOrNull } from '../loyalty/points/savepoint.ts'
import { countRewards } from '../loyalty/rewards/count-rewards.ts'
import { refreshVersion, rewardsOf } from './follow-ups.ts'
import { judge } from './redeem.ts'
import { changesOf } from './redeem-changes.ts'
import { redeemAll } from './redeemed.ts'
import { giveRewards } from './rewarded.ts'

/**
 * Redeems the points of a card for a reward because its program does so by itself
 * (docs/reference/rewards.md#automatic-redemption), inside of the transaction that put the points there. It is a redemption like
 * any other, but one that cannot be leaves no trace. Points count as of the day `spent_on`. Answers the card that is to get
 * points by it, if one is, or null when nothing was redeemed.
 */
export async function redeemAutomatically(
  ctx: Ctx,
  code: string,
  assignment: ConfiguredRewardAssignment,
  spentOn: string,
): Promise<{ grown: RewardCredit | null } | null> {
  const request = requestOf(ctx, code, assignment)
  const guards = new Set<string>()
  for (let tries = 1; ; tries += 1) {
    try {
      return await inSavepointOrNull(ctx, async () => ({ grown: await redeemOne(ctx, request, spentOn, [...guards]) }))
    } catch (error) {
      // Somebody else was faster with what a rule counts: it is counted again, and nobody else counts meanwhile.
      const guard = error instanceof StaleVersionError ? guardName(error.row) : null
      if (guard === null || tries === limits.checkout_tries_max) throw error
      guards.add(guard)
    }
  }
}

function requestOf(ctx: Ctx, code: string, { id, reward_id }: ConfiguredRewardAssignment): CheckoutRequest {
  const redeemable = { object: 'voucher', id: code, reward: { id: reward_id, assignment_id: id } } as const
  return {
    ...readRequest(ctx, {}, [redeemable], { is_alone: true }),
    channel: { channel_type: 'AUTO_REDEEM', channel_id: id },
  }
}

async function redeemOne(
  ctx: Ctx,
  request: CheckoutRequest,
  spentOn: string,
  guards: readonly string[],
): Promise<RewardCredit | null> {
  const loaded = await loadCheckout(ctx, request, { db: ctx.db, lock: true, guards, is_redemption: true })
  const it = assembleCheckout(ctx, request, { ...loaded, today: spentOn })
  const verdict = judge(ctx, it, { is_alone: true })
  if (!verdict.valid) throw new RewardUnavailableError(new ApiError('invalid_redeemables'))
  const redeemed = redeemAll(ctx, it, verdict)
  await giveRewards(ctx, redeemed)
  await refreshVersion(ctx, redeemed)
  await saveCheckout(ctx, ctx.db, changesOf(ctx, redeemed))
  await countRewards(ctx, rewardsOf(redeemed), 1)
  return redeemed.children[0]?.rewarded?.issued.grown ?? null
}
