import type { VisitorCtx } from '../../core/context.ts'
import { inTransaction } from '../../core/db/transaction.ts'
import { ApiError } from '../../core/http/errors.ts'
import { countAttempt, factorBrakes, forgetAttempts } from './brakes.ts'
import { findPasswordHash } from './credentials-store.ts'
import type { NewSecondFactor, RecoveryCodes } from './schema.ts'
import { confirmFactor, newFactor } from './second-factor.ts'

/** Makes a secret for the app of a user, or switches the second factor on by a code of it. */
export async function setUpFactor(
  ctx: VisitorCtx,
  user: { id: string; email: string },
  code: string | undefined,
): Promise<NewSecondFactor | RecoveryCodes> {
  const { db, now } = ctx
  if (code === undefined) {
    // The OpenID provider asks for its own second factor; without a password, nothing would ask for this one.
    if ((await findPasswordHash(db, user.id)) === undefined)
      throw new ApiError('forbidden', { details: 'Set a password first: the second factor is asked for with it' })
    return newFactor(ctx, user)
  }
  const brakes = factorBrakes(user.id)
  await countAttempt(db, brakes, now)
  const codes = await inTransaction(db, (trx) => confirmFactor({ db: trx, now }, user, code))
  await forgetAttempts(db, brakes, now)
  return codes
}
