import type { FastifyReply } from 'fastify'
import { sql } from 'kysely'
import type { Runtime } from '../context.ts'
import type { Db } from '../db/database.ts'
import type { Project } from '../db/project-row.ts'
import { sqlState } from '../db/transaction.ts'
import { toInstant } from '../lib/instant.ts'
import type { Settings } from '../settings.ts'
import { lastToEnd, limitWindows, readCalls, tightest, type Window } from './call-windows.ts'
import { tooManyRequests } from './errors.ts'
import { thresholdsOf } from './usage-thresholds.ts'
import type { UsageWatch } from './usage-watch.ts'

interface ProjectCall {
  project: Project
  bulk: boolean
  at: number
}

/** Whether a call of the project counts against any limit. */
export const isLimited = (
  { rate_limit_api_calls, rate_limit_bulk_api_calls, rate_limit_api_calls_cycle }: Settings,
  project: Project,
): boolean =>
  project.limits !== null ||
  rate_limit_api_calls.length > 0 ||
  rate_limit_bulk_api_calls.length > 0 ||
  rate_limit_api_calls_cycle !== null

/** Counts one call of the project in the database and sets the rate limit headers; or throws 429 and counts nothing. */
export async function countProjectCall(
  { settings, database: { db } }: Runtime,
  usage: UsageWatch,
  { project, bulk, at }: ProjectCall,
  reply: FastifyReply,
): Promise<void> {
  const windows = [
    ...limitWindows(settings, project, bulk ? 'bulk_api_calls' : 'api_calls', at),
    ...limitWindows(settings, project, 'api_calls_cycle', at),
  ]
  if (windows.length === 0) return
  const thresholds = thresholdsOf(project, windows, at)
  const countedOnly = thresholds.map((threshold) => threshold.window).filter((window) => !windows.includes(window))
  const callsUsed = await count(db, project.id, [...windows, ...countedOnly])
  const window = callsUsed === null ? await fullWindow(db, project.id, windows) : tightest(windows, callsUsed)
  const remaining = callsUsed === null ? 0 : window.calls_max - callsUsed(window)
  reply.headers({
    'X-Rate-Limit-Limit': window.calls_max,
    'X-Rate-Limit-Remaining': remaining,
    'X-Rate-Limit-Retry': Math.floor((remaining > 0 ? at : window.ends_at) / 1_000),
  })
  if (callsUsed === null)
    throw tooManyRequests(window.kind, window.ends_at - at, { headers: { 'X-Rate-Limit-Type': window.kind } })
  for (const threshold of thresholds) {
    const calls = callsUsed(threshold.window)
    if (calls >= threshold.calls) usage.reach(project, threshold, calls, reply)
  }
}

/** Counts the call in every window; null when one is full, then no window counts it. */
async function count(db: Db, projectId: string, windows: Window[]): Promise<((window: Window) => number) | null> {
  try {
    const { rows } = await sql<{ kind: string; seconds: number; calls: number }>`
      select * from count_call(${projectId}, ${windows.map(({ kind }) => kind)}::text[], ${windows.map(({ seconds }) => seconds)}::integer[],
        ${windows.map(({ starts_at }) => toInstant(starts_at))}::timestamptz[], ${windows.map(({ calls_max }) => calls_max)}::bigint[])
    `.execute(db)
    return (window) =>
      rows.find(({ kind, seconds }) => kind === window.kind && seconds === window.seconds)?.calls as number
  } catch (error) {
    if (sqlState(error) === 'GUR01') return null
    throw error
  }
}

/** The full window that refused the call; of several, the one that ends last. */
async function fullWindow(db: Db, projectId: string, windows: Window[]): Promise<Window> {
  const callsIn = await readCalls(db, projectId, windows)
  const full = windows.filter((window) => callsIn(window) >= window.calls_max)
  return lastToEnd(full.length === 0 ? windows : full)
}
