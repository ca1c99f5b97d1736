import type { WatchedConnection } from './connection-watch.ts'
import { discardPlans } from './plan-lifetime.ts'
import { type PreparedStatement, runPooled, runPrepared, type StatementResult } from './prepared-query.ts'

/** What the connections of a pool can rely on. */
export interface ServerSessions {
  /** Whether a transaction pooler is in between: each transaction may run on another server connection, so that nothing is kept in a session. */
  is_pooled: boolean
  /** Whether statements are prepared under names. */
  prepares: boolean
}

/** Runs a statement that has a name. */
type RunNamed = (connection: WatchedConnection, statement: PreparedStatement) => Promise<StatementResult>

export function namedRunner({ is_pooled, prepares }: ServerSessions): RunNamed {
  if (!prepares) return ({ client }, { text, values }) => client.query({ text, values: values as unknown[] })
  // The plans of a server connection are not ours to discard: it serves other clients, and would be asked once for each of them.
  if (is_pooled) return ({ client }, statement) => runPooled(client, statement)
  return ({ client, plans }, statement) =>
    plans.areOld()
      ? client.query({ text: discardPlans }).then(() => runPrepared(client, statement))
      : runPrepared(client, statement)
}
