// @embedded: jobs share its one connection with requests
import { once } from 'node:events'
import { expect, onTestFinished, test, vi } from 'vitest'
import { until, untilRetried } from '../../testing/background.ts'
import { databaseKind } from '../../testing/database.ts'
import { ownDatabase } from '../../testing/nodes.ts'
import type { Database } from '../db/database.ts'
import { inTransaction } from '../db/transaction.ts'
import { newId } from '../lib/ids.ts'
import { jobIdOf } from './async-action.ts'
import { type Jobs, openJobs } from './jobs.ts'
import { type QueueName, queues } from './queues.ts'

const { database } = await ownDatabase()

/** Sends a job, identified by its `project_id`, as a request would. */
async function sendIn(
  jobs: Jobs,
  projectId: string,
  { lane = projectId, start_after }: { lane?: string; start_after?: string } = {},
) {
  const afterCommit: Array<() => void> = []
  const actionId = newId('async_action')
  await inTransaction(database.db, (db) =>
    jobs.send(
      { db, afterCommit: (work) => afterCommit.push(work) },
      'async-actions',
      { project_id: projectId, action_id: actionId },
      { id: jobIdOf(actionId), lane, ...(start_after === undefined ? {} : { start_after }) },
    ),
  )
  for (const work of afterCommit) work()
}

