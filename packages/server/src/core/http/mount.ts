import type { FastifyInstance, FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify'
import { clientCheckOf, gateOf } from './admission.ts'
import { type AnswerParts, answerOf } from './answer.ts'
import { bodyBytesMax } from './body-limits.ts'
import { brakingGuesses } from './brake-guesses.ts'
import { type HoldBody, newHoldBody } from './client-bodies.ts'
import { answerPreflight } from './cors.ts'
import { ApiError } from './errors.ts'
import type { Gate, GateKeeper } from './gate.ts'
import { meantPathFinder } from './meant-path.ts'
import { isPublic, type Method, type Operation, writes } from './operation.ts'

export type Route = Pick<Operation, 'method' | 'path'>

/**
 * Registers every operation with Fastify: its gate runs before the body is read, its handler after. `others` are routes
 * registered elsewhere, listed here so that a wrong method on them gets 405 and not 404.
 */
export function mount(
  app: FastifyInstance,
  operations: readonly Operation[],
  parts: GateKeeper & AnswerParts,
  others: readonly Route[] = [],
): void {
  const holdBody = newHoldBody()
  for (const operation of operations) {
    const gate = gateOf(operation, parts)
    const hold = isPublic(operation) ? holdBody : null
    const clientCheck = clientCheckOf(operation, parts)
    app.route({
      method: operation.method,
      url: operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      config: { operation },
      // HEAD would run an operation that changes something and throw its answer away.
      exposeHeadRoute: !writes(operation) && operation.saves !== true,
      bodyLimit: bodyBytesMax(operation, parts.runtime.settings),
      onRequest: (request, reply, next) => admit({ gate, hold }, request, reply, next),
      ...(clientCheck === null ? {} : { preHandler: clientCheck }),
      handler: answerOf(brakingGuesses(operation), parts),
    })
  }
  answerUnknownRoutes(app, [...operations, ...others], parts)
}

/** Goes on at once where the gate need not wait for anything, which is nearly always. */
function admit(
  { gate, hold }: { gate: Gate; hold: HoldBody | null },
  request: FastifyRequest,
  reply: FastifyReply,
  next: HookHandlerDoneFunction,
): void {
  let admitted: ReturnType<Gate>
  try {
    admitted = gate(request, reply)
    if (!(admitted instanceof Promise)) hold?.(request, reply)
  } catch (error) {
    next(error as Error)
    return
  }
  if (admitted instanceof Promise)
    admitted
      .then((later) => {
        hold?.(request, reply)
        request.admitted = later
      })
      .then(() => next(), next)
  else {
    request.admitted = admitted
    next()
  }
}

/** 404 for an unknown path, 405 with `Allow` for a known path with another method; before any other check. */
function answerUnknownRoutes(
  app: FastifyInstance,
  routes: readonly Route[],
  { runtime: { credentials } }: GateKeeper,
): void {
  const knownRoutes = routes.map(({ method, path }) => ({ method, pattern: patternOf(path) }))
  const findMeant = meantPathFinder(routes)
  app.setNotFoundHandler(() => {
    throw new ApiError('not_found')
  })
  app.addHook('onRequest', (request, reply, next) => {
    if (!request.is404 && !request.url.includes('%00')) return next()
    const path = request.url.split('?')[0] as string
    // PostgreSQL text cannot contain U+0000, so no resource has it in its id.
    if (path.includes('%00')) return next(unknownRoute(request.method, path))
    if (!request.is404) return next()
    const methods = [
      ...new Set(knownRoutes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)),
    ].sort()
    if (methods.length === 0) return next(unknownRoute(request.method, path, findMeant(path)))
    if (!isPreflight(request, path)) return next(notAllowed(request.method, methods))
    answerPreflight(request.headers.origin as string, credentials, reply).catch(next)
  })
}

/** `{name}` in a path stands for one segment, `*` at its end for everything. */
function patternOf(path: string): RegExp {
  const escaped = path.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&').replaceAll(/\{\w+\}/g, '[^/]+')
  return new RegExp(`^${escaped.replace(/\\\*$/, '.*')}/?$`)
}

function isPreflight({ method, headers }: FastifyRequest, path: string): boolean {
  return (
    method === 'OPTIONS' &&
    (path.startsWith('/client/v1/') || path.startsWith('/v1/oauth/')) &&
    headers.origin !== undefined &&
    headers['access-control-request-method'] !== undefined
  )
}

export const unknownRoute = (method: string, path: string, meant: string | null = null): ApiError =>
  new ApiError('not_found', {
    details: `Cannot find route ${method} ${path}${meant === null ? '' : `. Did you mean ${meant}?`}`,
  })

function notAllowed(method: string, methods: Method[]): ApiError {
  const suggestion = methods.length === 1 ? methods[0] : `${methods.slice(0, -1).join(', ')} or ${methods.at(-1)}`
  const allowed = methods.flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : [name]))
  return new ApiError(
    'method_not_allowed',
    { details: `${method} is not supported by this endpoint. Did you mean ${suggestion}?` },
    { Allow: allowed.join(', ') },
  )
}
