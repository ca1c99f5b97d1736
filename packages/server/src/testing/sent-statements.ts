import { AsyncLocalStorage } from 'node:async_hooks'
import { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import { vi } from 'vitest'
import { PgliteStatements } from '../core/db/pglite-statements.ts'

/** Distinguishes the statements of a call from concurrent ones: the job queue polls every few seconds. */
const isInsideCall = new AsyncLocalStorage<true>()

/** Sent occasionally on any connection (core/db/postgres.ts, connect.ts, connection-watch.ts). */
const ofConnections = new Set(['discard plans', 'select 1', 'select pg_backend_pid() as pid'])

/**
 * Makes a call and returns the statements that it sent to the database, including BEGIN and COMMIT. The call gets the list too, to wait
 * for a statement.
 */
export async function statementsSentBy<T>(
  call: (sent: readonly string[]) => Promise<T>,
): Promise<{ answer: T; sent: string[] }> {
  const sent: string[] = []
  const listen = (statement: string | { text: string }) => {
    const text = typeof statement === 'string' ? statement : statement.text
    if (ofConnections.has(text)) return
    if (isInsideCall.getStore() === true || !text.includes('pgboss.')) sent.push(text)
  }
  const spies = [
    spyOn(pg.Client.prototype, 'query', listen),
    spyOn(PgliteStatements.prototype, 'run', listen),
    spyOn(PgliteStatements.prototype, 'command', listen),
    spyOn(PGlite.prototype, 'exec', listen),
  ]
  try {
    return { answer: await isInsideCall.run(true, call, sent), sent }
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}

/** Spies on a method: passes its first argument to `listen`, then calls the original. */
function spyOn<Name extends string>(
  // biome-ignore lint/suspicious/noExplicitAny: both drivers have overloads that say nothing here
  prototype: { [method in Name]: any },
  name: Name,
  listen: (statement: string | { text: string }) => void,
) {
  const original = prototype[name]
  return vi.spyOn(prototype as Record<string, () => unknown>, name).mockImplementation(function (
    this: unknown,
    ...args: unknown[]
  ) {
    listen(args[0] as string | { text: string })
    return original.apply(this, args)
  })
}
