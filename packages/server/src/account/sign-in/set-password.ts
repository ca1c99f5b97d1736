import type { VisitorCtx } from '../../core/context.ts'
import type { Db } from '../../core/db/database.ts'
import { inTransaction } from '../../core/db/transaction.ts'
import { ApiError, invalidPayload } from '../../core/http/errors.ts'
import { notSignedIn } from '../../core/http/known-session.ts'
import { findUserLink, takeUserLink } from '../users/link.ts'
import { endLink } from '../users/store.ts'
import { replaceSessions } from './begin-session.ts'
import { countAttempt, forgetAttempts, linkBrakes, signInBrakes, uncountAttempt } from './brakes.ts'
import { findPasswordHash, lockPassword, upsertPassword } from './credentials-store.ts'
import { hashPassword } from './password-hash.ts'
import { refuseWeakPassword } from './password-rules.ts'
import type { CurrentSession, SetPassword } from './schema.ts'
import { invalidCredentials, isCountedPassword, newCurrentSession } from './sign-in.ts'

/** Sets the password of whoever has a link, or of whoever is signed in and knows the old one. Every session before it ends. */
export async function setPassword(ctx: VisitorCtx, body: SetPassword): Promise<CurrentSession> {
  const { token, old_password: oldPassword, password } = body
  if ((token === undefined) === (oldPassword === undefined))
    throw invalidPayload("Payload must have exactly one of 'token', 'old_password'")
  return token === undefined ? changePassword(ctx, oldPassword as string, password) : setByLink(ctx, token, password)
}

async function setByLink(ctx: VisitorCtx, token: string, password: string): Promise<CurrentSession> {
  // A weak password must not use up the link.
  const { email } = await readLink(ctx, token)
  refuseWeakPassword(password, email)
  const hash = await hashPassword(password)
  const { userId, sessionId } = await inTransaction(ctx.db, async (trx) => {
    const user = await takeUserLink(trx, token, 'set_password', ctx.now)
    if (user === null) throw invalidLink()
    return { userId: user.id, sessionId: await storePassword(ctx, trx, user.id, hash) }
  })
  return newCurrentSession(ctx, userId, sessionId)
}

async function changePassword(ctx: VisitorCtx, oldPassword: string, password: string): Promise<CurrentSession> {
  const { session } = ctx.visitor
  if (session === null) throw notSignedIn()
  const { user } = session
  const oldHash = await requirePassword(ctx, user, oldPassword)
  refuseWeakPassword(password, user.email)
  const hash = await hashPassword(password)
  const sessionId = await inTransaction(ctx.db, async (trx) => {
    // Somebody with a link may have set another one meanwhile: who knows the old one only must not replace it.
    if (!(await lockPassword(trx, user.id, oldHash))) throw invalidCredentials()
    return storePassword(ctx, trx, user.id, hash)
  })
  return newCurrentSession(ctx, user.id, sessionId)
}

/**
 * Refuses whoever is signed in and does not know the password: a browser left open must not suffice for everything. Returns the hash that
 * the password was compared with.
 */
export async function requirePassword(
  ctx: VisitorCtx,
  user: { id: string; email: string },
  password: string,
): Promise<string> {
  const { db, now, visitor } = ctx
  const brakes = signInBrakes(user.email, visitor.address)
  await countAttempt(db, brakes, now)
  const hash = await findPasswordHash(db, user.id)
  if (!(await isCountedPassword(ctx, brakes, password, hash)) || hash === undefined) throw invalidCredentials()
  await forgetAttempts(db, brakes, now)
  return hash
}

/** A link that was made before ends too: who has it could replace the password again, without the second factor. */
async function storePassword(ctx: VisitorCtx, db: Db, userId: string, hash: string): Promise<string> {
  await upsertPassword(db, userId, hash, ctx.now)
  await endLink(db, userId)
  return replaceSessions(ctx, db, userId)
}

/** Whose link it is, without using it up. */
export async function readLink({ db, now, visitor }: VisitorCtx, token: string) {
  const brakes = linkBrakes(visitor.address)
  await countAttempt(db, brakes, now)
  const user = await findUserLink(db, token, 'set_password', now)
  if (user === null) throw invalidLink()
  await uncountAttempt(db, brakes, now)
  return user
}

const invalidLink = () =>
  new ApiError('invalid_link', { details: 'The link is unknown, used, expired or replaced by a newer one' })
