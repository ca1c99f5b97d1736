import { limits } from '../lib/limits.ts'
import { apiVersion } from './admission-checks.ts'
import type { OpenapiDocument, SecurityScheme } from './openapi-document.ts'
import { scopes } from './scopes.ts'

export const parameters: OpenapiDocument['components']['parameters'] = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description: `A repeated request with the same key has no further effect and gets the first reply again, for ${limits.idempotency_ttl_hours} hours.`,
    schema: { type: 'string', minLength: 1, maxLength: limits.idempotency_key_length_max, pattern: '^[\\x20-\\x7e]+$' },
  },
  Position: {
    name: 'Guerdon-Position',
    in: 'header',
    description:
      'A position that an earlier reply returned: the answer contains what was written up to there, even where it comes from a replica of the database that lags behind.',
    schema: { type: 'string', examples: ['184467'] },
  },
  ApiVersion: {
    name: 'X-Voucherify-API-Version',
    in: 'header',
    description: 'The version of the interface the caller was written for. There is one.',
    schema: { type: 'string', enum: [apiVersion] },
  },
  Prefer: {
    name: 'Prefer',
    in: 'header',
    description:
      '`handling=strict` refuses unknown fields and query parameters instead of ignoring them (RFC 7240); the answer repeats it as `Preference-Applied`.',
    schema: { type: 'string', examples: ['handling=strict'] },
  },
  PreferReply: {
    name: 'Prefer',
    in: 'header',
    description:
      '`return=representation` asks for the reply with status 200, which is otherwise left out; `handling=strict` refuses unknown fields and query parameters (RFC 7240). The answer repeats what was applied as `Preference-Applied`.',
    schema: { type: 'string', examples: ['return=representation'] },
  },
}

export const headers: OpenapiDocument['components']['headers'] = {
  RequestId: {
    description: 'Of this request, on every answer.',
    schema: { type: 'string', pattern: '^v-[0-9a-f]{18}$' },
  },
  RetryAfter: { description: 'Seconds after which another try may succeed.', schema: { type: 'integer', minimum: 1 } },
  Ignored: {
    description:
      'The unknown fields and query parameters that the request sent, which have no effect: `.validation_rule_id, .order.items[0].prize, ?limt`. Absent if there are none.',
    schema: { type: 'string', maxLength: limits.ignored_header_length_max },
  },
  Position: {
    description:
      'Where this request is in the order of all writes; a list that is asked for with the same header contains it. Absent on installations without replicas of the database.',
    schema: { type: 'string', pattern: '^[0-9]+$' },
  },
  Location: { description: 'Where the browser goes on.', schema: { type: 'string' } },
  Allow: { description: 'The methods the path has.', schema: { type: 'string' } },
}

const headerScheme = (name: string, description: string): SecurityScheme => ({
  type: 'apiKey',
  in: 'header',
  name,
  description,
})

export const securitySchemes: OpenapiDocument['components']['securitySchemes'] = {
  ApplicationId: headerScheme('X-App-Id', 'Id of an application key of the project.'),
  ApplicationToken: headerScheme('X-App-Token', 'Secret of that application key.'),
  AccessToken: {
    type: 'oauth2',
    description:
      'A short-lived token, sent as `Authorization: Bearer …` beside the application key. It is issued to an application key, whose pair of headers takes the place of HTTP Basic.',
    flows: {
      clientCredentials: {
        tokenUrl: '/v1/oauth/token',
        scopes: Object.fromEntries([...scopes].sort().map((scope) => [scope, openedBy(scope)])),
      },
    },
  },
  ClientId: headerScheme(
    'X-Client-Application-Id',
    'Id of a client-side key; taken into account only with `AUTH_MODE=either`.',
  ),
  ClientToken: headerScheme('X-Client-Token', 'Secret of that client-side key.'),
  ManagementId: headerScheme('X-Management-Id', 'Id of a management key of the installation.'),
  ManagementToken: headerScheme('X-Management-Token', 'Secret of that management key.'),
  Session: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-guerdon_session',
    description:
      'The session of a person, from `POST /auth/session`; over plain http on this machine its name is `guerdon_session`. A call that changes something must come from a page of this service (`Origin`, `Sec-Fetch-Site`).',
  },
  ProjectId: headerScheme('X-Project-Id', 'With a session: the id of the project to work in.'),
}

function openedBy(scope: string): string {
  if (scope === 'api') return 'All of /v1.'
  if (scope === 'client_api') return 'All of /client/v1.'
  if (scope.startsWith('client_')) return `/client/v1/${scope.slice('client_'.length)} and below.`
  return `/v1/${scope.toLowerCase()} and below.`
}

export const introduction = `Promotions, vouchers and loyalty, self-hosted; compatible with the Voucherify API of ${apiVersion}.

Three families of paths: \`/v1\` for servers, \`/client/v1\` for browsers and apps, \`/management/v1\` for operators. Server-side and client-side calls carry an application key and an access token; with the setting \`AUTH_MODE=either\` one of the two is enough, and client-side calls may carry a client-side key instead. Management calls carry a management key. A person signs in at \`/auth/session\` and is admitted to \`/v1\` and \`/management/v1\` by the session instead.

Bodies are JSON in UTF-8; imports take a CSV file as \`multipart/form-data\`, exports and reports are downloaded as CSV from addresses that need no credentials because they hold a secret. Unknown fields and query parameters are refused or ignored, as \`unknown_fields\` of the project says; with \`Prefer: handling=strict\` they are refused. Where they are ignored, the header \`Guerdon-Ignored\` names them, and an answer that is an object has \`warnings\`, a list of sentences. Moments are ISO 8601 in UTC with milliseconds; amounts are whole numbers of the smallest unit of the currency. Nested query parameters are written in brackets: \`created_at[before]=2026-01-01\`.

Every refusal has the shape of the schema \`Error\`. A known path with another method answers 405, an unknown path 404.

Without credentials and outside of this document: \`/health/live\`, \`/health/ready\`, \`/management/v1/health\`, \`/metrics\`.`
