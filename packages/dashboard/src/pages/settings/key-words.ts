import type { Schemas } from '../../api/client.ts'
import { appKey, fetchToken } from '../../api/fetch-token.ts'

export type Key = Schemas['ApiKey']
export type KeyKind = Key['kind']

export const kindNames: Record<KeyKind, string> = {
  server: 'Server',
  integration: 'Integration',
  client: 'Web page or app',
}

export const kindWords: Record<KeyKind, string> = {
  server:
    'For the back end of a shop: what its role allows, with nobody between. Its secret must never reach a browser.',
  integration:
    'The same as a server key, marked as that of a tool you connect: so you can end it without touching the shop.',
  client:
    'For code that everybody can read. It may do only what the project has opened to pages, and only from its trusted domains.',
}

export type Access = 'change' | 'read'

/** Two things a key can be for. Roles of a key differ in nothing else: no key opens users, keys and settings. */
export const accessNames: Record<Access, string> = { change: 'Read and change', read: 'Read only' }

export const accessWords: Record<Access, string> = {
  change: 'Everything in this project: create, validate and redeem codes, give points, change customers.',
  read: 'Lists and looks at everything and exports it; changes nothing, and cannot validate or redeem.',
}

export const accessOf = (role: string): Access => (role === 'VIEWER' || role === 'MERCHANT' ? 'read' : 'change')
export const roleFor: Record<Access, string> = { change: 'ADMIN', read: 'VIEWER' }

/** The first entry that is no address and no range; the service has the last word. */
export function wrongAddress(entries: readonly string[]): string | undefined {
  return entries.find((entry) => !/^(\d{1,3}(\.\d{1,3}){3}|[\da-f.]*:[\da-f:.]*)(\/\d{1,3})?$/i.test(entry))
}

/** Addresses or ranges, one per line or behind commas. */
export function addressesIn(text: string): string[] {
  return text
    .split(/[\s,;]+/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
}

/**
 * A call that works at once with a new key, whether or not the service wants an access token beside it (`AUTH_MODE`).
 */
export function firstCall(
  origin: string,
  { kind, app_id: id, secret }: Pick<Schemas['ApiKeyWithSecret'], 'kind' | 'app_id' | 'secret'>,
): string {
  const headers = kind === 'client' ? `${appKey} -H "Origin: $SHOP"` : appKey
  const path = kind === 'client' ? '/client/v1/promotions/tiers' : '/v1/campaigns?limit=1'
  return [
    `APP_ID='${id}'`,
    `APP_TOKEN='${secret}'`,
    ...(kind === 'client' ? [`SHOP='https://shop.example'  # a trusted domain of the project`] : []),
    ...fetchToken(origin, headers, kind === 'client' ? 'client_api' : 'api'),
    `curl '${origin}${path}' ${headers} \\`,
    `  -H "Authorization: Bearer $TOKEN"`,
  ].join('\n')
}
