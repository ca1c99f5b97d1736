import pg from 'pg'
import { expect, onTestFinished } from 'vitest'
import { until } from './background.ts'
import { newPostgresDatabase } from './database.ts'
import { headersFrom, retryWhile503, startGuerdon } from './process.ts'

export interface KilledAction {
  /** Starts the action, the only one of the service. */
  start(address: string, headers: Record<string, string>): Promise<unknown>
  /** The progress in percent that the action must exceed before the service is killed. */
  progress_min?: number
}

// biome-ignore lint/suspicious/noExplicitAny: the record of whatever action it was
type ActionRecord = any

/**
 * Starts an async action on a new service, kills that with -9 in the middle of the action, and lets a second service finish it.
 * Returns the finished action and a database client to check the result with.
 */
export async function runKilledAction({ start, progress_min = 0 }: KilledAction): Promise<{
  action: ActionRecord
  address: string
  headers: Record<string, string>
  client: pg.Client
}> {
  const { url: databaseUrl, drop } = await newPostgresDatabase({ migrated: true })
  onTestFinished(drop)
  const settings = { DATABASE_URL: databaseUrl, LOG_LEVEL: 'silent' }
  const first = await startGuerdon(settings)
  const headers = await headersFrom(first)
  const read = async (address: string): Promise<ActionRecord> => {
    const listed = await retryWhile503(() => fetch(`${address}/v1/async-actions?limit=1`, { headers }))
    const [{ id }] = ((await listed.json()) as { async_actions: [{ id: string }] }).async_actions
    return (await retryWhile503(() => fetch(`${address}/v1/async-actions/${id}`, { headers }))).json()
  }
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  onTestFinished(() => client.end())
  const unblockSteps = await blockStepsAfter(client, progress_min)
  await start(first.address, headers)
  const [stuck] = await until(async () => {
    const { rows } = await client.query<{ pid: number }>(blockedBackends)
    return rows.length > 0 ? rows : undefined
  })
  const { progress } = await read(first.address)
  expect(progress).toBeGreaterThan(progress_min)
  expect(progress).toBeLessThan(100)
  first.kill('SIGKILL')
  await first.ended
  await client.query('select pg_terminate_backend($1)', [stuck?.pid])
  await unblockSteps()

  const second = await startGuerdon(settings)
  // As the supervision does half a minute after the last heartbeat (core/jobs/async-action.process.test.ts).
  await client.query(`update pgboss.job set state = 'retry', start_after = now() where state = 'active'`)
  const action = await until(async () => {
    const record = await read(second.address)
    return record.status === 'DONE' ? record : undefined
  })
  return { action, address: second.address, headers, client }
}

/**
 * Blocks the next step of an action in the middle of its transaction once the progress exceeds a value, with a trigger that
 * waits for an advisory lock. Returns a function that unblocks steps again.
 */
async function blockStepsAfter(client: pg.Client, progress: number): Promise<() => Promise<void>> {
  await client.query(`
    create function stand_still() returns trigger language plpgsql as $$
    begin
      perform pg_advisory_xact_lock(${lockKey});
      return new;
    end $$;
    create trigger stand_still before update on async_actions
    for each row when (old.progress > ${progress}) execute function stand_still()`)
  await client.query(`select pg_advisory_lock(${lockKey})`)
  return async () => {
    await until(async () => ((await client.query(blockedBackends)).rows.length === 0 ? true : undefined))
    await client.query('drop trigger stand_still on async_actions')
    await client.query(`select pg_advisory_unlock(${lockKey})`)
  }
}

const lockKey = 20_260_101
/** In this database: other files wait for the same lock in theirs. */
const blockedBackends = `
  select pid from pg_locks where locktype = 'advisory' and objid = ${lockKey} and not granted
    and database = (select oid from pg_database where datname = current_database())`

/** Uploads a file to an import operation. */
export async function sendFile(
  url: string,
  headers: Record<string, string>,
  name: string,
  lines: readonly string[],
): Promise<void> {
  const form = new FormData()
  form.set('file', new Blob([lines.join('\n')]), name)
  const answer = await retryWhile503(() => fetch(url, { method: 'POST', headers, body: form }))
  expect(answer.status).toBe(202)
}
