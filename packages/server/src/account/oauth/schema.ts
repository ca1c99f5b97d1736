import { type Static, Type } from 'typebox'

/** All fields are optional: missing ones are refused with their own error key, not by schema validation. */
export const TokenForm = Type.Object({
  grant_type: Type.Optional(Type.String({ description: 'Only `client_credentials`.' })),
  scope: Type.Optional(Type.String({ description: 'One or more scopes, separated by spaces.' })),
})

export const AccessTokenForm = Type.Object({ access_token: Type.Optional(Type.String()) })

export const Token = Type.Object({
  access_token: Type.String(),
  client_id: Type.String(),
  expires_at: Type.Integer({ description: 'Unix seconds.' }),
  expires_in: Type.Integer({ description: 'Seconds left.' }),
  scope: Type.String(),
  token_type: Type.Literal('Bearer'),
})
export type Token = Static<typeof Token>

export const Introspection = Type.Object({
  ...Type.Partial(Token).properties,
  active: Type.Boolean(),
})
export type Introspection = Static<typeof Introspection>
