import type { Outcome, Reason, Verdict } from '@guerdon/engine/schema'
import type { Decision } from '../checkout/decision/decide.ts'
import type { Checkout } from '../checkout/decision/facts.ts'
import type { RedeemableCandidate } from '../checkout/decision/redeemables.ts'
import { candidateOf, explained, refusalFacts } from '../checkout/decision/results.ts'
import type { Ctx } from '../core/context.ts'
import type { Changes } from '../core/db/checkout-changes.ts'
import type { CampaignRow } from '../core/db/tables.ts'
import type { NewEvent } from '../core/events/emit.ts'
import { ApiError, type ErrorKey, errorMessage } from '../core/http/errors.ts'
import { newId } from '../core/lib/ids.ts'
import { todayIn } from '../core/query/filter/calendar.ts'
import { figureTallies } from '../incentives/campaigns/summary-figures.ts'
import { blankRow } from './blank-row.ts'
import { redemptionEvents } from './events.ts'
import { storedVoucher } from './redeemed-voucher.ts'
import type { StoredRedemption } from './redemption.ts'

/**
 * A refused redemption (docs/reference/redemptions.md#failure), with the reason of the first inapplicable redeemable, or else of
 * the first skipped one. It is stored as a failed redemption and changes nothing else; a single unknown redeemable is thrown and
 * stores nothing.
 */
export function failure(
  ctx: Ctx,
  checkout: Checkout,
  verdict: Verdict,
  { is_single }: { is_single: boolean },
): Decision<never> {
  const refused = firstRefused(verdict)
  const { reason } = refused
  const candidate = candidateOf(checkout, refused)
  const facts = { ...refusalFacts(reason, candidate, refused), ...explanationsOf(verdict) }
  if (is_single && candidate === null) throw new ApiError(reason.key as ErrorKey, facts)
  const row = failedRow(ctx, checkout, checkout.candidates.length === 1 ? candidate : null, reason)
  return {
    result: new ApiError(reason.key as ErrorKey, { ...facts, resource_id: row.id, resource_type: 'redemption' }),
    changes: failureChanges(ctx, checkout, row),
  }
}

/**
 * A redemption that applies, but whose reward is unavailable (docs/reference/rewards.md#redeem-a-reward): stored in the same
 * way.
 */
export function failureOf(ctx: Ctx, checkout: Checkout, { key, facts }: ApiError): Decision<never> {
  const [only] = checkout.candidates
  const message = facts.message ?? errorMessage(key)
  const row = failedRow(ctx, checkout, checkout.candidates.length === 1 ? (only ?? null) : null, { key, message })
  return {
    result: new ApiError(key, { ...facts, resource_id: row.id, resource_type: 'redemption' }),
    changes: failureChanges(ctx, checkout, row),
  }
}

function firstRefused({ redeemables }: Verdict): Exclude<Outcome, { status: 'APPLICABLE' }> {
  const refused = redeemables.filter((outcome) => outcome.status !== 'APPLICABLE')
  return (refused.find(({ status }) => status === 'INAPPLICABLE') ?? refused[0]) as (typeof refused)[number]
}

function explanationsOf({ redeemables }: Verdict): { explanation?: object[] } {
  const explanations = redeemables.flatMap((outcome) => explained(outcome).explanation ?? [])
  return explanations.length === 0 ? {} : { explanation: explanations }
}

/** Relates to the refused voucher or tier, or to itself if that does not exist or was one of several. */
export function failedRow(
  ctx: Ctx,
  checkout: Checkout,
  candidate: RedeemableCandidate | null,
  { key, message }: Pick<Reason, 'message'> & { key: string },
): StoredRedemption {
  const id = newId('failed_redemption', Date.parse(ctx.now))
  return {
    ...blankRow(ctx, checkout, { customer: checkout.buyer.stored }),
    id,
    result: 'FAILURE',
    status: 'FAILED',
    ...(candidate === null
      ? { related_object_type: 'redemption', related_object_id: id }
      : {
          related_object_type: candidate.voucher === null ? 'promotion_tier' : 'voucher',
          related_object_id: candidate.voucher?.id ?? (candidate.tier?.id as string),
          campaign_id: candidate.campaign?.id ?? null,
          stack_id: candidate.stack_id as StoredRedemption['stack_id'],
          voucher_code: candidate.voucher?.code ?? null,
        }),
    failure_code: key,
    failure_message: message,
  }
}

function failureChanges(ctx: Ctx, checkout: Checkout, row: StoredRedemption): Changes {
  const { stored } = checkout.buyer
  return {
    redemptions: [row],
    ...(stored === null ? {} : { customers: [{ id: stored.id, add: { redemptions_failed: 1 } }] }),
    tallies: [['redemptions', 1], ...failedTallies(ctx, row.campaign_id)],
    events: redemptionFailureEvents(ctx, checkout, row),
  }
}

/** A failure counts for its campaign, on the current day. */
export const failedTallies = (ctx: Ctx, campaignId: CampaignRow['id'] | null): NonNullable<Changes['tallies']> =>
  campaignId === null ? [] : figureTallies(ctx, campaignId, { redemptions_failed: 1 })

export function redemptionFailureEvents(ctx: Ctx, checkout: Checkout, row: StoredRedemption): NewEvent[] {
  const today = todayIn({ now: ctx.now, timezone: ctx.project.timezone })
  const candidate = checkout.candidates.find(
    ({ voucher, tier }) => row.related_object_id === voucher?.id || row.related_object_id === tier?.id,
  )
  const voucher = candidate?.voucher == null ? null : storedVoucher(checkout, candidate.voucher, today)
  return redemptionEvents(
    ctx,
    { checkout, customer: checkout.buyer.stored, order: null },
    row,
    candidate === undefined ? null : { candidate, voucher },
  )
}
