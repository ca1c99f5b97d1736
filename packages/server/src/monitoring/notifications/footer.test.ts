import { expect, test } from 'vitest'
import { brandingFooter } from '../../account/branding/footer.ts'
import { findProject } from '../../core/db/project.ts'
import type { Project } from '../../core/db/project-row.ts'
import { asRequest } from '../../testing/background.ts'
import { newInstallation } from '../../testing/installation.ts'
import { raiseNotification } from './raise.ts'

test('the mail of a notification ends with the branding of its project', async () => {
  // A database of its own: in the shared one, workers of other test files would take the mails.
  const { manage, runtime, made } = await newInstallation()
  const { db } = runtime.database
  const mails = () => db.selectFrom('mails').orderBy('id').select('text').execute()
  const raise = async () => {
    const project = (await findProject(db, made.project_id)) as Project
    await asRequest(runtime, project, (ctx) =>
      raiseNotification(ctx, {
        kind: 'webhook_disabled',
        severity: 'ERROR',
        message: 'The webhook wh_1 was switched off',
        data: { webhook_id: 'wh_1' },
      }),
    )
  }
  await raise()
  await manage('POST', `/projects/${made.project_id}/branding`, {
    brand: { name: 'Acme' },
    address: { street: '1 Main Street', city: 'Springfield', postal: null, country: 'USA' },
    contact: { email: 'hello@acme.example' },
  })
  await raise()
  const [without, withFooter] = (await mails()).map(({ text }) => text)
  expect(without).not.toContain('-- ')
  expect(withFooter?.endsWith(`\n\n${await brandingFooter(db, made.project_id)}`)).toBe(true)
})
