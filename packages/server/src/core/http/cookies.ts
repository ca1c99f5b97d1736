import type { Settings } from '../settings.ts'

type Base = Pick<Settings, 'base_url'>

/**
 * The name of a cookie. Over https with a prefix by which browsers accept it from this host alone: another one of the same domain could
 * otherwise set one of that name for us, and sign somebody in as somebody else.
 */
export const cookieName = (name: 'guerdon_session' | 'guerdon_oidc', settings: Base): string =>
  isSecure(settings) ? `__Host-${name}` : name

/** The name of the cookie with the token of a session. */
export const sessionCookie = (settings: Base): string => cookieName('guerdon_session', settings)

/** The value of a cookie in the `Cookie` header; null if it has none, or several of that name, of which one is not ours. */
export function valueOfCookie(header: string | undefined, name: string): string | null {
  if (header === undefined) return null
  let value: string | null = null
  for (const pair of header.split(';')) {
    const at = pair.indexOf('=')
    if (at <= 0 || pair.slice(0, at).trim() !== name) continue
    if (value !== null) return null
    value = pair.slice(at + 1).trim()
  }
  return value
}

/** A `Set-Cookie` header. Scripts cannot read the cookie, and pages of other sites send it with links to this service only. */
export function cookieText(
  { name, value, max_age_seconds }: { name: string; value: string; max_age_seconds: number },
  settings: Base,
): string {
  const secure = isSecure(settings) ? '; Secure' : ''
  return `${name}=${value}; Path=/; Max-Age=${max_age_seconds}; HttpOnly; SameSite=Lax${secure}`
}

/** Browsers send a secure cookie over https only. On this machine alone there is nobody between browser and service. */
function isSecure({ base_url }: Base): boolean {
  const { protocol, hostname } = new URL(base_url)
  return protocol === 'https:' || !isLoopback(hostname)
}

export const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
