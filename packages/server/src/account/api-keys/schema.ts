import { Instant, Name, OneOf, partial } from '@guerdon/engine/schema'
import { type Static, Type } from 'typebox'
import { listOf } from '../../core/query/list.ts'

const properties = {
  name: Name,
  kind: OneOf(['server', 'integration', 'client']),
  role: Type.String({ description: '`ADMIN`, `USER`, `VIEWER`, `MERCHANT` or `USER_RESTRICTED`.' }),
  ip_whitelist: Type.Array(Type.String({ format: 'address' }), {
    maxItems: 100,
    description: 'Addresses or CIDR ranges the key may be used from; empty allows all.',
  }),
  status: OneOf(['ACTIVE', 'BLOCKED']),
}

export const ApiKey = Type.Object({
  id: Type.String(),
  ...properties,
  app_id: Type.String(),
  client_id: Type.String(),
  primary: Type.Boolean(),
  created_at: Instant,
  object: Type.Literal('api_key'),
})
export type ApiKey = Static<typeof ApiKey>

/** The responses of creation and regeneration, the only ones with a secret. */
export const ApiKeyWithSecret = Type.Object({ ...ApiKey.properties, secret: Type.String() })
export type ApiKeyWithSecret = Static<typeof ApiKeyWithSecret>

export const ApiKeyList = listOf('data', ApiKey, { total: true })

export const CreateApiKey = Type.Object({
  name: properties.name,
  kind: Type.Optional(properties.kind),
  role: Type.Optional(properties.role),
  ip_whitelist: Type.Optional(properties.ip_whitelist),
})
export type CreateApiKey = Static<typeof CreateApiKey>

export const UpdateApiKey = partial({
  name: properties.name,
  role: properties.role,
  ip_whitelist: properties.ip_whitelist,
  status: properties.status,
})
export type UpdateApiKey = Static<typeof UpdateApiKey>
