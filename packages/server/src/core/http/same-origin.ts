import type { IncomingHttpHeaders } from 'node:http'
import type { Settings } from '../settings.ts'

/**
 * Where a request comes from, by the headers that a browser sets and no page can (docs/reference/sign-in.md#cross-site): a page of this
 * service, another one, or unknown, because it has none of them.
 */
export type RequestOrigin = 'same' | 'foreign' | 'unknown'

export function requestOrigin(headers: IncomingHttpHeaders, { base_url }: Pick<Settings, 'base_url'>): RequestOrigin {
  const { 'sec-fetch-site': site, origin, host } = headers
  // Browsers send it to https and to this machine only; where they do, it says all.
  if (site !== undefined) return site === 'same-origin' ? 'same' : 'foreign'
  if (origin === undefined) return 'unknown'
  const base = new URL(base_url)
  if (origin === base.origin) return 'same'
  // Over plain http the service may have several names, such as localhost. Over https another scheme would be somebody in between.
  return base.protocol === 'http:' && host !== undefined && origin === `http://${host}` ? 'same' : 'foreign'
}
