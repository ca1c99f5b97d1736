import { expect, test } from 'vitest'
import { newProject, type Shop } from '../../testing/app.ts'

const shopWithLog = () => newProject({ env: { AUDIT_LOG: 'on' } })

test('smoke', async () => {
  const shop = await shopWithLog()
  const made = await shop.call('POST', '/v1/categories', { name: 'A', hierarchy: 1 })
  await shop.call('GET', `/v1/categories/${made.body.id}`)
  await shop.call('GET', `/v1/categories/nope`)
  await new Promise((r) => setTimeout(r, 500))
  const list = await shop.manage('GET', '/audit-log')
  console.log(JSON.stringify(list.body, null, 1), shop.service.runtime.auditLog.counts())
})
