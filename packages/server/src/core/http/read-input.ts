import type { FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import type { InstallationCtx } from '../context.ts'
import { invalidPayload, invalidQuery } from './errors.ts'
import { familyOf, type Operation, type OperationRun } from './operation.ts'
import { parseQueryString } from './query-string.ts'
import { compileValidator, type Wording } from './validation.ts'

export type InputReader = (ctx: InstallationCtx, request: FastifyRequest) => Promise<Parameters<OperationRun>[1]>

/** Validates the query, finds the target, validates the body: failures are reported in this order. */
export function inputReaderOf(operation: Operation): InputReader {
  const required: Wording['required'] = familyOf(operation.path) === 'management' ? 'must' : 'should'
  const readQuery = queryReaderOf(operation.query, required)
  const readBody = bodyReaderOf(operation, required)
  return async (ctx, request) => {
    const params = request.params as Record<string, string>
    const query = readQuery(request)
    const target = operation.target === undefined ? undefined : await operation.target(ctx, { params, query })
    return { params, query, target, body: readBody(request) }
  }
}

type Reader = (request: FastifyRequest) => unknown

const readNothing: Reader = () => undefined

export function queryReaderOf(schema: TSchema | undefined, required: Wording['required']): Reader {
  if (schema === undefined) return readNothing
  const validator = compileValidator(schema)
  return (request) => {
    const query = validator.coerce(parseQueryString(request.query as string))
    const firstError = validator.firstError(query, { root: 'Query', required })
    if (firstError !== null) throw invalidQuery(firstError)
    return query
  }
}

function bodyReaderOf({ body: schema, consumes = 'json' }: Operation, required: Wording['required']): Reader {
  if (schema === undefined) return readNothing
  const validator = compileValidator(schema)
  return (request) => {
    const sent = request.body === undefined ? {} : request.body
    const body = consumes === 'json' ? sent : validator.coerce(sent)
    const firstError = validator.firstError(body, { root: 'Payload', required })
    if (firstError !== null) throw invalidPayload(firstError)
    return validator.normalise(body)
  }
}
