import { Instant, Nullable } from '@guerdon/engine/schema'
import { type Static, Type } from 'typebox'

const counted = {
  value: Type.Integer({ minimum: 0, description: 'Calls counted in the current window.' }),
  limit: Type.Integer({ minimum: 1, description: 'Calls that the limit allows in a window.' }),
  window: Type.String({ description: 'Length of the window: an ISO 8601 duration, `P1M` for the calendar month.' }),
  resets_at: { ...Instant, description: 'When the next window begins.' } as typeof Instant,
}

const UsageWindow = Type.Object(counted)

/** The use of one kind of calls; null where there is no limit, since calls without a limit are not counted. */
const UsageOfKind = Type.Object({
  value: Nullable(counted.value),
  limit: Nullable(counted.limit),
  window: Nullable(counted.window),
  resets_at: Nullable(Instant),
  windows: Type.Array(UsageWindow, {
    description: 'All windows of the kind; the fields beside are those of the tightest.',
  }),
})
export type UsageOfKind = Static<typeof UsageOfKind>

export const Usage = Type.Object({
  api_calls: UsageOfKind,
  bulk_api_calls: UsageOfKind,
  api_calls_cycle: UsageOfKind,
  object: Type.Literal('usage'),
})
