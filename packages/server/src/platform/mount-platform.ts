import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Runtime } from '../core/context.ts'
import { unavailable } from '../core/http/failures.ts'
import type { Route } from '../core/http/mount.ts'
import type { Operation } from '../core/http/operation.ts'
import type { RequestWatch } from '../core/http/watch-requests.ts'
import { documentOf } from '../document.ts'
import { limitConnectionAge } from './connection-age.ts'
import { acceptsPage, mountDashboard } from './dashboard.ts'
import type { DashboardFiles } from './dashboard-files.ts'
import { mountDocs } from './docs/mount.ts'
import { answerWhileFilling, type Filling } from './filling.ts'
import { mountGuides } from './guides.ts'
import type { GuidesSite } from './guides-site.ts'
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

interface PlatformOptions {
  watch: RequestWatch
  sheds_load: boolean
  dashboard: DashboardFiles | null
  guides: GuidesSite | null
  filling: () => Filling | null
}

/**
 * Adds the routes besides the API, all without credentials: health, metrics, documentation, dashboard, guides. Also adds the hooks for
 * every request: log, metrics and load shedding. Returns the routes it added.
 */
export function mountPlatform(
  app: FastifyInstance,
  runtime: Runtime,
  operations: readonly Operation[],
  { watch, sheds_load, dashboard, guides, filling }: PlatformOptions,
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
  if (runtime.siblings !== null) limitConnectionAge(app)
  answerWhileFilling(app, filling)
  const load = shedLoad(app, runtime, { is_on: sheds_load })
  const readMetrics = newMetrics(runtime, { tally, refusals, load, in_flight: () => watch.in_flight().length })
  warnOfProxy(app, runtime)
  const checkReadiness = newReadiness(runtime.database)
  const ready = async () => {
    if (load.isStopping()) throw unavailable()
    await checkReadiness()
    return ok
  }
  const document = () => documentOf(operations)

  const routes: Record<string, Handler> = {
    '/': (request, reply) => {
      if (dashboard === null) return reply.redirect('docs/')
      return reply.header('Vary', 'Accept').redirect(acceptsPage(request) ? 'dashboard/' : 'docs/')
    },
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
  const ofDocs = mountDocs(app, document, { has_guides: guides !== null })
  const ofDashboard = dashboard === null ? [] : mountDashboard(app, dashboard)
  const ofGuides = guides === null ? [] : mountGuides(app, guides)
  const ofPlatform = Object.keys(routes).map((path): Route => ({ method: 'GET', path }))
  return [...ofPlatform, ...ofDocs, ...ofDashboard, ...ofGuides]
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => FastifyReply | Promise<unknown>

const ok = { status: 'ok' }