async function withJobs(test: (jobs: Jobs, problems: unknown[]) => Promise<void>): Promise<void> {
  const problems: unknown[] = []
  const jobs = await openJobs(database, (problem) => problems.push(problem))
  try {
    await test(jobs, problems)
  } finally {
    await jobs.close({ graceful_seconds: 1 })
    await database.execute(`delete from pgboss.job where name = 'async-actions'`)
  }
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

test('a job of a transaction that rolls back never runs; a committed job runs once', () =>
  withJobs(async (jobs) => {
    const ran: string[] = []
    await jobs.work('async-actions', async ({ project_id }) => void ran.push(project_id))
    const undone = inTransaction(database.db, async (db) => {
      const data = { project_id: 'undone', action_id: 'aa_0' } as const
      await jobs.send({ db, afterCommit: () => {} }, 'async-actions', data, { lane: 'a' })
      throw new Error('no')
    })
    await expect(undone).rejects.toThrow('no')
    await sendIn(jobs, 'committed')
    const stored = async () =>
      (await database.execute(`select data ->> 'project_id' as name, state::text from pgboss.job`)).rows
    await until(async () => (JSON.stringify(await stored()).includes('completed') ? true : undefined))
    // No job is left that a later poll could find.
    expect(await stored()).toEqual([{ name: 'committed', state: 'completed' }])
    expect(ran).toEqual(['committed'])
  }))

/** The database, and the number of polls for a job that its workers have started and finished. */
function watchedDatabase() {
  const looks = { begun: 0, ended: 0 }
  const execute: Database['execute'] = async (text, values) => {
    if (!/skip locked/i.test(text)) return database.execute(text, values)
    looks.begun += 1
    return database.execute(text, values).finally(() => {
      looks.ended += 1
    })
  }
  return { looks, watched: { ...database, execute } satisfies Database }
}

/** Opens jobs and waits until every worker has polled once, so that only a tick or a call wakes one. */
async function openIdle({ ticks }: { ticks: boolean }): Promise<{ jobs: Jobs; ran: string[] }> {
  const { looks, watched } = watchedDatabase()
  const execute: Database['execute'] = async (text, values) =>
    !ticks && text.includes('cross join lateral') ? { rows: [] } : watched.execute(text, values)
  const jobs = await openJobs({ ...watched, execute })
  const ran: string[] = []
  await jobs.work('async-actions', async ({ project_id }) => void ran.push(project_id))
  await until(() => (looks.ended >= queues['async-actions'].concurrency[databaseKind()] ? true : undefined))
  return { jobs, ran }
}

test('a job sent by this process starts after the commit, without waiting for a tick', async () => {
  const { jobs, ran } = await openIdle({ ticks: false })
  for (const name of ['one', 'two', 'three']) {
    await sendIn(jobs, name)
    await until(() => (ran.includes(name) ? true : undefined))
  }
  await jobs.close()
})

test('a job sent by another process starts with the next tick', async () => {
  const { jobs, ran } = await openIdle({ ticks: true })
  const other = await openJobs(database)
  await sendIn(other, 'from elsewhere')
  await until(() => (ran.length > 0 ? true : undefined))
  await other.close()
  await jobs.close()
})

test('send uses only the connection of its transaction, also if the queues are new', async () => {
  await database.execute('drop schema if exists pgboss cascade')
  let isSealed = false
  const sealable: Database = {
    ...database,
    execute: (text, values) =>
      isSealed ? Promise.reject(new Error(`outside of the transaction: ${text}`)) : database.execute(text, values),
  }
  const jobs = await openJobs(sealable)
  try {
    const sent = inTransaction(database.db, async (db) => {
      isSealed = true
      const writing = { db, afterCommit: () => {} }
      for (const queue of Object.keys(queues) as QueueName[])
        expect(await jobs.send(writing, queue, { project_id: 'p', action_id: 'aa_0' } as never, { lane: 'a' })).toBe(
          true,
        )
      throw new Error('all sent')
    }).finally(() => {
      isSealed = false
    })
    await expect(sent).rejects.toThrow('all sent')
  } finally {
    await jobs.close()
  }
})

test('jobs with the same key run in order of arrival, one at a time; different keys run concurrently up to the limit', () =>
  withJobs(async (jobs) => {
    const lanes = ['a', 'b', 'c', 'd', 'e', 'f']
    for (const lane of lanes) for (const turn of [1, 2, 3]) await sendIn(jobs, `${lane}${turn}`, { lane })
    const active: string[] = []
    const done: string[] = []
    const overlaps: string[] = []
    let sideBySideMax = 0
    const concurrency = queues['async-actions'].concurrency[databaseKind()]
    const full = Promise.withResolvers<void>()
    await jobs.work('async-actions', async ({ project_id }) => {
      overlaps.push(...active.filter(([lane]) => lane === project_id[0]))
      active.push(project_id)
      sideBySideMax = Math.max(sideBySideMax, active.length)
      if (active.length >= concurrency) full.resolve()
      await full.promise
      await pause(40) // time for a job beyond the limit to start
      active.splice(active.indexOf(project_id), 1)
      done.push(project_id)
    })
    await until(() => (done.length === 18 ? true : undefined))
    expect(overlaps).toEqual([])
    expect(sideBySideMax).toBe(concurrency)
    for (const lane of lanes)
      expect(done.filter((name) => name.startsWith(lane))).toEqual([`${lane}1`, `${lane}2`, `${lane}3`])
  }))

test('a job that throws is reported, counted and retried before later jobs with the same key', () =>
  withJobs(async (jobs, problems) => {
    const tries: string[] = []
    await jobs.work('async-actions', async ({ project_id }, { retries }) => {
      tries.push(`${project_id} ${retries}`)
      if (project_id === 'first' && retries === 0) throw new Error('the database is away')
    })
    await sendIn(jobs, 'first', { lane: 'a' })
    await sendIn(jobs, 'second', { lane: 'a' })
    await untilRetried({ database, jobs }, () => (tries.length === 3 ? true : undefined))
    expect(tries).toEqual(['first 0', 'first 1', 'second 0'])
    expect(problems).toEqual([new Error('the database is away')])
    expect(jobs.failures()).toEqual({ 'async-actions': 1 })
  }))

test('a job can return to the queue and is continued at once', () =>
  withJobs(async (jobs) => {
    const tries: number[] = []
    await jobs.work('async-actions', async (_, { retries }) => {
      tries.push(retries)
      return retries < 3 ? 'again' : undefined
    })
    await sendIn(jobs, 'p')
    await until(async () => {
      const { rows } = await database.execute(`select from pgboss.job where state = 'completed'`)
      return rows.length > 0 ? true : undefined // no job is left
    })
    expect(tries).toEqual([0, 1, 2, 3])
  }))

test('a job with start_after waits for its start time', () =>
  withJobs(async (jobs) => {
    const ran: string[] = []
    await jobs.work('async-actions', async ({ project_id }) => void ran.push(project_id))
    const startAfter = new Date(Date.now() + 3_600_000).toISOString()
    await sendIn(jobs, 'later', { start_after: startAfter })
    await sendIn(jobs, 'now')
    await until(() => (ran.length > 0 ? true : undefined))
    await sendIn(jobs, 'after') // the worker that fetches this job has seen the later one too
    await until(() => (ran.length > 1 ? true : undefined))
    expect(ran).toEqual(['now', 'after'])
    const { rows } = await database.execute(
      `update pgboss.job set start_after = now() where start_after = $1 returning data ->> 'project_id' as name`,
      [startAfter],
    )
    expect(rows).toEqual([{ name: 'later' }]) // now it is due
    jobs.wake('async-actions')
    await until(() => (ran.length === 3 ? true : undefined))
  }))

test('closing waits for the running job, starts no other, and returns unfinished jobs to the queue', async () => {
  const { looks, watched } = watchedDatabase()
  const jobs = await openJobs(watched)
  const log: string[] = []
  await jobs.work('async-actions', async ({ project_id }, { signal }) => {
    log.push(`${project_id} started`)
    await (project_id === 'quick' ? once(signal, 'abort') : new Promise(() => {}))
    // A poll that began before the close may still fetch a job: it must not find the next one with the same key.
    await pause(20)
    await until(() => (looks.begun === looks.ended ? true : undefined))
    log.push(`${project_id} done, ${signal.aborted ? 'closing' : 'open'}`)
  })
  await sendIn(jobs, 'quick')
  await sendIn(jobs, 'endless')
  await sendIn(jobs, 'next', { lane: 'quick' })
  await until(() => (log.length === 2 ? true : undefined))
  const stored = async () =>
    (
      await database.execute(`
    select data ->> 'project_id' as name, state::text from pgboss.job where name = 'async-actions' order by created_on, id`)
    ).rows
  const gracefulSeconds = 4_321
  const pass = vi.spyOn(globalThis, 'setTimeout')
  onTestFinished(() => pass.mockRestore())
  const closed = jobs.close({ graceful_seconds: gracefulSeconds })
  await until(async () => (JSON.stringify(await stored()).includes('completed') ? true : undefined))
  expect(log.slice(2)).toEqual(['quick done, closing'])
  // After the timeout, unfinished jobs are returned to the queue.
  const deadline = pass.mock.calls.find(([, milliseconds]) => milliseconds === gracefulSeconds * 1_000)
  deadline?.[0]()
  await closed

  expect(await stored()).toEqual([
    { name: 'quick', state: 'completed' },
    { name: 'endless', state: 'retry' },
    { name: 'next', state: 'created' },
  ])
  await database.execute(`delete from pgboss.job`)
})

test('counts returns queued, active and failed jobs, and for how long the oldest due one waits', () =>
  withJobs(async (jobs) => {
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    let isRunning = false
    await jobs.work('async-actions', async () => {
      isRunning = true
      await released
    })
    await sendIn(jobs, 'one', { lane: 'a' })
    await sendIn(jobs, 'two', { lane: 'a' })
    await sendIn(jobs, 'three', { lane: 'a' })
    await until(() => isRunning || undefined)
    await database.execute(`insert into pgboss.job (name, state, policy) values ('maintenance', 'failed', 'exclusive')`)
    await database.execute(
      `update pgboss.job set start_after = now() - interval '90 seconds' where data ->> 'project_id' = 'two'`,
    )
    const counts = await jobs.counts()
    expect(counts.map(({ queue }) => queue)).toEqual(Object.keys(queues).toSorted())
    expect(counts).toContainEqual({
      queue: 'async-actions',
      queued: 2,
      active: 1,
      failed: 0,
      lag_seconds: expect.any(Number),
    })
    const [{ lag_seconds: lagSeconds } = { lag_seconds: 0 }] = counts
    expect(lagSeconds).toBeGreaterThanOrEqual(90)
    expect(counts).toContainEqual({ queue: 'maintenance', queued: 0, active: 0, failed: 1, lag_seconds: 0 })
    release()
  }))

test('reopening updates the options of a queue as declared, and schedules once', async () => {
  await database.execute(
    `update pgboss.queue set retry_delay = 99, heartbeat_seconds = 77 where name = 'async-actions'`,
  )
  for (let opened = 0; opened < 2; opened += 1) {
    const jobs = await openJobs(database)
    await jobs.schedule('maintenance', '*/10 * * * *')
    await jobs.close()
  }
  const { rows } = await database.execute(`
    select retry_delay, heartbeat_seconds, (select count(*)::int from pgboss.schedule) as schedules
    from pgboss.queue where name = 'async-actions'`)
  expect(rows).toEqual([{ retry_delay: 1, heartbeat_seconds: databaseKind() === 'postgres' ? 30 : null, schedules: 1 }])
})

test.runIf(databaseKind() === 'pglite')(
  'on PGlite, a job of a dead process is continued as soon as the next process starts',
  () =>
    withJobs(async (jobs) => {
      await sendIn(jobs, 'orphan')
      await database.execute(`update pgboss.job set state = 'active', started_on = now() where name = 'async-actions'`)
      const restarted = await openJobs(database)
      const tries: number[] = []
      await restarted.work('async-actions', async (_, { retries }) => void tries.push(retries))
      await until(() => (tries.length > 0 ? true : undefined))
      expect(tries).toEqual([1])
      await restarted.close()
    }),
)
