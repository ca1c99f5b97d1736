import { expect, test } from 'vitest'
import { migrate } from '../../core/db/migrate.ts'
import { send } from '../../testing/app.ts'
import { openNode, ownDatabase } from '../../testing/nodes.ts'
import { pastReleases, recordingOf, restoreRelease } from '../../testing/past-releases.ts'
import { plainOwed } from '../../testing/plain-statistics.ts'
import { addUpAllOf } from '../../testing/statistics.ts'

test('what is owed leaves out cards that a past release has put into the bin, or that its nodes delete after the migration', async () => {
  const release = pastReleases[0] as string
  const { database } = await ownDatabase({ migrated: false })
  await restoreRelease(database, release)
  const run = async (text: string) => (await database.execute(text)).rows as Array<{ id: string }>
  const cards = await run(`select v.id from vouchers v where v.deleted_at is null and v.credits_added > 0
    and v.credits_added - coalesce(v.credits_subtracted, 0) - coalesce(v.credits_redeemed, 0) - coalesce(v.credits_expired, 0) > 0
    order by v.type, v.id`)
  expect(cards.length).toBeGreaterThan(3)
  const [binned, binnedLater, erasedLater] = cards.map(({ id }) => `id = '${id}'`)
  const bin = (card: string | undefined) => run(`update vouchers set deleted_at = now() where ${card}`)
  await bin(binned)
  await migrate(database.db, async () => {})
  const { app, recorded_at } = recordingOf(release)
  const node = await openNode(database, { env: { AUTH_MODE: 'either' }, now: () => Date.parse(recorded_at) })
  const [project] = await run('select project_id as id from vouchers limit 1')
  const projectId = project?.id as string
  const owed = async () => {
    const pair = { 'x-app-id': app[0], 'x-app-token': app[1] }
    return (await send(node.app, 'GET', '/v1/statistics/overview', undefined, pair)).body.owed
  }
  await addUpAllOf({ service: node, project_id: projectId })
  expect(await owed()).toEqual(await plainOwed(database.db, projectId))
  await bin(binnedLater)
  expect(await owed()).toEqual(await plainOwed(database.db, projectId))
  await run(`delete from postings where voucher_${erasedLater}`)
  await run(`delete from vouchers where ${erasedLater}`)
  expect(await owed()).toEqual(await plainOwed(database.db, projectId))
})

test('after the migration the planner knows how rare e-mails and positions are', async () => {
  const { database } = await ownDatabase({ migrated: false })
  await restoreRelease(database, pastReleases[0] as string)
  await migrate(database.db, async () => {})
  const { rows } = await database.execute(`
    select tablename::text as name from pg_stats where attname = 'position' and tablename in ('redemptions', 'publications', 'postings', 'orders')
    union all select statistics_name::text from pg_stats_ext_exprs order by 1`)
  expect(rows.map((row) => (row as { name: string }).name)).toEqual([
    'customers_email_frequency',
    'customers_name_frequency',
    'orders',
    'postings',
    'publications',
    'redemptions',
  ])
})
