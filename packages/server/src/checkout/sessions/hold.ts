import type { Verdict } from '@guerdon/engine/schema'
import type { Ctx } from '../../core/context.ts'
import type { Changes, VoucherChange } from '../../core/db/checkout-changes.ts'
import { toInstant } from '../../core/lib/instant.ts'
import type { Checkout } from '../decision/facts.ts'
import { candidateOf } from '../decision/results.ts'
import type { FoundVoucher } from '../decision/voucher-row.ts'

/**
 * What a session keeps for itself after a valid validation: one redemption of each code, and the credits or points it
 * would use (docs/reference/sessions.md). It replaces all that the session held before. Holding is a change of the code: whoever
 * has read it before has to look again.
 */
export function holdsOf(ctx: Ctx, it: Checkout, verdict: Verdict, sessionKey: string): Changes {
  const { now } = ctx
  const expiresAt = toInstant(Date.parse(now) + (it.request.session?.opens?.ttl_ms ?? 0))
  const applied = verdict.redeemables.flatMap((outcome) => {
    const candidate = outcome.status === 'APPLICABLE' ? candidateOf(it, outcome) : null
    return outcome.status === 'APPLICABLE' && candidate !== null ? [{ outcome, candidate }] : []
  })
  return {
    released: sessionKey,
    vouchers: applied.flatMap(({ candidate: { voucher } }) =>
      voucher === null ? [] : [{ ...versionOf(voucher), is_held: true as const }],
    ),
    holds: applied.map(({ outcome, candidate: { voucher, tier } }) => ({
      session_key: sessionKey,
      resource_id: voucher?.id ?? (tier?.id as string),
      quantity: voucher === null ? 0 : 1,
      credits: outcome.gift?.credits ?? outcome.loyalty_card?.points ?? 0,
      created_at: now,
      expires_at: expiresAt,
    })),
  }
}

/**
 * The code that somebody takes something of, as it was read. Whoever counts on a session being over ends it for everybody:
 * a request that came earlier and is decided later would see both what that session held and what was taken instead, and
 * find less than there is.
 */
export const versionOf = ({
  id,
  xmin,
  held: { ended_at },
}: FoundVoucher): Pick<VoucherChange, 'id' | 'xmin' | 'ended_at'> => ({
  id,
  xmin,
  ...(ended_at === null ? {} : { ended_at }),
})
