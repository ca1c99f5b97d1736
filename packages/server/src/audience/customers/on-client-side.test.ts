import { expect, test } from 'vitest'
import { newProject } from '../../testing/app.ts'
import { newCampaign } from '../../testing/campaigns.ts'
import { asClient } from '../../testing/checkout.ts'
import { ok } from '../../testing/orders.ts'

test('a tracking token is accepted as the source id wherever a client-side request names a customer', async () => {
  const shop = await newProject({
    project: {
      client_trusted_domains: ['shop.example'],
      client_publish_enabled: true,
      client_publish_campaigns: ['Auto'],
      client_create_customer_enabled: true,
    },
  })
  await newCampaign(shop, 'Auto', { type: 'AUTO_UPDATE' })
  const anna = await ok(shop, 'POST', '/v1/customers', { source_id: 'anna' })
  const { tracking_id } = await ok(shop, 'POST', '/v1/promotions/validation', { customer: { source_id: 'anna' } })
  for (const customer of [tracking_id, { source_id: tracking_id }])
    expect(await asClient(shop, 'POST', '/client/v1/publish', { campaign: 'Auto', customer })).toMatchObject({
      status: 200,
      body: { customer_id: anna.id },
    })
  expect(await asClient(shop, 'POST', '/client/v1/customers', { source_id: tracking_id, name: 'Ann' })).toMatchObject({
    status: 200,
    body: { id: anna.id, source_id: tracking_id },
  })
  expect((await ok(shop, 'GET', '/v1/customers')).total).toBe(1)
})
