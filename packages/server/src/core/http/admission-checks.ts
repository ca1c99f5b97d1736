import type { FastifyReply } from 'fastify'
import { writingRoles } from '../context.ts'
import type { Role } from '../db/tables.ts'
import { isBulkPath } from './body-limits.ts'
import { ApiError } from './errors.ts'
import { type Operation, writes } from './operation.ts'

/* What keys and sessions are checked for alike. */

export const apiVersion = 'v2018-08-01'

/** Whether a call changes something, or shows its reader how to. */
export const changes = (operation: Operation): boolean =>
  writes(operation) || operation.saves === true || operation.empowers === true

/** Every role may read; an operation that can change something requires a writing role, or one that it lists in `also_for`. */
export function rolesFor(operation: Operation): ReadonlySet<Role> {
  const more = changes(operation) ? (operation.also_for ?? []) : (['VIEWER', 'MERCHANT'] as const)
  return new Set<Role>([...writingRoles, ...more])
}

/** Calls that count against the bulk limit instead of the ordinary one (docs/reference/limits.md#rate-limits). */
export const isBulk = (operation: Operation): boolean =>
  isBulkPath(operation) || (operation.method === 'POST' && operation.path === '/v1/exports')

/** The most specific matching range decides: a client that refuses JSON by name (`q=0`) gets 406 even if it accepts a wildcard. */
export function checkAccept(accept: string | undefined): void {
  if (accept === undefined || accept === '*/*' || accept === 'application/json' || accept.trim() === '') return
  let highest = 0
  let isWanted = false
  for (const range of accept.toLowerCase().split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim())
    const rank = rankOf(type)
    if (rank < highest || rank === 0) continue
    const isAccepted = !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
    isWanted = rank > highest ? isAccepted : isWanted || isAccepted
    highest = rank
  }
  if (!isWanted) throw new ApiError('not_acceptable', { details: 'This service answers with application/json' })
}

/** Specificity of a media range that matches JSON; 0 when it does not match. */
function rankOf(type: string): number {
  if (type === 'application/json' || type.endsWith('+json')) return 3
  return type === 'application/*' ? 2 : type === '*/*' ? 1 : 0
}

export function checkApiVersion(version: string | string[] | undefined, reply: FastifyReply): void {
  if (version === undefined) return
  if (version !== apiVersion)
    throw new ApiError('invalid_api_version', {
      details: `Version '${version}' is not supported; the only version is ${apiVersion}`,
    })
  reply.header('X-Voucherify-API-Version', apiVersion)
}

export const forbidden = (details: string) => new ApiError('forbidden', { details })

export const missingPermission = () =>
  new ApiError('missing_required_permission', {
    details: 'User does not have a required permission to perform this operation.',
  })
