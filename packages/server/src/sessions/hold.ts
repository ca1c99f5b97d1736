import type { Verdict } from '@guerdon/engine/schema'
import type { Changes } from '../checkout/changes.ts'
import type { Case } from '../checkout/facts.ts'
import { candidateOf } from '../checkout/results.ts'
import type { Ctx } from '../context.ts'
import { toInstant } from '../lib/instant.ts'

/**
 * What a session keeps for itself after a valid validation: one redemption of each code, and the credits or points it
 * would use (spec 02, 9). It replaces all that the session held before. Holding is a change of the code: whoever has read
 * it before has to look again.
 */
export function holdsOf(ctx: Ctx, it: Case, verdict: Verdict, session_key: string): Changes {
  const { now } = ctx
  const expires_at = toInstant(Date.parse(now) + (it.request.session?.opens?.ttl_ms ?? 0))
  const applied = verdict.redeemables.flatMap((outcome) => {
    const candidate = outcome.status === 'APPLICABLE' ? candidateOf(it, outcome) : null
    return outcome.status === 'APPLICABLE' && candidate !== null ? [{ outcome, candidate }] : []
  })
  return {
    released: session_key,
    vouchers: applied.flatMap(({ candidate: { voucher } }) =>
      voucher === null ? [] : [{ id: voucher.id, xmin: voucher.xmin, is_held: true as const }],
    ),
    holds: applied.map(({ outcome, candidate: { voucher, tier } }) => ({
      session_key,
      resource_id: voucher?.id ?? (tier?.id as string),
      quantity: voucher === null ? 0 : 1,
      credits: outcome.gift?.credits ?? outcome.loyalty_card?.points ?? 0,
      created_at: now,
      expires_at,
    })),
  }
}
