import pg from 'pg'
import { expect, onTestFinished, test, vi } from 'vitest'
import { databaseKind } from '../../testing/database.ts'
import { ownDatabase } from '../../testing/nodes.ts'
import { PgliteStatements } from './pglite-statements.ts'
import { discardPlans, PlanLifetime } from './plan-lifetime.ts'
import { preparedStatement } from './prepared-statements.ts'
import { inTransaction } from './transaction.ts'

const ask = preparedStatement<{ n: number }>('select $1::int as n')

const realNow = performance.now.bind(performance)

/** Moves the clock that measures the lifetime. */
function movedBy(milliseconds: number): void {
  const spy = vi.spyOn(performance, 'now').mockImplementation(() => realNow() + milliseconds)
  onTestFinished(() => spy.mockRestore())
}

test('plans are old after ten seconds, once', () => {
  const plans = new PlanLifetime()
  expect(plans.areOld()).toBe(false)
  movedBy(10_001)
  expect([plans.areOld(), plans.areOld()]).toEqual([true, false])
})

test('a connection discards its plans before the first statement after ten seconds, in a transaction or not', async () => {
  // Earlier files may have used up the prepared statements of the shared one.
  const { db } = (await ownDatabase()).database
  for (let time = 1; time <= 6; time += 1) await ask(db, [time]) // so that the embedded database prepares it too
  const command =
    databaseKind() === 'postgres'
      ? vi.spyOn(pg.Client.prototype, 'query')
      : vi.spyOn(PgliteStatements.prototype, 'command')
  onTestFinished(() => command.mockRestore())
  const discards = () =>
    command.mock.calls.filter(([sent]) => ((sent as { text?: unknown }).text ?? sent) === discardPlans).length
  const runs = [() => ask(db, [7]), () => inTransaction(db, (trx) => ask(trx, [7]))]
  for (const [index, run] of runs.entries()) {
    const before = discards()
    movedBy((index + 1) * 20_000)
    expect(await run()).toEqual([{ n: 7 }])
    expect(discards()).toBeGreaterThan(before)
  }
})
