import type { VisitorCtx } from '../../core/context.ts'
import type { Db } from '../../core/db/database.ts'
import { inTransaction } from '../../core/db/transaction.ts'
import { ApiError } from '../../core/http/errors.ts'
import { countAttempt, factorBrakes, forgetAttempts } from './brakes.ts'
import { findPasswordHash, lockPassword } from './credentials-store.ts'
import type { NewSecondFactor, RecoveryCodes, SetUpSecondFactor } from './schema.ts'
import { confirmFactor, deleteFactor, newFactor } from './second-factor.ts'
import { requirePassword } from './set-password.ts'
import { invalidCredentials } from './sign-in.ts'

interface Person {
  id: string
  email: string
}

/**
 * Makes a secret for the app of a user, or switches the second factor on by a code of it. Both take the password: who finds a browser that
 * was left open could otherwise lock the user out.
 */
export async function setUpFactor(
  ctx: VisitorCtx,
  user: Person,
  { password, code }: SetUpSecondFactor,
): Promise<NewSecondFactor | RecoveryCodes> {
  const { db, now } = ctx
  // The OpenID provider asks for its own second factor; without a password, nothing would ask for this one.
  if ((await findPasswordHash(db, user.id)) === undefined)
    throw new ApiError('forbidden', { details: 'Set a password first: the second factor is asked for with it' })
  const hash = await requirePassword(ctx, user, password)
  if (code === undefined) return newFactor(ctx, user)
  const brakes = factorBrakes(user.id)
  await countAttempt(db, brakes, now)
  const codes = await withPassword(db, user, hash, (trx) => confirmFactor({ db: trx, now }, user, code))
  await forgetAttempts(db, brakes, now)
  return codes
}

/** Switches the second factor of a user off, by their password. */
export async function removeFactor(ctx: VisitorCtx, user: Person, password: string): Promise<void> {
  const hash = await requirePassword(ctx, user, password)
  if (!(await withPassword(ctx.db, user, hash, (trx) => deleteFactor(trx, user.id))))
    throw new ApiError('second_factor_is_off')
}

/** Runs `work` unless another password was set since the password was compared with `hash`: who knows the old one only may do nothing. */
function withPassword<T>(db: Db, user: Person, hash: string, work: (trx: Db) => Promise<T>): Promise<T> {
  return inTransaction(db, async (trx) => {
    if (!(await lockPassword(trx, user.id, hash))) throw invalidCredentials()
    return work(trx)
  })
}
