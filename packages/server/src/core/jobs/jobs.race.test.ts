import { expect, test } from 'vitest'
import { until } from '../../testing/background.ts'
import { patientWaits } from '../../testing/connection-wait.ts'
import { newPostgresDatabase } from '../../testing/database.ts'
import { pooled } from '../../testing/pooler.ts'
import { connectPostgres } from '../db/connect.ts'
import { inTransaction } from '../db/transaction.ts'
import { openJobs } from './jobs.ts'
import { queues } from './queues.ts'

const connect = (connectionString: string, connectionsMax: number) =>
  connectPostgres({
    ...pooled(connectionString),
    connections_max: connectionsMax,
    ...patientWaits,
  })

test('ten nodes open the job queue of an empty database at once, and share the jobs', async () => {
  const { url, drop } = await newPostgresDatabase()
  const nodes = Array.from({ length: 10 }, () => connect(url, 3))
  const problems: unknown[] = []
  const opened = await Promise.all(nodes.map((database) => openJobs(database, (problem) => problems.push(problem))))
  try {
    const [database] = nodes as [(typeof nodes)[0]]
    const [jobs] = opened as [(typeof opened)[0]]
    expect((await jobs.counts()).map(({ queue }) => queue)).toEqual(Object.keys(queues).toSorted())

    const ran: string[] = []
    const shares = new Map<number, number>()
    for (const [node, { work }] of opened.entries())
      await work('async-actions', async ({ project_id }) => {
        ran.push(project_id)
        shares.set(node, (shares.get(node) ?? 0) + 1)
        await new Promise((resolve) => setTimeout(resolve, 30))
      })
    const names = Array.from({ length: 200 }, (_, index) => `job ${index}`)
    await inTransaction(database.db, async (db) => {
      for (const name of names)
        await jobs.send(
          { db, afterCommit: () => {} },
          'async-actions',
          { project_id: name, action_id: 'aa_0' },
          { lane: name },
        )
    })
    await until(() => (ran.length >= names.length ? true : undefined))
    await until(async () => {
      const counts = await jobs.counts()
      return counts.every(({ queued, active }) => queued + active === 0) ? true : undefined // no job is left that could run twice
    })
    expect(ran.toSorted()).toEqual(names.toSorted()) // each once
    expect(shares.size).toBeGreaterThan(1)
    expect(problems).toEqual([])
  } finally {
    await Promise.all(opened.map((jobs) => jobs.close()))
    await Promise.all(nodes.map((database) => database.close()))
    await drop()
  }
})

/*
 * pg-boss creates its schema under a lock, but a session that has checked for the schema before it waits for the lock may still
 * believe that there is none, and fail.
 */
test('of ten nodes that start at once, one creates the tables of the queue and nine find them', async () => {
  const { url, drop } = await newPostgresDatabase()
  let creations = 0
  const nodes = Array.from({ length: 10 }, () => connect(url, 1))
  const watched = nodes.map((database) => ({
    ...database,
    execute(text: string, values?: unknown[]) {
      if (text.includes('CREATE SCHEMA')) creations += 1
      return database.execute(text, values)
    },
  }))
  const opened = await Promise.all(watched.map((database) => openJobs(database)))
  await Promise.all(opened.map((jobs) => jobs.close()))
  await Promise.all(nodes.map((database) => database.close()))
  await drop()
  expect(creations).toBe(1)
})
