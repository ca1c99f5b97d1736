import { expect, test } from 'vitest'
import { findProjectOrOnly } from '../account/projects/store.ts'
import { toInstant } from '../core/lib/instant.ts'
import { demoKeyName } from '../demo/known.ts'
import { insertDemoKey, renameDemoKey } from '../demo/state.ts'
import { connect } from '../runtime.ts'
import { newCommands } from '../testing/command.ts'
import { demoCommand } from './demo.ts'
import { migrateCommand } from './migrate.ts'

test('the command refuses an unknown project, a half of a demo shop, and a second one', async () => {
  const { outputOf, environment } = await newCommands()
  const demo = (project?: string) => outputOf((given) => demoCommand(given, { project }))
  await outputOf(migrateCommand)
  await expect(demo('proj_nowhere')).rejects.toThrow('There is no project proj_nowhere.')

  const changed = async (change: (database: Awaited<ReturnType<typeof connect>>) => Promise<unknown>) => {
    const database = await connect(environment.settings)
    await change(database)
    await database.close()
  }
  await changed(async ({ db }) => insertDemoKey(db, await findProjectOrOnly(db, undefined), toInstant(Date.now())))
  await expect(demo()).rejects.toThrow(/has half of a demo shop: filling it was interrupted\. To start over, delete /)
  await changed(async ({ db }) => renameDemoKey(db, (await findProjectOrOnly(db, undefined)).id))
  await expect(demo()).rejects.toThrow('has the demo shop already.')
  await changed(async ({ db }) => {
    const names = await db.selectFrom('api_keys').select('name').execute()
    expect(names.filter(({ name }) => name === demoKeyName.filled)).toHaveLength(1)
  })
})
