import { Instant, OneOf } from '@guerdon/engine/schema'
import { type Static, Type } from 'typebox'
import { limits } from '../../core/lib/limits.ts'

/** Bounded for the reader; whether it is strong enough is said by `weak_password`. */
const Password = Type.String({ maxLength: limits.password_length_max * 4 })
const Token = Type.String({ maxLength: limits.name_length_max })

export const SignIn = Type.Object(
  {
    email: Type.String({ maxLength: limits.email_length_max }),
    password: Password,
    totp: Type.Optional(
      Type.String({ maxLength: limits.name_length_max, description: 'The code of six digits of the second factor.' }),
    ),
    recovery_code: Type.Optional(
      Type.String({
        maxLength: limits.name_length_max,
        description: 'Instead of `totp`: one of the recovery codes, which it uses up.',
      }),
    ),
  },
  { examples: [{ email: 'ann@shop.example', password: 'correct horse battery' }] },
)
export type SignIn = Static<typeof SignIn>

export const SignInFeatures = Type.Object({
  oidc: Type.Boolean({ description: 'Whether one can sign in with an OpenID provider.' }),
  mail: Type.Boolean({ description: 'Whether the service sends mails.' }),
  guides: Type.Boolean({ description: 'Whether the service serves the guides under `/guides/`.' }),
  version: Type.String({ description: 'The release of the service.' }),
})
export type SignInFeatures = Static<typeof SignInFeatures>

/** Who is signed in, what they may do, and what the service can do. */
export const CurrentSession = Type.Object({
  user: Type.Object({
    id: Type.String(),
    email: Type.String(),
    first_name: Type.String(),
    last_name: Type.String(),
    is_owner: Type.Boolean(),
    has_totp: Type.Boolean({ description: 'Whether a second factor is on.' }),
    has_password: Type.Boolean({ description: 'False for a user who has only signed in with an OpenID provider.' }),
  }),
  projects: Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      role: OneOf(['ADMIN', 'USER', 'VIEWER', 'MERCHANT', 'USER_RESTRICTED']),
      currency: Type.String(),
      timezone: Type.String(),
    }),
    { description: 'The projects in which the user has a role; all of them for an owner.' },
  ),
  features: SignInFeatures,
  session: Type.Object({
    id: Type.String(),
    expires_at: Type.Unsafe<Instant>({ ...Instant, description: 'When it ends if it is not used any more.' }),
  }),
})
export type CurrentSession = Static<typeof CurrentSession>

/** With `token`, or with `old_password` and a session. */
export const SetPassword = Type.Object(
  {
    token: Type.Optional(Type.Unsafe<string>({ ...Token, description: 'Of a link to set the password.' })),
    old_password: Type.Optional(Password),
    password: Password,
  },
  { examples: [{ token: 'aBcDeF…', password: 'correct horse battery' }] },
)
export type SetPassword = Static<typeof SetPassword>

export const ReadPasswordLink = Type.Object({ token: Token }, { examples: [{ token: 'aBcDeF…' }] })

export const PasswordLink = Type.Object({
  email: Type.String(),
  kind: Type.Unsafe<'INVITATION' | 'RESET'>({
    ...OneOf(['INVITATION', 'RESET']),
    description: '`RESET` for a user who has set a password before.',
  }),
})

/** The password alone: asks for a secret. With `code`: switches the second factor on. */
export const SetUpSecondFactor = Type.Object(
  {
    password: Password,
    code: Type.Optional(
      Type.String({
        maxLength: limits.name_length_max,
        description: 'The code that the app shows for the new secret.',
      }),
    ),
  },
  { examples: [{ password: 'correct horse battery' }] },
)
export type SetUpSecondFactor = Static<typeof SetUpSecondFactor>

export const NewSecondFactor = Type.Object({
  secret: Type.String({ description: 'In base 32, to be typed into an app.' }),
  uri: Type.String({ description: '`otpauth://totp/…`' }),
  qr_svg: Type.String({ description: 'The URI as an image.' }),
})
export type NewSecondFactor = Static<typeof NewSecondFactor>

export const RecoveryCodes = Type.Object({
  recovery_codes: Type.Array(Type.String(), {
    description: 'Each works once, instead of a code. Shown now and never again.',
  }),
})
export type RecoveryCodes = Static<typeof RecoveryCodes>

export const SecondFactorReply = Type.Union([NewSecondFactor, RecoveryCodes])

export const ConfirmByPassword = Type.Object(
  { password: Password },
  { examples: [{ password: 'correct horse battery' }] },
)

export const SignedInSession = Type.Object({
  id: Type.String(),
  created_at: Instant,
  last_used_at: Type.Unsafe<Instant>({ ...Instant, description: 'To the minute.' }),
  expires_at: Type.Unsafe<Instant>({ ...Instant, description: 'When it ends if it is not used any more.' }),
  user_agent: Type.String({ description: 'What the browser called itself when it signed in.' }),
  address: Type.String({ description: 'From where it signed in.' }),
  is_current: Type.Boolean({ description: 'Whether it is the session of this request.' }),
})
export type SignedInSession = Static<typeof SignedInSession>

export const SignedInSessions = Type.Object({ sessions: Type.Array(SignedInSession) })

export const OpenidStartQuery = Type.Object({
  to: Type.Optional(
    Type.String({
      maxLength: limits.return_path_length_max,
      description: 'The path of the dashboard to go on with: `/dashboard/…`.',
    }),
  ),
})

/** Providers add parameters of their own. */
export const OpenidCallbackQuery = Type.Unsafe<Record<string, unknown>>(
  Type.Object(
    {
      code: Type.Optional(Type.String()),
      state: Type.Optional(Type.String()),
      iss: Type.Optional(Type.String({ description: 'The issuer (RFC 9207).' })),
      error: Type.Optional(Type.String()),
      error_description: Type.Optional(Type.String()),
    },
    { additionalProperties: true },
  ),
)
