import { type Operation, pathParamNames, successStatus } from '../../core/http/operation.ts'
import type { Example } from '../../platform/docs/examples.ts'
import { faultIn, refusalSchema } from '../conformance.ts'

/** Why an example does not show what its operation takes and answers, or null. */
export function faultInExample(operation: Operation, status: number, { request, reply }: Example): string | null {
  if (status >= 400) return faultIn(refusalSchema, reply.body)
  if (request === undefined) return 'the request is missing'
  const missing = pathParamNames(operation.path).find((name) => !request.path?.[name])
  if (missing !== undefined) return `${missing} is missing in the path`
  const inBody = operation.body === undefined ? null : faultIn(operation.body, request.body ?? {})
  if (inBody !== null && operation.consumes !== 'multipart') return `body: ${inBody}`
  const schema =
    status === 202 && operation.accepted !== undefined ? operation.accepted : (operation.for_pages ?? operation).reply
  if (reply.media_type !== undefined) return operation.download === undefined ? 'it is no file' : null
  if (status === 204 || operation.redirects === true || schema === null) return null
  if (status !== successStatus(operation) && schema !== operation.accepted) return 'the status is not declared'
  return faultIn(schema, reply.body)
}
