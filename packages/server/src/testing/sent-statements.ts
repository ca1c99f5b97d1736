import { AsyncLocalStorage } from 'node:async_hooks'
import { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import { vi } from 'vitest'
import { PgliteStatements } from '../core/db/pglite-statements.ts'

/** Tells what belongs to a call from what happens at the same time: the job queue looks for work every few seconds. */
const inside = new AsyncLocalStorage<true>()

/** Makes a call, and answers what it sent to the database, as it left the process: BEGIN and COMMIT included. */
export async function sentBy<T>(call: () => Promise<T>): Promise<{ answer: T; sent: string[] }> {
  const sent: string[] = []
  const listen = (statement: string | { text: string }) => {
    const text = typeof statement === 'string' ? statement : statement.text
    if (text === 'discard plans') return // now and then, on whichever connection (core/db/prepared-statements.ts)
    if (inside.getStore() === true || !text.includes('pgboss.')) sent.push(text)
  }
  const wires = [
    watch(pg.Client.prototype, 'query', listen),
    watch(PgliteStatements.prototype, 'run', listen),
    watch(PgliteStatements.prototype, 'command', listen),
    watch(PGlite.prototype, 'exec', listen),
  ]
  try {
    return { answer: await inside.run(true, call), sent }
  } finally {
    for (const wire of wires) wire.mockRestore()
  }
}

/** Lets a method do what it does, and hears what it is given first. */
function watch<Name extends string>(
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
