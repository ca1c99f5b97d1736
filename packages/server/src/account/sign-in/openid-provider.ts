import type { ClientAuth, Configuration } from 'openid-client'
import { isLoopback } from '../../core/http/cookies.ts'
import { limits } from '../../core/lib/limits.ts'
import type { OidcSettings, Settings } from '../../core/settings.ts'

/** Why somebody cannot sign in with the provider: the `error` of the sign-in page (docs/reference/sign-in.md#openid). */
export type OpenidError =
  | 'oidc_off'
  | 'oidc_failed'
  | 'oidc_expired'
  | 'oidc_email_not_verified'
  | 'oidc_domain_not_allowed'
  | 'oidc_unknown_user'
  | 'too_many_attempts'

export class OpenidRefusal extends Error {
  readonly key: OpenidError

  constructor(key: OpenidError, options?: ErrorOptions) {
    super(key, options)
    this.key = key
  }
}

/** What a browser keeps between the way to the provider and the way back. */
export interface OpenidRequest {
  state: string
  nonce: string
  verifier: string
  /** The page to go on with. */
  to: string
}

export const redirectUri = ({ base_url }: Pick<Settings, 'base_url'>): string => `${base_url}/auth/oidc/callback`

/** The address at the provider where a person signs in, and what proves on the way back that this browser has asked. */
export async function startAtProvider(
  oidc: OidcSettings,
  settings: Pick<Settings, 'base_url'>,
  to: string,
): Promise<{ location: string; request: OpenidRequest }> {
  const client = await import('openid-client')
  const config = await providerOf(oidc)
  const request = {
    state: client.randomState(),
    nonce: client.randomNonce(),
    verifier: client.randomPKCECodeVerifier(),
    to,
  }
  const location = client.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri(settings),
    scope: 'openid email',
    state: request.state,
    nonce: request.nonce,
    code_challenge: await client.calculatePKCECodeChallenge(request.verifier),
    code_challenge_method: 'S256',
  })
  return { location: location.href, request }
}

/** The verified e-mail address of whoever comes back from the provider. The library checks state, nonce, signature, audience and issuer. */
export async function emailFromProvider(
  oidc: OidcSettings,
  { state, nonce, verifier }: OpenidRequest,
  callback: URL,
): Promise<string> {
  const client = await import('openid-client')
  const config = await providerOf(oidc)
  const tokens = await client.authorizationCodeGrant(config, callback, {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: verifier,
    idTokenExpected: true,
  })
  const claims = tokens.claims()
  if (claims === undefined) throw new OpenidRefusal('oidc_failed')
  // Some providers have the address in the reply of the userinfo endpoint only.
  const isComplete = claims.email !== undefined && claims.email_verified !== undefined
  const hasMore = config.serverMetadata().userinfo_endpoint !== undefined
  const info = isComplete || !hasMore ? claims : await client.fetchUserInfo(config, tokens.access_token, claims.sub)
  const { email, email_verified } = info
  if (typeof email !== 'string' || email.length > limits.email_length_max) throw new OpenidRefusal('oidc_failed')
  if (email_verified !== true) throw new OpenidRefusal('oidc_email_not_verified')
  refuseDomain(email, oidc)
  return email
}

function refuseDomain(email: string, { allowed_domains: domains }: OidcSettings): void {
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase()
  if (domains.length > 0 && !domains.includes(domain)) throw new OpenidRefusal('oidc_domain_not_allowed')
}

const known = new WeakMap<OidcSettings, { config: Promise<Configuration>; at: number }>()
const knownMs = 3_600_000

/** What the provider publishes about itself, read once an hour; a failure is not kept. */
function providerOf(oidc: OidcSettings): Promise<Configuration> {
  const found = known.get(oidc)
  if (found !== undefined && Date.now() - found.at < knownMs) return found.config
  const config = discover(oidc)
  known.set(oidc, { config, at: Date.now() })
  config.catch(() => known.delete(oidc))
  return config
}

async function discover({ issuer, client_id, client_secret }: OidcSettings): Promise<Configuration> {
  const client = await import('openid-client')
  const server = new URL(issuer)
  // What a provider expects of a client that says nothing else; where it lists other ways only, in the body.
  const [basic, post] = [client.ClientSecretBasic(client_secret), client.ClientSecretPost(client_secret)]
  const authenticate: ClientAuth = (as, ...request) => {
    const { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] } = as
    return (methods.includes('client_secret_basic') ? basic : post)(as, ...request)
  }
  return client.discovery(server, client_id, undefined, authenticate, {
    timeout: limits.oidc_timeout_seconds,
    execute: [
      // The library leaves the signature of an ID token that came over TLS unchecked.
      client.enableNonRepudiationChecks,
      // Only a provider on this machine, as in tests, may do without TLS.
      ...(server.protocol === 'http:' && isLoopback(server.hostname) ? [client.allowInsecureRequests] : []),
    ],
  })
}
