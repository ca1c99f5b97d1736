import type { Ctx } from '../../core/context.ts'
import { type CallKind, limitWindows, readCalls, tightest, type Window } from '../../core/http/call-windows.ts'
import { operation } from '../../core/http/operation.ts'
import { durationText } from '../../core/lib/call-limits.ts'
import { toInstant } from '../../core/lib/instant.ts'
import { Usage, type UsageOfKind } from './schema.ts'

export const usage = [
  operation({
    id: 'getUsage',
    method: 'GET',
    path: '/management/v1/projects/{projectId}/usage',
    summary: 'Get the use of the rate limits',
    description: 'The calls that were counted against each limit of the project in its current window.',
    reply: Usage,
    errors: ['not_found'],
    run: async (ctx) => {
      const windowsOf = (kind: CallKind) => limitWindows(ctx.settings, ctx.project, kind, Date.parse(ctx.now))
      const [calls, bulk, cycle] = [windowsOf('api_calls'), windowsOf('bulk_api_calls'), windowsOf('api_calls_cycle')]
      const callsIn = await callsOf(ctx, [...calls, ...bulk, ...cycle])
      return {
        api_calls: usageOf(calls, callsIn),
        bulk_api_calls: usageOf(bulk, callsIn),
        api_calls_cycle: usageOf(cycle, callsIn),
        object: 'usage' as const,
      }
    },
  }),
]

type CallsIn = (window: Window) => number

const callsOf = async ({ db, project_id }: Ctx, windows: Window[]): Promise<CallsIn> =>
  windows.length === 0 ? () => 0 : readCalls(db, project_id, windows)

function usageOf(windows: Window[], callsIn: CallsIn): UsageOfKind {
  if (windows.length === 0) return { value: null, limit: null, window: null, resets_at: null, windows: [] }
  const view = (window: Window) => ({
    value: callsIn(window),
    limit: window.calls_max,
    window: durationText(window.seconds),
    resets_at: toInstant(window.ends_at),
  })
  return { ...view(tightest(windows, callsIn)), windows: windows.map(view) }
}
