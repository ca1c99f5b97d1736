import assert from 'node:assert/strict'
import type { VisitorCtx } from '../../core/context.ts'
import { operation } from '../../core/http/operation.ts'
import { endSession, endSessions, forgetCookie } from './begin-session.ts'
import { currentSession, featuresOf, toSignedInSession } from './current-session.ts'
import {
  ConfirmByPassword,
  CurrentSession,
  OpenidCallbackQuery,
  OpenidStartQuery,
  PasswordLink,
  ReadPasswordLink,
  SecondFactorReply,
  SetPassword,
  SetUpSecondFactor,
  SignedInSessions,
  SignIn,
  SignInFeatures,
} from './schema.ts'
import { listSessions } from './session-store.ts'
import { readLink, setPassword } from './set-password.ts'
import { removeFactor, setUpFactor } from './set-up-factor.ts'
import { signIn } from './sign-in.ts'
import { finishOpenid, startOpenid } from './sign-in-by-openid.ts'

export const signInOperations = [
  operation({
    id: 'getSignInFeatures',
    method: 'GET',
    path: '/auth/features',
    summary: 'Get what the sign-in page needs to know',
    description:
      'Whether one can sign in with an OpenID provider, and whether the service sends mails. Needs no credentials.',
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
    description: 'The user, the projects with the role in each, and when the session ends.',
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
  operation({
    id: 'setUpSecondFactor',
    method: 'POST',
    path: '/auth/totp',
    summary: 'Set up the second factor',
    description:
      'Without `code`: a new secret for an app. With a `code` that the app shows for it: switches the second factor on and shows the recovery codes. Both take the password of the user.',
    body: SetUpSecondFactor,
    reply: SecondFactorReply,
    errors: [
      'invalid_payload',
      'invalid_credentials',
      'invalid_code',
      'second_factor_is_on',
      'second_factor_is_off',
      'too_many_attempts',
    ],
    // The password is checked outside of a transaction, as that of a sign-in.
    saves: true,
    idempotent: false,
    run: (ctx, { body }) => setUpFactor(ctx, sessionOf(ctx).user, body),
  }),
  operation({
    id: 'removeSecondFactor',
    method: 'DELETE',
    path: '/auth/totp',
    summary: 'Switch the second factor off',
    description: 'From then on the password alone suffices; the recovery codes stop working. The password confirms it.',
    body: ConfirmByPassword,
    reply: null,
    errors: ['invalid_payload', 'invalid_credentials', 'second_factor_is_off', 'too_many_attempts'],
    saves: true,
    idempotent: false,
    run: (ctx, { body }) => removeFactor(ctx, sessionOf(ctx).user, body.password),
  }),
  operation({
    id: 'listSessions',
    method: 'GET',
    path: '/auth/sessions',
    summary: 'List where I am signed in',
    description: 'All browsers in which the user is signed in, with the last use of each.',
    reply: SignedInSessions,
    errors: [],
    run: async (ctx) => {
      const { id, user } = sessionOf(ctx)
      return { sessions: (await listSessions(ctx.db, user.id, ctx.now)).map((row) => toSignedInSession(row, id)) }
    },
  }),
  operation({
    id: 'endSession',
    method: 'DELETE',
    path: '/auth/sessions/{sessionId}',
    summary: 'End a session',
    description: 'Signs the user out in one browser.',
    reply: null,
    errors: ['not_found'],
    idempotent: false,
    run: async (ctx, { params: { sessionId } }) => {
      const { id, user } = sessionOf(ctx)
      await endSession(ctx, user.id, sessionId)
      if (sessionId === id) forgetCookie(ctx)
    },
  }),
  operation({
    id: 'startOpenidSignIn',
    method: 'GET',
    path: '/auth/oidc/start',
    summary: 'Go to the OpenID provider',
    description: 'For browsers: redirects to the provider, or to the sign-in page with an `error`.',
    session: 'none',
    redirects: true,
    query: OpenidStartQuery,
    reply: null,
    errors: ['invalid_query_params'],
    saves: true,
    idempotent: false,
    run: (ctx, { query }) => startOpenid(ctx, query.to),
  }),
  operation({
    id: 'finishOpenidSignIn',
    method: 'GET',
    path: '/auth/oidc/callback',
    summary: 'Come back from the OpenID provider',
    description:
      'For browsers: signs in the user with the verified e-mail address and redirects to the page they came from, or to the sign-in page with an `error`.',
    session: 'none',
    redirects: true,
    query: OpenidCallbackQuery,
    reply: null,
    errors: ['invalid_query_params'],
    saves: true,
    idempotent: false,
    run: (ctx, { query }) => finishOpenid(ctx, query),
  }),
]

/** The session that the gate requires. */
function sessionOf({ visitor: { session } }: VisitorCtx) {
  assert(session !== null)
  return session
}
