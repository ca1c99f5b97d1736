import { beforeAll, expect, test } from 'vitest'
import { brandingFooter } from '../../account/branding/footer.ts'
import { findProject } from '../../core/db/project.ts'
import type { Project } from '../../core/db/project-row.ts'
import { asRequest } from '../../testing/background.ts'
import { type Installation, newInstallation } from '../../testing/installation.ts'
import { raiseNotification } from './raise.ts'

// A database of its own: in the shared one, workers of other test files would take the mails.
let installation: Installation
beforeAll(async () => {
  installation = await newInstallation()
})

async function raise(): Promise<void> {
  const { runtime, made } = installation
  const project = (await findProject(runtime.database.db, made.project_id)) as Project
  await asRequest(runtime, project, (ctx) =>
    raiseNotification(ctx, {
      kind: 'webhook_disabled',
      severity: 'ERROR',
      message: 'The webhook wh_1 was switched off',
      data: { webhook_id: 'wh_1' },
    }),
  )
}

/** In the order in which they were queued. */
async function newestMails(count: number): Promise<Array<{ subject: string; text: string }>> {
  const { db } = installation.runtime.database
  const mails = await db.selectFrom('mails').orderBy('id').select(['subject', 'text']).execute()
  return mails.slice(-count)
}

test('the mail of a notification ends with the branding of its project', async () => {
  const { manage, runtime, made } = installation
  const { db } = runtime.database
  await raise()
  await manage('POST', `/projects/${made.project_id}/branding`, {
    brand: { name: 'Acme' },
    address: { street: '1 Main Street', city: 'Springfield', postal: null, country: 'USA' },
    contact: { email: 'hello@acme.example' },
  })
  await raise()
  const [without, withFooter] = (await newestMails(2)).map(({ text }) => text)
  expect(without).not.toContain('-- ')
  expect(withFooter?.endsWith(`\n\n${await brandingFooter(db, made.project_id)}`)).toBe(true)
})

test('the name of a project adds no lines to the mail of a notification', async () => {
  const { manage, made } = installation
  const path = `/projects/${made.project_id}`
  const name = 'Toys\r\n\r\nYour password has expired:\u2028https://evil.test'
  expect(await manage('PUT', path, { name })).toMatchObject({ status: 200, body: { name } })
  await raise()
  const [{ subject, text } = { subject: '', text: '' }] = await newestMails(1)
  expect(subject).toBe('Toys Your password has expired: https://evil.test: a webhook was switched off')
  expect(text).toContain(`\nProject: Toys Your password has expired: https://evil.test (${made.project_id})\n`)
  expect(text).not.toMatch(/[\r\u2028]/)
})
