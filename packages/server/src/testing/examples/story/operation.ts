import type { Teller } from './teller.ts'

const firstPage = { query: { limit: 10 } }

/** What the shop's other systems learn: events, exports, webhooks. */
export async function tellOperation({ tell, catchUp, project_id: projectId }: Teller): Promise<void> {
  const project = { path: { projectId } }
  await tell('getProject', project)
  await tell('createCustomEventSchema', {
    ...project,
    body: { name: 'newsletter_subscribed', schema: { properties: { list: { type: 'string', optional: true } } } },
  })
  await tell('listCustomEventSchemas', project)
  await tell('trackCustomEvent', {
    body: { event: 'newsletter_subscribed', customer: { source_id: 'customer-1' }, metadata: { list: 'offers' } },
  })

  const { id: exportId } = await tell('createExport', {
    body: {
      exported_object: 'redemption',
      parameters: { fields: ['voucher_code', 'customer_source_id', 'result'], order: 'created_at' },
    },
  })
  await catchUp()
  await tell('getExport', { path: { exportId } })
  await tell('listExports', firstPage)

  const webhook = await tell('createWebhook', {
    ...project,
    body: {
      target_url: 'https://shop.example/hooks',
      events: ['redemption.succeeded', 'redemption.rollback.succeeded'],
    },
  })
  const ofWebhook = { path: { projectId, webhookId: webhook.id } }
  await tell('getWebhook', ofWebhook)
  await tell('updateWebhook', { ...ofWebhook, body: { events: ['redemption.succeeded'], active: false } })
  await tell('listWebhooks', project)
  await catchUp()
  await tell('listEvents', { ...project, query: { limit: 3 } })
}
