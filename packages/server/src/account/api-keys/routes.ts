import { operation } from '../../core/http/operation.ts'
import { hashOf, newSecret } from '../../core/http/secrets.ts'
import { listed } from '../../core/query/list.ts'
import { announceCredentialChange } from '../credential-change.ts'
import { roleOf } from '../roles.ts'
import {
  type ApiKey,
  ApiKeyList,
  ApiKey as ApiKeySchema,
  ApiKeyWithSecret,
  CreateApiKey,
  UpdateApiKey,
} from './schema.ts'
import { type ApiKeyRecord, deleteApiKey, getApiKey, insertApiKey, listApiKeys, updateApiKey } from './store.ts'

export const apiKeys = [
  operation({
    id: 'listApiKeys',
    method: 'GET',
    path: '/management/v1/projects/{projectId}/api-keys',
    summary: 'List API keys',
    description: 'The oldest first, without their secrets.',
    reply: ApiKeyList,
    errors: ['not_found'],
    run: async (ctx) => {
      const data = (await listApiKeys(ctx)).map(toApiKey)
      return listed('data', data, { total: data.length })
    },
  }),
  operation({
    id: 'createApiKey',
    method: 'POST',
    path: '/management/v1/projects/{projectId}/api-keys',
    summary: 'Create an API key',
    description: 'The secret is shown in this answer and never again.',
    body: CreateApiKey,
    reply: ApiKeyWithSecret,
    errors: ['invalid_payload', 'not_found', 'used_incorrect_role'],
    idempotent: false,
    run: async (ctx, { body }) => {
      const { key, secret } = await insertApiKey(ctx.db, {
        project_id: ctx.project_id,
        name: body.name,
        kind: body.kind ?? 'server',
        role: roleOf(body.role ?? 'ADMIN'),
        ip_whitelist: body.ip_whitelist ?? [],
        is_primary: false,
        created_at: ctx.now,
      })
      return { ...toApiKey(key), secret }
    },
  }),
  operation({
    id: 'updateApiKey',
    method: 'PUT',
    path: '/management/v1/projects/{projectId}/api-keys/{keyId}',
    summary: 'Update an API key',
    description: 'A blocked key gets no new tokens and its live ones stop working at once.',
    body: UpdateApiKey,
    reply: ApiKeySchema,
    errors: ['invalid_payload', 'not_found', 'used_incorrect_role'],
    target: (ctx, { params }) => getApiKey(ctx, params.keyId),
    run: async (ctx, { target, body: { name, role, ip_whitelist, status } }) => {
      const key = await updateApiKey(ctx, target.id, {
        ...(name !== undefined && { name }),
        ...(role !== undefined && { role: roleOf(role) }),
        ...(ip_whitelist !== undefined && { ip_whitelist: JSON.stringify(ip_whitelist) }),
        ...(status !== undefined && { status }),
      })
      await announceCredentialChange(ctx)
      return toApiKey(key)
    },
  }),
  operation({
    id: 'regenerateApiKey',
    method: 'POST',
    path: '/management/v1/projects/{projectId}/api-keys/{keyId}/regenerate',
    summary: 'Regenerate the secret of an API key',
    description: 'The old secret stops working at once; live access tokens of the key keep working.',
    reply: ApiKeyWithSecret,
    errors: ['not_found'],
    idempotent: false,
    target: (ctx, { params }) => getApiKey(ctx, params.keyId),
    run: async (ctx, { target }) => {
      const secret = newSecret()
      const key = await updateApiKey(ctx, target.id, { secret_hash: hashOf(secret) })
      await announceCredentialChange(ctx)
      return { ...toApiKey(key), secret }
    },
  }),
  operation({
    id: 'deleteApiKey',
    method: 'DELETE',
    path: '/management/v1/projects/{projectId}/api-keys/{keyId}',
    summary: 'Delete an API key',
    description: 'The key and the tokens that were issued to it stop working at once.',
    reply: null,
    errors: ['not_found'],
    target: (ctx, { params }) => getApiKey(ctx, params.keyId),
    run: async (ctx, { target }) => {
      await deleteApiKey(ctx, target.id)
      await announceCredentialChange(ctx)
    },
  }),
]

function toApiKey({
  id,
  name,
  kind,
  role,
  app_id,
  client_id,
  ip_whitelist,
  status,
  is_primary,
  created_at,
}: ApiKeyRecord): ApiKey {
  return {
    id,
    name,
    kind,
    role,
    app_id,
    client_id,
    ip_whitelist,
    status,
    primary: is_primary,
    created_at,
    object: 'api_key',
  }
}
