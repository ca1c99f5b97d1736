import type { FastifyReply } from 'fastify'
import { sql } from 'kysely'
import type { Runtime } from '../context.ts'
import type { Db } from '../db/database.ts'
import type { Project } from '../db/project-row.ts'
import { sqlState } from '../db/transaction.ts'
import { type CallWindow, durationSeconds } from '../lib/call-limits.ts'
import { toInstant } from '../lib/instant.ts'
import type { Settings } from '../settings.ts'
import { tooManyRequests } from './errors.ts'

interface ProjectCall {
  project: Project
  bulk: boolean
  at: number
}

/** A time window that the call counts in. */
interface Window {
  kind: 'api_calls' | 'bulk_api_calls' | 'api_calls_cycle'
  /** Length; 0 for the calendar month. */
  seconds: number
  starts_at: number
  ends_at: number
  calls_max: number
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
  call: ProjectCall,
  reply: FastifyReply,
): Promise<void> {
  const { project, at } = call
  const windows = windowsOf(settings, call)
  if (windows.length === 0) return
  const callsUsed = await count(db, project.id, windows)
  const window = callsUsed === null ? await fullWindow(db, project.id, windows) : tightest(windows, callsUsed)
  const remaining = callsUsed === null ? 0 : window.calls_max - callsUsed(window)
  reply.headers({
    'X-Rate-Limit-Limit': window.calls_max,
    'X-Rate-Limit-Remaining': remaining,
    'X-Rate-Limit-Retry': Math.floor((remaining > 0 ? at : window.ends_at) / 1_000),
  })
  if (callsUsed === null)
    throw tooManyRequests(window.kind, window.ends_at - at, { headers: { 'X-Rate-Limit-Type': window.kind } })
}

function windowsOf(settings: Settings, { project, bulk, at }: ProjectCall): Window[] {
  const kind = bulk ? 'bulk_api_calls' : 'api_calls'
  const projectWindows = project.limits?.[kind]?.map(({ value, duration }) => ({
    calls: value,
    seconds: durationSeconds(duration) as number,
  }))
  const windows = onePerLength(projectWindows ?? settings[`rate_limit_${kind}`]).map(({ calls, seconds }) => {
    const startsAt = at - (at % (seconds * 1_000)) // aligned to the clock
    return {
      kind,
      seconds,
      starts_at: startsAt,
      ends_at: startsAt + seconds * 1_000,
      calls_max: calls,
    } satisfies Window
  })
  if (settings.rate_limit_api_calls_cycle === null) return windows
  const today = new Date(at)
  const month = (offset: number) => Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + offset)
  const callsMax = settings.rate_limit_api_calls_cycle
  return [
    ...windows,
    { kind: 'api_calls_cycle', seconds: 0, starts_at: month(0), ends_at: month(1), calls_max: callsMax },
  ]
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
  const rows = await db
    .selectFrom('call_windows')
    .where('project_id', '=', projectId)
    .where(
      'starts_at',
      'in',
      windows.map(({ starts_at }) => toInstant(starts_at)),
    )
    .select(['kind', 'seconds', 'starts_at', 'calls'])
    .execute()
  // A past minute window may have the same start as the current hour window, so kind, length and start are compared.
  const callsIn = ({ kind, seconds, starts_at }: Window) =>
    rows.find((row) => row.kind === kind && row.seconds === seconds && row.starts_at === toInstant(starts_at))?.calls ??
    0
  const full = windows.filter((window) => callsIn(window) >= window.calls_max)
  return lastToEnd(full.length === 0 ? windows : full)
}

/** Of two windows with the same length keeps the smaller limit: the database counts them in one row. */
function onePerLength(windows: readonly CallWindow[]): CallWindow[] {
  const callsOf = new Map<number, number>()
  for (const { calls, seconds } of windows)
    callsOf.set(seconds, Math.min(calls, callsOf.get(seconds) ?? Number.POSITIVE_INFINITY))
  return [...callsOf].map(([seconds, calls]) => ({ calls, seconds }))
}

/** The window with the fewest remaining calls; of several, the one that ends last: it decides when the next call may be made. */
function tightest(windows: Window[], callsUsed: (window: Window) => number): Window {
  const remaining = (window: Window) => window.calls_max - callsUsed(window)
  const fewest = Math.min(...windows.map(remaining))
  return lastToEnd(windows.filter((window) => remaining(window) === fewest))
}

const lastToEnd = (windows: Window[]): Window => windows.reduce((a, b) => (b.ends_at > a.ends_at ? b : a))
