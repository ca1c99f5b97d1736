import type { Settings } from '../settings.ts'

/** The cookie with the token of a session. */
export const sessionCookie = 'guerdon_session'

/** The value of a cookie in the `Cookie` header; null if it has none. Of several of one name, the first. */
export function valueOfCookie(header: string | undefined, name: string): string | null {
  if (header === undefined) return null
  for (const pair of header.split(';')) {
    const at = pair.indexOf('=')
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim()
  }
  return null
}

/** A `Set-Cookie` header. Scripts cannot read the cookie, and pages of other sites send it with links to this service only. */
export function cookieText(
  { name, value, path, max_age_seconds }: { name: string; value: string; path: string; max_age_seconds: number },
  settings: Pick<Settings, 'base_url'>,
): string {
  const secure = isSecure(settings) ? '; Secure' : ''
  return `${name}=${value}; Path=${path}; Max-Age=${max_age_seconds}; HttpOnly; SameSite=Lax${secure}`
}

/** Browsers send a secure cookie over https only. On this machine alone there is nobody between browser and service. */
function isSecure({ base_url }: Pick<Settings, 'base_url'>): boolean {
  const { protocol, hostname } = new URL(base_url)
  return protocol === 'https:' || !isLoopback(hostname)
}

export const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
