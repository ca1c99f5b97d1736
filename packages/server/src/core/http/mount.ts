import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type GateKeeper, gateOf } from './admission.ts'
import { type AnswerParts, answerOf } from './answer.ts'
import { answerPreflight } from './cors.ts'
import { ApiError } from './errors.ts'
import type { Method, Operation } from './operation.ts'

/** A method and a path that are served. */
export type Route = Pick<Operation, 'method' | 'path'>

/**
 * Hands every operation to Fastify: its gate before the body is read, its answer after. `others` are served elsewhere,
 * and known here so that another method on them is told apart from an unknown path.
 */
export function mount(
  app: FastifyInstance,
  operations: readonly Operation[],
  parts: GateKeeper & AnswerParts,
  others: readonly Route[] = [],
): void {
  for (const operation of operations) {
    const gate = gateOf(operation, parts)
    app.route({
      method: operation.method,
      url: operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      config: { operation },
      onRequest: async (request, reply) => {
        request.admitted = await gate(request, reply)
      },
      handler: answerOf(operation, parts),
    })
  }
  answerUnknownRoutes(app, [...operations, ...others])
}

/** 404 for an unknown path, 405 with `Allow` for a known one, before anything else is looked at. */
function answerUnknownRoutes(app: FastifyInstance, routes: readonly Route[]): void {
  const known = routes.map(({ method, path }) => ({ method, pattern: patternOf(path) }))
  app.setNotFoundHandler(() => {
    throw new ApiError('not_found')
  })
  app.addHook('onRequest', (request, reply, next) => {
    const path = request.url.split('?')[0] as string
    // The database has no text for this character, so that nothing is ever named with it.
    if (path.includes('%00')) return next(unknownRoute(request.method, path))
    if (!request.is404) return next()
    const methods = [...new Set(known.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))].sort()
    if (methods.length === 0) return next(unknownRoute(request.method, path))
    if (isPreflight(request, path)) return answerPreflight(request.headers.origin as string, reply)
    next(notAllowed(request.method, methods))
  })
}

const patternOf = (path: string) =>
  new RegExp(`^${path.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&').replaceAll(/\{\w+\}/g, '[^/]+')}/?$`)

function isPreflight({ method, headers }: FastifyRequest, path: string): boolean {
  return (
    method === 'OPTIONS' &&
    path.startsWith('/client/v1/') &&
    headers.origin !== undefined &&
    headers['access-control-request-method'] !== undefined
  )
}

export const unknownRoute = (method: string, path: string): ApiError =>
  new ApiError('not_found', { details: `Cannot find route ${method} ${path}` })

function notAllowed(method: string, methods: Method[]): ApiError {
  const spoken = methods.length === 1 ? methods[0] : `${methods.slice(0, -1).join(', ')} or ${methods.at(-1)}`
  const allowed = methods.flatMap((one) => (one === 'GET' ? ['GET', 'HEAD'] : [one]))
  return new ApiError(
    'method_not_allowed',
    { details: `${method} is not supported by this endpoint. Did you mean ${spoken}?` },
    { Allow: allowed.join(', ') },
  )
}
