import type { Verdict } from '@guerdon/engine/schema'
import type { Ctx } from '../../core/context.ts'
import type { Changes, VoucherChange } from '../../core/db/checkout-changes.ts'
import { notFound } from '../../core/http/errors.ts'
import { toInstant } from '../../core/lib/instant.ts'
import type { Checkout } from '../decision/facts.ts'
import { candidateOf } from '../decision/results.ts'
import type { FoundVoucher } from '../decision/voucher-row.ts'

/**
 * The holds of a session after a valid validation: one redemption of each voucher, and the credits or points it would use
 * (docs/reference/sessions.md). They replace all earlier holds of the session. A hold changes the version of the voucher row, so
 * a concurrent decision that read the voucher without the hold conflicts and retries.
 */
export function holdsOf(ctx: Ctx, checkout: Checkout, verdict: Verdict, sessionKey: string): Changes {
  const { now } = ctx
  const expiresAt = toInstant(Date.parse(now) + (checkout.request.session?.opens?.ttl_ms ?? 0))
  const applied = verdict.redeemables.flatMap((outcome) => {
    const candidate = outcome.status === 'APPLICABLE' ? candidateOf(checkout, outcome) : null
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
 * The voucher version to check on save. If the evaluation ignored an expired session, the save also deletes that session's
 * holds (`ended_at`); otherwise a request with an earlier clock, saved later, would subtract both the hold and the redemption
 * that replaced it.
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

/** Releases the hold of a session on a voucher. An expired hold is not found. */
export async function releaseHold(
  { db, project_id, now }: Ctx,
  voucher: { id: string },
  sessionKey: string,
): Promise<void> {
  const { numDeletedRows } = await db
    .deleteFrom('holds')
    .where('project_id', '=', project_id)
    .where('session_key', '=', sessionKey)
    .where('resource_id', '=', voucher.id)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  if (numDeletedRows === 0n) throw notFound('session', sessionKey)
}
