import type { VisitorCtx } from '../../core/context.ts'
import type { Db } from '../../core/db/database.ts'
import { cookieText, sessionCookie } from '../../core/http/cookies.ts'
import { notFound } from '../../core/http/errors.ts'
import { limits } from '../../core/lib/limits.ts'
import { announceCredentialChange } from '../credential-change.ts'
import { deleteSession, deleteSessions, insertSession } from './session-store.ts'

/** Begins a session of a user in the transaction `db`, and sends its cookie once that has committed. Returns the id of the session. */
export async function beginSession(ctx: VisitorCtx, db: Db, userId: string): Promise<string> {
  const { id, token, ended_another } = await insertSession(db, userId, ctx.visitor, ctx.now)
  if (ended_another) await announceCredentialChange({ ...ctx, db })
  ctx.afterCommit(() => ctx.visitor.setCookie(sessionCookieText(ctx, token, limits.session_days * 86_400)))
  return id
}

/** Ends all sessions of a user and begins one: whoever had taken over one of them is signed out. */
export async function replaceSessions(ctx: VisitorCtx, db: Db, userId: string): Promise<string> {
  await endSessions(ctx, db, userId)
  return beginSession(ctx, db, userId)
}

/** Ends all sessions of a user, on every node. */
export async function endSessions(ctx: VisitorCtx, db: Db, userId: string): Promise<void> {
  await deleteSessions(db, userId)
  await announceCredentialChange({ ...ctx, db })
}

/** Ends one session of a user, on every node; 404 if they have none of this id. */
export async function endSession(ctx: VisitorCtx, userId: string, id: string): Promise<void> {
  if (!(await deleteSession(ctx.db, userId, id))) throw notFound('session', id)
  await announceCredentialChange(ctx)
}

/** Makes the browser forget its session. */
export function forgetCookie(ctx: VisitorCtx): void {
  ctx.afterCommit(() => ctx.visitor.setCookie(sessionCookieText(ctx, '', 0)))
}

const sessionCookieText = ({ settings }: VisitorCtx, value: string, seconds: number): string =>
  cookieText({ name: sessionCookie(settings), value, max_age_seconds: seconds }, settings)
