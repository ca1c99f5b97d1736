import { expect, test } from 'vitest'
import { newProject } from '../../testing/app.ts'
import { testDatabase } from '../../testing/database.ts'
import { untilRequestWaits } from '../../testing/lock-waits.ts'
import { isChanging, nextConfigurationVersion, recordDeletion } from './configuration.ts'
import { inTransaction } from './transaction.ts'

test('versions start at one and increase by one, per project', async () => {
  const { db } = await testDatabase()
  const [shop, other] = [await newProject(), await newProject()]
  expect(await nextConfigurationVersion(db, shop.project_id)).toBe(1)
  expect(await nextConfigurationVersion(db, shop.project_id)).toBe(2)
  expect(await nextConfigurationVersion(db, other.project_id)).toBe(1)
})

test('a transaction with configuration changes is marked; a statement outside a transaction marks nothing', async () => {
  const { db } = await testDatabase()
  const { project_id } = await newProject()
  await inTransaction(db, async (trx) => {
    expect(isChanging(trx)).toBe(false)
    await nextConfigurationVersion(trx, project_id)
    expect(isChanging(trx)).toBe(true)
  })
  await nextConfigurationVersion(db, project_id)
  expect(isChanging(db)).toBe(false)
})

test('20 concurrent changes get 20 versions', async () => {
  const { db } = await testDatabase()
  const { project_id } = await newProject()
  const change = () => inTransaction(db, (trx) => nextConfigurationVersion(trx, project_id))
  const versions = await Promise.all(Array.from({ length: 20 }, change))
  expect(versions.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1))
})

test('a second change waits for the first to commit, so versions are committed in order', async () => {
  const database = await testDatabase()
  const { db } = database
  const { project_id } = await newProject()
  const story: string[] = []
  let second: Promise<unknown> = Promise.resolve()
  await inTransaction(db, async (trx) => {
    story.push(`first has ${await nextConfigurationVersion(trx, project_id)}`)
    second = inTransaction(db, async (other) => {
      story.push(`second has ${await nextConfigurationVersion(other, project_id)}`)
    })
    await untilRequestWaits(database, trx)
    story.push('first commits')
  })
  await second
  expect(story).toEqual(['first has 1', 'first commits', 'second has 2'])
})

test('a change that is rolled back releases its version: there are no gaps', async () => {
  const { db } = await testDatabase()
  const { project_id } = await newProject()
  const undone = inTransaction(db, async (trx) => {
    expect(await nextConfigurationVersion(trx, project_id)).toBe(1)
    throw new Error('undone')
  })
  await expect(undone).rejects.toThrow('undone')
  expect(await nextConfigurationVersion(db, project_id)).toBe(1)
})

test('a version of an unknown project is an error', async () => {
  const { db } = await testDatabase()
  await expect(nextConfigurationVersion(db, 'proj_nowhere')).rejects.toThrow()
})

test('a deletion takes a version and is recorded under it', async () => {
  const { db } = await testDatabase()
  const { project_id } = await newProject()
  await recordDeletion(db, project_id, 'category', 'cat_1')
  await recordDeletion(db, project_id, 'category', 'cat_2')
  const marks = db
    .selectFrom('configuration_deletions')
    .where('project_id', '=', project_id)
    .where('config_version', '>', 1)
  expect(await marks.select(['object_id', 'config_version']).execute()).toEqual([
    { object_id: 'cat_2', config_version: 2 },
  ])
  expect(await nextConfigurationVersion(db, project_id)).toBe(3)
})
