import type { Db } from '../db/database.ts'
import type { Project } from '../db/project-row.ts'
import { type CallWindow, durationSeconds } from '../lib/call-limits.ts'
import { toInstant } from '../lib/instant.ts'
import type { Settings } from '../settings.ts'

export type CallKind = 'api_calls' | 'bulk_api_calls' | 'api_calls_cycle'

/** A time window in which calls are counted. */
export interface Window {
  kind: CallKind
  /** Length; 0 for the calendar month. */
  seconds: number
  starts_at: number
  ends_at: number
  calls_max: number
}

/** The limits of a kind of calls as their current windows; those of the project replace those of the installation. */
export function limitWindows(settings: Settings, project: Project, kind: CallKind, at: number): Window[] {
  if (kind === 'api_calls_cycle')
    return settings.rate_limit_api_calls_cycle === null ? [] : [monthWindow(settings.rate_limit_api_calls_cycle, at)]
  const projectWindows = project.limits?.[kind]?.map(({ value, duration }) => ({
    calls: value,
    seconds: durationSeconds(duration) as number,
  }))
  return onePerLength(projectWindows ?? settings[`rate_limit_${kind}`]).map(({ calls, seconds }) =>
    alignedWindow(kind, seconds, calls, at),
  )
}

/** The current window of a length, aligned to the clock. */
export function alignedWindow(kind: CallKind, seconds: number, callsMax: number, at: number): Window {
  const startsAt = at - (at % (seconds * 1_000))
  return { kind, seconds, starts_at: startsAt, ends_at: startsAt + seconds * 1_000, calls_max: callsMax }
}

function monthWindow(callsMax: number, at: number): Window {
  const today = new Date(at)
  const month = (offset: number) => Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + offset)
  return { kind: 'api_calls_cycle', seconds: 0, starts_at: month(0), ends_at: month(1), calls_max: callsMax }
}

/** Reads how many calls were counted in each window. */
export async function readCalls(
  db: Db,
  projectId: string,
  windows: readonly Window[],
): Promise<(window: Window) => number> {
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
  return ({ kind, seconds, starts_at }) =>
    rows.find((row) => row.kind === kind && row.seconds === seconds && row.starts_at === toInstant(starts_at))?.calls ??
    0
}

/** Of two windows with the same length keeps the smaller limit: the database counts them in one row. */
function onePerLength(windows: readonly CallWindow[]): CallWindow[] {
  const callsOf = new Map<number, number>()
  for (const { calls, seconds } of windows)
    callsOf.set(seconds, Math.min(calls, callsOf.get(seconds) ?? Number.POSITIVE_INFINITY))
  return [...callsOf].map(([seconds, calls]) => ({ calls, seconds }))
}

/** The window with the fewest remaining calls; of several, the one that ends last: it decides when the next call may be made. */
export function tightest(windows: readonly Window[], callsUsed: (window: Window) => number): Window {
  const remaining = (window: Window) => window.calls_max - callsUsed(window)
  const fewest = Math.min(...windows.map(remaining))
  return lastToEnd(windows.filter((window) => remaining(window) === fewest))
}

export const lastToEnd = (windows: readonly Window[]): Window =>
  windows.reduce((a, b) => (b.ends_at > a.ends_at ? b : a))
