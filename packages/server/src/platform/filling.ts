import type { FastifyInstance } from 'fastify'
import { ApiError } from '../core/http/errors.ts'
import { acceptsPage } from './dashboard.ts'
import { pageHeaders } from './send-file.ts'

/** How many days of the demo shop's history are made. */
export interface Filling {
  day: number
  days: number
}

/**
 * While the demo shop is made, answers every request with 503 and how far it is: browsers with a page that looks again. Only the process
 * is well, which its liveness says.
 */
export function answerWhileFilling(app: FastifyInstance, filling: () => Filling | null): void {
  app.addHook('onRequest', (request, reply, next) => {
    const progress = filling()
    if (progress === null || request.routeOptions.config.platform === 'GET /health/live') return next()
    const details = `The demo shop is being made: ${progress.day} of ${progress.days} days`
    if (!acceptsPage(request)) return next(new ApiError('service_unavailable', { details }, { 'Retry-After': '5' }))
    reply
      .code(503)
      .headers({ ...pageHeaders(), 'Cache-Control': 'no-store', 'Retry-After': '5', Refresh: '2' })
      .type('text/html; charset=utf-8')
      .send(page(progress, details))
  })
}

const page = ({ day, days }: Filling, details: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Guerdon: ${day} of ${days} days</title>
</head>
<body>
<h1>Guerdon is starting</h1>
<p><label for="progress">${details} of orders, in about a minute.</label></p>
<p><progress id="progress" max="${days}" value="${day}"></progress></p>
<p>This page looks again every two seconds, and then shows what you opened.</p>
</body>
</html>
`
