import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { newProject } from '../../testing/app.ts'
import { until } from '../../testing/background.ts'
import { crashProbe } from '../../testing/crash-probe.ts'
import { untilOthersWait } from '../../testing/lock-waits.ts'
import { postgresUrl } from '../../testing/nodes.ts'
import { quick } from '../../testing/process.ts'
import type { Database } from '../db/database.ts'

test('kill -9 during a request leaves nothing behind and releases its key for the retry', async () => {
  const shop = await newProject({ extra: [crashProbe(0)] })
  const { database } = shop.service.runtime
  const categories = async () => (await shop.call('GET', '/v1/categories')).body.data
  const address = await startServer({ sleep_seconds: 170 })
  const body = { name: 'Summer', hierarchy: 0 }
  const headers = { 'idempotency-key': 'k1' }
  const post = () => shop.call('POST', '/v1/crash-probe', body, headers)
  const lost = fetch(`${address.url}/v1/crash-probe`, {
    method: 'POST',
    headers: { ...shop.headers, ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const failure = expect(lost).rejects.toThrow()
  const sleeper = await insideTransaction(database)
  address.kill()
  await failure
  expect(await categories()).toEqual([])

  // The database still runs the sleep of the dead process. The retry waits for its end, and then does the work itself.
  const retrying = post()
  await untilOthersWait(database, sleeper)
  const { rows } = await sql`select pg_terminate_backend(${sleeper}::int)`.execute(database.db)
  expect(rows).toHaveLength(1)
  const retry = await retrying
  expect(retry).toMatchObject({ status: 200, body: { name: 'Summer' } })
  expect(retry.headers['idempotency-replayed']).toBeUndefined()
  expect(await categories()).toEqual([retry.body])
  expect(await post()).toMatchObject({
    status: 200,
    headers: { 'idempotency-replayed': 'true' },
    body: retry.body,
  })
})

/** A server in a separate process. */
async function startServer({ sleep_seconds }: { sleep_seconds: number }): Promise<{ url: string; kill(): void }> {
  const script = fileURLToPath(new URL('../../testing/crash-server.ts', import.meta.url))
  const child = spawn(process.execPath, [...quick.args, script, postgresUrl(), String(sleep_seconds)], {
    env: { ...process.env, ...quick.env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const { value: url } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next()
  return { url: url as string, kill: () => void child.kill('SIGKILL') }
}

/** Waits until the probe of the other process has written its category and sleeps, and returns the pid of its backend. */
async function insideTransaction({ db }: Database): Promise<number> {
  return until(async () => {
    const { rows } = await sql<{ pid: number }>`
      select pid from pg_stat_activity where wait_event = 'PgSleep' and query like '%crash probe%'`.execute(db)
    return rows[0]?.pid
  })
}
