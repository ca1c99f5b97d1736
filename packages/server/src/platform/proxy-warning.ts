import type { FastifyInstance } from 'fastify'
import type { Runtime } from '../core/context.ts'

const intervalMs = 3_600_000

/**
 * Warns, once an hour at most, while requests arrive through a proxy that the service does not know of: all callers then seem to
 * have one address, so they share one client rate limit, and IP allow-lists compare the address of the proxy.
 */
export function warnOfProxy(
  app: FastifyInstance,
  { settings, siblings, now }: Pick<Runtime, 'settings' | 'siblings' | 'now'>,
): void {
  // Of several workers one is enough: each gets its share of the requests.
  if (settings.trust_proxy_hops > 0 || (siblings !== null && siblings.number !== 1)) return
  // A proxy that ends TLS is certain: the service itself speaks HTTP only.
  if (settings.base_url.startsWith('https:'))
    app.log.warn(`BASE_URL is https, so there is a proxy, but TRUST_PROXY_HOPS is 0: ${consequence}`)
  let warnedAt = Number.NEGATIVE_INFINITY
  app.addHook('onRequest', (request, _reply, next) => {
    if (request.headers['x-forwarded-for'] !== undefined && now() - warnedAt >= intervalMs) {
      warnedAt = now()
      app.log.warn(`a request has X-Forwarded-For, but TRUST_PROXY_HOPS is 0: ${consequence}`)
    }
    next()
  })
}

const consequence =
  'callers behind a proxy share its address, and so one client rate limit, and IP allow-lists compare that address. ' +
  'Set TRUST_PROXY_HOPS to the number of proxies in front of this service.'
