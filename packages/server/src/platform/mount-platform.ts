import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Runtime } from '../core/context.ts'
import { unavailable } from '../core/http/failures.ts'
import type { Route } from '../core/http/mount.ts'
import { openapiOf } from '../core/http/openapi.ts'
import type { Operation } from '../core/http/operation.ts'
import type { RequestWatch } from '../core/http/watch-requests.ts'
import { namedSchemas } from '../schema-names.ts'
import { acceptsPage, mountDashboard } from './dashboard.ts'
import type { DashboardFiles } from './dashboard-files.ts'
import { docsPage } from './docs-page.ts'
import { shedLoad } from './load-shedding.ts'
import { newMetrics } from './metrics.ts'
import { metricsType, serveMetrics } from './metrics-server.ts'
import { warnOfProxy } from './proxy-warning.ts'
import { publishedText } from './published-text.ts'
import { newReadiness } from './readiness.ts'
import { newRefusalTally } from './refusal-tally.ts'
import { newRequestLog } from './request-log.ts'
import { newRequestTally } from './request-tally.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: Operation
    /** The name of a route outside of the contract, for log and metrics. */
    platform?: string
  }
}

/**
 * Adds the routes besides the API, all without credentials: health, metrics, documentation, dashboard. Also adds the hooks for every
 * request: log, metrics and load shedding. Returns the routes it added.
 */
export function mountPlatform(
  app: FastifyInstance,
  runtime: Runtime,
  operations: readonly Operation[],
  { watch, sheds_load, dashboard }: { watch: RequestWatch; sheds_load: boolean; dashboard: DashboardFiles | null },
): Route[] {
  const { settings } = runtime
  const tally = newRequestTally()
  const refusals = newRefusalTally()
  const logRequest = newRequestLog(operations, { logs_all: settings.log_requests })
  watch.onEnd((request, reply, ended) => {
    const { operation, platform } = reply.routeOptions.config
    tally.count(operation?.id ?? platform ?? 'unknown', ended.status, ended.seconds)
    refusals.count(request, reply, ended.status)
    logRequest(request, reply, ended)
  })
  const load = shedLoad(app, runtime, { is_on: sheds_load })
  const readMetrics = newMetrics(runtime, { tally, refusals, load, in_flight: () => watch.in_flight().length })
  warnOfProxy(app, runtime)
  const checkReadiness = newReadiness(runtime.database)
  const ready = async () => {
    if (load.isClosing()) throw unavailable()
    await checkReadiness()
    return ok
  }
  const document = () => openapiOf(operations, namedSchemas)

  const routes: Record<string, Handler> = {
    '/': (request, reply) => {
      if (dashboard === null) return reply.redirect('docs')
      return reply.header('Vary', 'Accept').redirect(acceptsPage(request) ? 'dashboard/' : 'docs')
    },
    '/docs': publishedText(pageHeaders, () => docsPage(document())),
    '/openapi.json': publishedText({ 'Content-Type': 'application/json; charset=utf-8' }, () =>
      JSON.stringify(document()),
    ),
    '/health/live': async () => ok,
    '/health/ready': ready,
    '/management/v1/health': ready,
  }
  const { metrics_port: port, metrics_host: host } = settings
  if (port !== null) serveMetrics(app, readMetrics, { port, host })
  else routes['/metrics'] = async (_, reply) => reply.type(metricsType).send(await readMetrics())
  for (const [url, handler] of Object.entries(routes)) app.get(url, { config: { platform: `GET ${url}` } }, handler)
  const ofDashboard = dashboard === null ? [] : mountDashboard(app, dashboard)
  return [...Object.keys(routes).map((path): Route => ({ method: 'GET', path })), ...ofDashboard]
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => FastifyReply | Promise<unknown>

const ok = { status: 'ok' }

/** The page has no scripts and loads nothing. Should unescaped markup ever get into it, the browser enforces the same. */
const pageHeaders = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
}
