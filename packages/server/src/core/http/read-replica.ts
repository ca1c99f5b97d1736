import type { IncomingHttpHeaders } from 'node:http'
import type { InstallationCtx } from '../context.ts'
import { PrimaryNeededError, type Replicas } from '../db/replicas.ts'
import { ApiError } from './errors.ts'
import { type Operation, type OperationInput, type OperationRun, replicaRule } from './operation.ts'

/** The header with which a reply to a write says what contains it, and by which a later read asks for that. */
export const positionHeader = 'Guerdon-Position'

export interface ReplicaReader {
  /** Whether a replica may answer this input. */
  mayRead(input: OperationInput): boolean
  /** Runs the operation on a replica, or on the primary if no replica can answer. The headers may say what a replica must contain. */
  run(ctx: InstallationCtx, input: OperationInput, headers: IncomingHttpHeaders): Promise<unknown>
}

/** Runs an operation where it may be answered: the only place that lets a request read from a replica. */
export function replicaReaderOf(operation: Operation, run: OperationRun, replicas: Replicas | null): ReplicaReader {
  const rule = replicaRule(operation)
  const mayRead = typeof rule === 'function' ? rule : () => rule
  return {
    mayRead,
    run(ctx, input, headers) {
      if (replicas === null || !mayRead(input)) return run(ctx, input)
      return replicas.read(
        { position: readPosition(headers[positionHeader.toLowerCase()]) },
        (db) => runOnReplica({ ...ctx, db, primary: ctx.db }, input, run),
        () => run(ctx, input),
      )
    },
  }
}

/** What a replica refuses may only be too new for it: the primary decides. */
async function runOnReplica(ctx: InstallationCtx, input: OperationInput, run: OperationRun): Promise<unknown> {
  let result: unknown
  try {
    result = await run(ctx, input)
  } catch (error) {
    throw error instanceof ApiError ? new PrimaryNeededError() : error
  }
  if (result instanceof ApiError) throw new PrimaryNeededError()
  return result
}

/** Whoever sends a position wants to read what it wrote, so one that is none leads to the primary, which has everything. */
function readPosition(header: string | string[] | undefined): number | null {
  if (header === undefined) return null
  return typeof header === 'string' && /^\d{1,15}$/.test(header) ? Number(header) : Number.POSITIVE_INFINITY
}
