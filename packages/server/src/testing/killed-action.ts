import pg from 'pg'
import { expect, inject, onTestFinished } from 'vitest'
import { until } from './background.ts'
import { createDatabase } from './postgres.ts'
import { headersFrom, patiently, startGuerdon } from './process.ts'

export interface KilledAction {
  /** Begins the action, the only one there is. */
  start(address: string, headers: Record<string, string>): Promise<unknown>
  /** How far it has to be, in percent, before it is killed. */
  progress_min?: number
}

// biome-ignore lint/suspicious/noExplicitAny: the record of whatever action it was
type ActionRecord = any

/**
 * Starts an async action on a service of its own, kills that with -9 in the middle of it, and has another one finish it. Answers
 * the finished action, and a client of the database, for the test to look at what became of it.
 */
export async function killedInTheMiddle({ start, progress_min = 0 }: KilledAction): Promise<{
  action: ActionRecord
  address: string
  headers: Record<string, string>
  client: pg.Client
}> {
  const given = inject('database')
  if (given.kind !== 'postgres') throw new Error('runs on PostgreSQL only')
  const { url: Databaseurl, drop } = await createDatabase(given.url)
  onTestFinished(drop)
  const settings = { DATABASE_URL: Databaseurl, LOG_LEVEL: 'silent' }
  const first = await startGuerdon(settings)
  const headers = await headersFrom(first)
  const read = async (address: string): Promise<ActionRecord> => {
    const listed = await patiently(() => fetch(`${address}/v1/async-actions?limit=1`, { headers }))
    const [{ id }] = ((await listed.json()) as { async_actions: [{ id: string }] }).async_actions
    return (await patiently(() => fetch(`${address}/v1/async-actions/${id}`, { headers }))).json()
  }
  const client = new pg.Client({ connectionString: Databaseurl })
  await client.connect()
  onTestFinished(() => client.end())
  const goOn = await standStillAfter(client, progress_min)
  await start(first.address, headers)
  const [stuck] = await until(async () => {
    const { rows } = await client.query<{ pid: number }>(standingStill)
    return rows.length > 0 ? rows : undefined
  })
  const { progress } = await read(first.address)
  expect(progress).toBeGreaterThan(progress_min)
  expect(progress).toBeLessThan(100)
  first.kill('SIGKILL')
  await first.ended
  await client.query('select pg_terminate_backend($1)', [stuck?.pid])
  await goOn()

  const second = await startGuerdon(settings)
  // As the supervision does, half a minute after the last sign of life (core/jobs/async-action.race.test.ts).
  await client.query(`update pgboss.job set state = 'retry', start_after = now() where state = 'active'`)
  const action = await until(async () => {
    const record = await read(second.address)
    return record.status === 'DONE' ? record : undefined
  })
  return { action, address: second.address, headers, client }
}

/**
 * Has the step of an action wait in the middle of its transaction as soon as the steps before it have come further than that,
 * however fast they are; answers what lets steps go on again.
 */
async function standStillAfter(client: pg.Client, progress: number): Promise<() => Promise<void>> {
  await client.query(`
    create function stand_still() returns trigger language plpgsql as $$
    begin
      perform pg_advisory_xact_lock(${stillKey});
      return new;
    end $$;
    create trigger stand_still before update on async_actions
    for each row when (old.progress > ${progress}) execute function stand_still()`)
  await client.query(`select pg_advisory_lock(${stillKey})`)
  return async () => {
    await until(async () => ((await client.query(standingStill)).rows.length === 0 ? true : undefined))
    await client.query('drop trigger stand_still on async_actions')
    await client.query(`select pg_advisory_unlock(${stillKey})`)
  }
}

const stillKey = 20_260_101
const standingStill = `
  select pid from pg_locks where locktype = 'advisory' and objid = ${stillKey} and not granted`

/** Sends a file to an import. */
export async function sendFile(
  url: string,
  headers: Record<string, string>,
  name: string,
  lines: readonly string[],
): Promise<void> {
  const form = new FormData()
  form.set('file', new Blob([lines.join('\n')]), name)
  const answer = await patiently(() => fetch(url, { method: 'POST', headers, body: form }))
  expect(answer.status).toBe(202)
}
