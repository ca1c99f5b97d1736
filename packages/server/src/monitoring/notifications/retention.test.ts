import { expect, test } from 'vitest'
import { maintain } from '../../core/jobs/maintenance.ts'
import { toInstant } from '../../core/lib/instant.ts'
import { asRequest, insertProject, openIdleRuntime } from '../../testing/background.ts'
import { ownDatabase } from '../../testing/nodes.ts'
import { testSettings } from '../../testing/runtime.ts'
import { raiseNotification } from './raise.ts'
import { notificationMaintenance } from './retention.ts'

/* A database of its own: maintenance at a later date would delete rows of other test files. */
const { database } = await ownDatabase()

test('notifications are deleted after AUDIT_RETENTION_DAYS, and marks when they no longer matter', async () => {
  const runtime = await openIdleRuntime(database)
  const project = await insertProject(runtime)
  const at = runtime.now()
  await asRequest(runtime, project, (ctx) =>
    raiseNotification(ctx, { kind: 'webhook_failed', severity: 'WARNING', message: 'x', data: { webhook_id: 'wh_1' } }),
  )
  const tasks = notificationMaintenance(testSettings({ AUDIT_RETENTION_DAYS: '30' }))
  const rowsAfter = async (days: number) => {
    await maintain(database, toInstant(at + days * 86_400_000), undefined, tasks)
    const count = async (table: 'notifications' | 'raised_notifications') =>
      (await database.db.selectFrom(table).select('kind').execute()).length
    return { stored: await count('notifications'), marks: await count('raised_notifications') }
  }
  expect(await rowsAfter(0)).toEqual({ stored: 1, marks: 1 })
  expect(await rowsAfter(29.9)).toEqual({ stored: 1, marks: 0 })
  expect(await rowsAfter(30.1)).toEqual({ stored: 0, marks: 0 })
})
