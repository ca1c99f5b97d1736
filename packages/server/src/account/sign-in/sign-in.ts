import type { VisitorCtx } from '../../core/context.ts'
import { inTransaction } from '../../core/db/transaction.ts'
import { ApiError } from '../../core/http/errors.ts'
import { limits } from '../../core/lib/limits.ts'
import { findUser, type UserRecord } from '../users/store.ts'
import { beginSession } from './begin-session.ts'
import { type Brake, countAttempt, forgetAttempts, signInBrakes, uncountAttempt } from './brakes.ts'
import { findPasswordHash, lockPassword, replaceHash } from './credentials-store.ts'
import { currentSession } from './current-session.ts'
import { hashPassword, isOutdatedHash, isPassword } from './password-hash.ts'
import type { CurrentSession, SignIn } from './schema.ts'
import { hasFactor, isFactor } from './second-factor.ts'

/** Signs a user in by their password, and by their second factor if they have one. */
export async function signIn(ctx: VisitorCtx, { email, password, ...factor }: SignIn): Promise<CurrentSession> {
  const { db, now, visitor } = ctx
  const brakes = signInBrakes(email, visitor.address)
  await countAttempt(db, brakes, now)
  const user = await findUser(db, { login: email })
  const hash = await findPasswordHash(db, user?.id ?? '')
  // An unknown user takes as long and gets the same answer: nobody learns who has an account.
  const isRight = await isCountedPassword(ctx, brakes, password, hash)
  if (user === undefined || hash === undefined || !isRight) throw invalidCredentials()
  if (await hasFactor(db, user.id)) await checkFactor(ctx, user, factor, brakes)
  await forgetAttempts(db, brakes, now)
  const current = isOutdatedHash(hash) ? await hashPassword(password) : hash
  if (current !== hash) await replaceHash(db, user.id, { from: hash, to: current })
  const sessionId = await inTransaction(db, async (trx) => {
    // To check a password takes a while. One that was replaced meanwhile, which ended all sessions, begins no other.
    if (!(await lockPassword(trx, user.id, current))) throw invalidCredentials()
    return beginSession(ctx, trx, user.id)
  })
  return newCurrentSession(ctx, user.id, sessionId)
}

/** Whether a password is right, of which an attempt was counted. The attempt is taken back if nothing was compared: too many wait already. */
export async function isCountedPassword(
  { db, now }: Pick<VisitorCtx, 'db' | 'now'>,
  brakes: readonly Brake[],
  password: string,
  hash: string | undefined,
): Promise<boolean> {
  try {
    return await isPassword(password, hash)
  } catch (error) {
    await uncountAttempt(db, brakes, now)
    throw error
  }
}

async function checkFactor(
  ctx: VisitorCtx,
  user: UserRecord,
  factor: Pick<SignIn, 'totp' | 'recovery_code'>,
  brakes: readonly Brake[],
): Promise<void> {
  if (factor.totp === undefined && factor.recovery_code === undefined) {
    // The page asks for the code next: this was no guess.
    await uncountAttempt(ctx.db, brakes, ctx.now)
    throw new ApiError('second_factor_required', { details: 'Send the code of the second factor, or a recovery code' })
  }
  if (!(await isFactor(ctx, user, factor))) throw invalidCredentials()
}

/** The answer to whoever has just signed in. */
export function newCurrentSession(ctx: VisitorCtx, userId: string, sessionId: string): Promise<CurrentSession> {
  const endsAt = Date.parse(ctx.now) + limits.session_days * 86_400_000
  return currentSession(ctx, { user_id: userId, session_id: sessionId, ends_at: endsAt })
}

export const invalidCredentials = (): ApiError =>
  new ApiError('invalid_credentials', { details: 'E-mail address, password or second factor is wrong' })
