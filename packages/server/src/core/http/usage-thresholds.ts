import type { Project } from '../db/project-row.ts'
import { alignedWindow, type CallKind, type Window } from './call-windows.ts'

/** When a project is told that it has used most of a limit (docs/reference/notifications.md#usage-thresholds). */
export interface Threshold {
  /** The setting in `api_usage_notifications`. */
  setting: 'api_calls' | 'bulk_api_calls' | 'cycle_calls'
  window: Window
  /** It is reached by this many calls in the window. */
  calls: number
  /** The calls that the limit allows in the window. */
  limit: number
  /** Percent of the limit. */
  value: number
}

const hourSeconds = 3_600
const settingOf = { api_calls: 'api_calls', bulk_api_calls: 'bulk_api_calls', api_calls_cycle: 'cycle_calls' } as const

/**
 * The thresholds of those limits that the project wants to hear of. Limits of an hour or less are compared with the calls of the
 * hour, and the tightest counts. If none of them is a limit of an hour, the window of that threshold is a new one without a limit,
 * in which the caller counts too. A longer limit is compared in its own window.
 */
export function thresholdsOf(project: Project, windows: readonly Window[], at: number): Threshold[] {
  return (['api_calls', 'bulk_api_calls', 'api_calls_cycle'] as const).flatMap((kind) => {
    const setting = settingOf[kind]
    const { enabled = false, in_app = false, emails = [], value = 0 } = project.api_usage_notifications[setting] ?? {}
    if (!enabled || (!in_app && emails.length === 0)) return []
    return limitsIn(kind, windows, at).map(({ window, calls_max, per_seconds, in_seconds }) => ({
      setting,
      window,
      value,
      limit: Number((BigInt(calls_max) * BigInt(in_seconds)) / BigInt(per_seconds)),
      // Exact: as a floating-point number, 100 × 0.55 is more than 55.
      calls: Number(dividedUp(BigInt(calls_max) * BigInt(in_seconds) * BigInt(value), BigInt(per_seconds) * 100n)),
    }))
  })
}

/** A limit of `calls_max` per `per_seconds`, of which the calls in a window of `in_seconds` are compared. */
interface ScaledLimit {
  window: Window
  calls_max: number
  per_seconds: number
  in_seconds: number
}

function limitsIn(kind: CallKind, windows: readonly Window[], at: number): ScaledLimit[] {
  const ofKind = windows.filter((window) => window.kind === kind)
  const [long, short] = [ofKind.filter(isLong), ofKind.filter((window) => !isLong(window))]
  const unscaled = long.map((window) => ({ window, calls_max: window.calls_max, per_seconds: 1, in_seconds: 1 }))
  const tightest = short.reduce<Window | null>(
    (least, each) => (least && rate(least) <= rate(each) ? least : each),
    null,
  )
  if (tightest === null) return unscaled
  const hour =
    short.find(({ seconds }) => seconds === hourSeconds) ??
    alignedWindow(kind, hourSeconds, Number.MAX_SAFE_INTEGER, at)
  return [
    { window: hour, calls_max: tightest.calls_max, per_seconds: tightest.seconds, in_seconds: hourSeconds },
    ...unscaled,
  ]
}

/** A calendar month has no length in seconds. */
const isLong = ({ seconds }: Window): boolean => seconds === 0 || seconds > hourSeconds

const rate = ({ calls_max, seconds }: Window): number => calls_max / seconds

const dividedUp = (a: bigint, b: bigint): bigint => (a + b - 1n) / b
