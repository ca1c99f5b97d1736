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
import { evaluateRedemption } from './redeem.ts'
import { changesOf } from './redeem-changes.ts'
import { redeemAll } from './redeemed.ts'
import { giveRewards } from './rewarded.ts'

/**
 * Redeems the points of a card for a reward automatically (docs/reference/rewards.md#automatic-redemption), in the transaction
 * that credited the points. It is a redemption like any other, except that a refusal stores nothing. Points are valid as of the
 * day `spentOn`. Returns null when nothing was redeemed; else the credit that the reward adds to a card, if any.
 */
export async function redeemAutomatically(
  ctx: Ctx,
  code: string,
  assignment: ConfiguredRewardAssignment,
  spentOn: string,
): Promise<{ rewardCredit: RewardCredit | null } | null> {
  const request = requestOf(ctx, code, assignment)
  const guards = new Set<string>()
  for (let tries = 1; ; tries += 1) {
    try {
      return await inSavepointOrNull(ctx, async () => ({
        rewardCredit: await redeemWithGuards(ctx, request, spentOn, [...guards]),
      }))
    } catch (error) {
      // Another transaction changed a counter that a rule compares: lock its guard, then count again.
      const guard = error instanceof StaleVersionError ? guardName(error.row) : null
      if (guard === null || tries === limits.checkout_tries_max) throw error
      guards.add(guard)
    }
  }
}

function requestOf(ctx: Ctx, code: string, { id, reward_id }: ConfiguredRewardAssignment): CheckoutRequest {
  const redeemable = { object: 'voucher', id: code, reward: { id: reward_id, assignment_id: id } } as const
  return {
    ...readRequest(ctx, {}, [redeemable], { is_single: true }),
    channel: { channel_type: 'AUTO_REDEEM', channel_id: id },
  }
}

async function redeemWithGuards(
  ctx: Ctx,
  request: CheckoutRequest,
  spentOn: string,
  guards: readonly string[],
): Promise<RewardCredit | null> {
  const rows = await loadCheckout(ctx, request, { db: ctx.db, lock: true, guards, is_redemption: true })
  const checkout = assembleCheckout(ctx, request, { ...rows, today: spentOn })
  const verdict = evaluateRedemption(ctx, checkout, { is_single: true })
  if (!verdict.valid) throw new RewardUnavailableError(new ApiError('invalid_redeemables'))
  const redeemed = redeemAll(ctx, checkout, verdict)
  await giveRewards(ctx, redeemed)
  await refreshVersion(ctx, redeemed)
  await saveCheckout(ctx, ctx.db, changesOf(ctx, redeemed))
  await countRewards(ctx, rewardsOf(redeemed), 1)
  return redeemed.children[0]?.rewarded?.issued.rewardCredit ?? null
}
