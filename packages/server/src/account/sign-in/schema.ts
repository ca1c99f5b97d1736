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
