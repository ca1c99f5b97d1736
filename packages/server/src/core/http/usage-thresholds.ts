import type { Project } from '../db/project-row.ts'
import { alignedWindow, type CallKind, type HourKind, type Window } from './call-windows.ts'

/** When a project is told that it has used most of a limit (docs/reference/notifications.md#usage-thresholds). */
export interface Threshold {
  /** The setting in `api_usage_notifications`. */
  setting: 'api_calls' | 'bulk_api_calls' | 'cycle_calls'
  /** In which calls are counted. */
  window: CountedWindow
  /** It is reached by this many calls in the window. */
  calls: number
  /** The limit as it is set, whose own window may be shorter. */
  limit: Window
  /** The calls that the limit allows in the window. */
  calls_allowed: number
  /** Percent of the limit. */
  value: number
}

export type CountedWindow = Window<CallKind | HourKind>

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
    return limitsIn(kind, windows, at).map(({ window, limit }) => {
      const callsMax = BigInt(limit.calls_max)
      // A window of the same length needs no scaling, and a calendar month has no length in seconds.
      const [inSeconds, perSeconds] =
        window.seconds === limit.seconds ? [1n, 1n] : [BigInt(window.seconds), BigInt(limit.seconds)]
      return {
        setting,
        window,
        value,
        limit,
        calls_allowed: Number((callsMax * inSeconds) / perSeconds),
        // Exact: as a floating-point number, 100 × 0.55 is more than 55.
        calls: Number(dividedUp(callsMax * inSeconds * BigInt(value), perSeconds * 100n)),
      }
    })
  })
}

/** A limit, and the window in which calls are compared with it. */
type ComparedLimit = Pick<Threshold, 'window' | 'limit'>

function limitsIn(kind: CallKind, windows: readonly Window[], at: number): ComparedLimit[] {
  const ofKind = windows.filter((window) => window.kind === kind)
  const [long, short] = [ofKind.filter(isLong), ofKind.filter((window) => !isLong(window))]
  const unscaled = long.map((window) => ({ window, limit: window }))
  const tightest = short.reduce<Window | null>(
    (least, each) => (least && rate(least) <= rate(each) ? least : each),
    null,
  )
  if (tightest === null) return unscaled
  const hour =
    short.find(({ seconds }) => seconds === hourSeconds) ??
    alignedWindow(`${kind as 'api_calls' | 'bulk_api_calls'}_hour` as const, hourSeconds, Number.MAX_SAFE_INTEGER, at)
  return [{ window: hour, limit: tightest }, ...unscaled]
}

/** A calendar month has no length in seconds. */
const isLong = ({ seconds }: Window): boolean => seconds === 0 || seconds > hourSeconds

const rate = ({ calls_max, seconds }: Window): number => calls_max / seconds

const dividedUp = (a: bigint, b: bigint): bigint => (a + b - 1n) / b
