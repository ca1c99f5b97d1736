import type { VisitorCtx } from '../../core/context.ts'
import { inTransaction } from '../../core/db/transaction.ts'
import { cookieName, cookieText, valueOfCookie } from '../../core/http/cookies.ts'
import { ApiError, invalidQuery } from '../../core/http/errors.ts'
import { Redirect } from '../../core/http/operation.ts'
import { limits } from '../../core/lib/limits.ts'
import { activateUser, findUser } from '../users/store.ts'
import { beginSession } from './begin-session.ts'
import { countAttempt, linkBrakes, uncountAttempt } from './brakes.ts'
import {
  emailFromProvider,
  type OpenidError,
  OpenidRefusal,
  type OpenidRequest,
  redirectUri,
  startAtProvider,
} from './openid-provider.ts'

const oidcCookie = ({ settings }: VisitorCtx): string => cookieName('guerdon_oidc', settings)

/** Sends a browser to the OpenID provider. */
export async function startOpenid(ctx: VisitorCtx, to: string | undefined): Promise<Redirect> {
  if (to !== undefined && !isPage(to)) throw invalidQuery('Property .to must be a path of the dashboard')
  return orToSignInPage(ctx, async () => {
    const { oidc } = ctx.settings
    if (oidc === null) throw new OpenidRefusal('oidc_off')
    const { location, request } = await startAtProvider(oidc, ctx.settings, to ?? '/dashboard/')
    keepRequest(ctx, Buffer.from(JSON.stringify(request)).toString('base64url'), limits.oidc_request_seconds)
    return new Redirect(location)
  })
}

/** Signs in the user who comes back from the provider: by their verified e-mail address, if there is such a user. */
export async function finishOpenid(ctx: VisitorCtx, query: Record<string, unknown>): Promise<Redirect> {
  return orToSignInPage(ctx, async () => {
    const { db, now, settings, visitor } = ctx
    if (settings.oidc === null) throw new OpenidRefusal('oidc_off')
    const request = readRequest(ctx)
    keepRequest(ctx, '', 0)
    if (request === null || request.state !== query.state) throw new OpenidRefusal('oidc_expired')
    const brakes = linkBrakes(visitor.address)
    await countAttempt(db, brakes, now)
    const email = await emailFromProvider(settings.oidc, request, callbackUrl(ctx, query))
    const user = await findUser(db, { login: email })
    if (user === undefined) throw new OpenidRefusal('oidc_unknown_user')
    await uncountAttempt(db, brakes, now)
    await inTransaction(db, async (trx) => {
      await activateUser(trx, user.id)
      await beginSession(ctx, trx, user.id)
    })
    return new Redirect(request.to)
  })
}

/** A browser is shown no JSON: a refusal leads to the sign-in page, which says why. */
async function orToSignInPage(ctx: VisitorCtx, work: () => Promise<Redirect>): Promise<Redirect> {
  try {
    return await work()
  } catch (error) {
    const key = errorOf(error)
    // Neither the reply of the provider nor the address of the request: both contain secrets.
    if (key === 'oidc_failed') ctx.log.warn({ reason: reasonOf(error) }, 'sign-in with the OpenID provider failed')
    return new Redirect(`${basePath(ctx)}/dashboard/sign-in?error=${key}`)
  }
}

function errorOf(error: unknown): OpenidError {
  if (error instanceof OpenidRefusal) return error.key
  return error instanceof ApiError && error.key === 'too_many_attempts' ? 'too_many_attempts' : 'oidc_failed'
}

function reasonOf(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: unknown }
  return [code, message].filter((part) => typeof part === 'string').join(': ')
}

const basePath = ({ settings }: VisitorCtx): string => new URL(settings.base_url).pathname.replace(/\/$/, '')

/** Whether a text is a path of the dashboard, and leads nowhere else: browsers read `//x`, `/\x` and tabs as other hosts. */
function isPage(to: string): boolean {
  if (!/^\/[!-[\]-~]*$/.test(to) || to.startsWith('//')) return false
  const { pathname, origin } = new URL(to, 'http://here.invalid')
  return origin === 'http://here.invalid' && (pathname === '/dashboard' || pathname.startsWith('/dashboard/'))
}

function keepRequest(ctx: VisitorCtx, value: string, seconds: number): void {
  const text = cookieText({ name: oidcCookie(ctx), value, max_age_seconds: seconds }, ctx.settings)
  ctx.afterCommit(() => ctx.visitor.setCookie(text))
}

/** The cookie is not signed: whoever changes it in their own browser signs nobody in, since the provider and its code must fit. */
function readRequest(ctx: VisitorCtx): OpenidRequest | null {
  const value = valueOfCookie(ctx.visitor.cookies, oidcCookie(ctx))
  if (value === null) return null
  try {
    const { state, nonce, verifier, to } = JSON.parse(Buffer.from(value, 'base64url').toString())
    const isWhole = [state, nonce, verifier, to].every((part) => typeof part === 'string' && part !== '')
    return isWhole && isPage(to) ? { state, nonce, verifier, to } : null
  } catch {
    return null
  }
}

/** The address that the provider redirected to, by its public name. */
function callbackUrl({ settings }: VisitorCtx, query: Record<string, unknown>): URL {
  const url = new URL(redirectUri(settings))
  for (const [name, value] of Object.entries(query)) if (typeof value === 'string') url.searchParams.append(name, value)
  return url
}
