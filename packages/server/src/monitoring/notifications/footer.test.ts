import { expect, test } from 'vitest'
import { brandingFooter } from '../../account/branding/footer.ts'
import { findProject } from '../../core/db/project.ts'
import type { Project } from '../../core/db/project-row.ts'
import { asRequest } from '../../testing/background.ts'
import { type Installation, newInstallation } from '../../testing/installation.ts'
import { raiseNotification } from './raise.ts'

async function raiseIn(runtime: Installation['runtime'], projectId: string): Promise<void> {
  const project = (await findProject(runtime.database.db, projectId)) as Project
  await asRequest(runtime, project, (ctx) =>
    raiseNotification(ctx, {
      kind: 'webhook_disabled',
      severity: 'ERROR',
      message: 'The webhook wh_1 was switched off',
      data: { webhook_id: 'wh_1' },
    }),
  )
}

test('the mail of a notification ends with the branding of its project', async () => {
  // A database of its own: in the shared one, workers of other test files would take the mails.
  const { manage, runtime, made } = await newInstallation()
  const { db } = runtime.database
  const mails = () => db.selectFrom('mails').orderBy('id').select('text').execute()
  const raise = () => raiseIn(runtime, made.project_id)
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

test('the name of a project adds no lines to the mail of a notification', async () => {
  const { manage, runtime, made } = await newInstallation()
  const path = `/projects/${made.project_id}`
  const name = 'Toys\r\n\r\nYour password has expired:\u2028https://evil.test'
  expect(await manage('PUT', path, { name })).toMatchObject({ status: 200, body: { name } })
  await raiseIn(runtime, made.project_id)
  const { subject, text } = await runtime.database.db.selectFrom('mails').selectAll().executeTakeFirstOrThrow()
  expect(subject).toBe('Toys Your password has expired: https://evil.test: a webhook was switched off')
  expect(text).toContain(`\nProject: Toys Your password has expired: https://evil.test (${made.project_id})\n`)
  expect(text).not.toMatch(/[\r\u2028]/)
})
