import pg from 'pg'
import { expect, inject, onTestFinished } from 'vitest'
import { until } from './background.ts'
import { createDatabase } from './postgres.ts'
import { headersFrom, startGuerdon } from './process.ts'

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
  const { url: DATABASE_URL, drop } = await createDatabase(given.url)
  onTestFinished(drop)
  const settings = { DATABASE_URL, LOG_LEVEL: 'silent' }
  const first = await startGuerdon(settings)
  const headers = await headersFrom(first)
  const read = async (address: string): Promise<ActionRecord> => {
    const listed = await fetch(`${address}/v1/async-actions?limit=1`, { headers })
    const [{ id }] = ((await listed.json()) as { async_actions: [{ id: string }] }).async_actions
    return (await fetch(`${address}/v1/async-actions/${id}`, { headers })).json()
  }
  await start(first.address, headers)
  const { progress } = await until(async () => {
    const action = await read(first.address)
    return action.progress > progress_min ? action : undefined
  }, 30)
  first.kill('SIGKILL')
  await first.ended
  expect(progress).toBeLessThan(100)

  const second = await startGuerdon(settings)
  const client = new pg.Client({ connectionString: DATABASE_URL })
  await client.connect()
  onTestFinished(() => client.end())
  // As the supervision does, half a minute after the last sign of life (core/jobs/async-action.race.test.ts).
  await client.query(`update pgboss.job set state = 'retry', start_after = now() where state = 'active'`)
  const action = await until(async () => {
    const record = await read(second.address)
    return record.status === 'DONE' ? record : undefined
  }, 60)
  return { action, address: second.address, headers, client }
}

/** Sends a file to an import. */
export async function sendFile(
  url: string,
  headers: Record<string, string>,
  name: string,
  lines: readonly string[],
): Promise<void> {
  const form = new FormData()
  form.set('file', new Blob([lines.join('\n')]), name)
  const answer = await fetch(url, { method: 'POST', headers, body: form })
  expect(answer.status).toBe(202)
}
