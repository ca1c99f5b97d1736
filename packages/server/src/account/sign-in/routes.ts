import assert from 'node:assert/strict'
import type { VisitorCtx } from '../../core/context.ts'
import { operation } from '../../core/http/operation.ts'
import { endSessions, forgetCookie } from './begin-session.ts'
import { currentSession, featuresOf } from './current-session.ts'
import { CurrentSession, PasswordLink, ReadPasswordLink, SetPassword, SignIn, SignInFeatures } from './schema.ts'
import { readLink, setPassword } from './set-password.ts'
import { signIn } from './sign-in.ts'

export const signInOperations = [
  operation({
    id: 'getSignInFeatures',
    method: 'GET',
    path: '/auth/features',
    summary: 'Get what the sign-in page needs to know',
    session: 'none',
    reply: SignInFeatures,
    errors: [],
    run: async ({ settings }) => featuresOf(settings),
  }),
  operation({
    id: 'getSession',
    method: 'GET',
    path: '/auth/session',
    summary: 'Get who is signed in',
    reply: CurrentSession,
    errors: [],
    run: (ctx) => {
      const { id, user, ends_at } = sessionOf(ctx)
      return currentSession(ctx, { user_id: user.id, session_id: id, ends_at })
    },
  }),
  operation({
    id: 'signIn',
    method: 'POST',
    path: '/auth/session',
    summary: 'Sign in',
    description:
      'Sets the cookie of the session. An unknown user, a wrong password and a wrong second factor get the same answer.',
    session: 'none',
    body: SignIn,
    reply: CurrentSession,
    errors: ['invalid_payload', 'invalid_credentials', 'second_factor_required', 'too_many_attempts'],
    // The password is checked outside of a transaction, which would hold a database connection meanwhile.
    saves: true,
    idempotent: false,
    run: (ctx, { body }) => signIn(ctx, body),
  }),
  operation({
    id: 'signOut',
    method: 'DELETE',
    path: '/auth/session',
    summary: 'Sign out',
    description: 'Ends all sessions of the user, in every browser.',
    reply: null,
    errors: [],
    idempotent: false,
    run: async (ctx) => {
      await endSessions(ctx, ctx.db, sessionOf(ctx).user.id)
      forgetCookie(ctx)
    },
  }),
  operation({
    id: 'setPassword',
    method: 'POST',
    path: '/auth/password',
    summary: 'Set a password',
    description:
      'By the token of a link, which it uses up, or by the old password and a session. Ends all sessions of the user and begins one.',
    session: 'optional',
    body: SetPassword,
    reply: CurrentSession,
    errors: [
      'invalid_payload',
      'invalid_link',
      'weak_password',
      'invalid_credentials',
      'not_signed_in',
      'too_many_attempts',
    ],
    saves: true,
    idempotent: false,
    run: (ctx, { body }) => setPassword(ctx, body),
  }),
  operation({
    id: 'readPasswordLink',
    method: 'POST',
    path: '/auth/password/link',
    summary: 'Get whose link it is',
    description: 'Does not use up the link.',
    session: 'none',
    body: ReadPasswordLink,
    reply: PasswordLink,
    errors: ['invalid_payload', 'invalid_link', 'too_many_attempts'],
    saves: true,
    idempotent: false,
    run: async (ctx, { body }) => {
      const { email, state } = await readLink(ctx, body.token)
      return { email, kind: state === 'INVITED' ? ('INVITATION' as const) : ('RESET' as const) }
    },
  }),
]

/** The session that the gate requires. */
function sessionOf({ visitor: { session } }: VisitorCtx) {
  assert(session !== null)
  return session
}
