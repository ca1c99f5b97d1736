import { Check } from 'typebox/value'
import { expect, test } from 'vitest'
import { catalogue, type WebhookType, webhookTypes } from '../../core/events/catalogue.ts'
import { sampleEvent } from './test-delivery.ts'

test.each(webhookTypes)('an event of type %s that is made up has the data of its type', (type) => {
  const { event, data } = sampleEvent({ now: '2026-01-01T00:00:00.000Z', request_id: 'v-1' }, type)
  expect(Check(catalogue[type].data, JSON.parse(data)), data).toBe(true)
  expect(event).toMatchObject({ type, created_at: '2026-01-01T00:00:00.000Z', group_id: 'v-1' })
})

test('made-up events name their objects, and the one that they are about by its id', () => {
  const sampleData = (type: WebhookType) => {
    const { event, data } = sampleEvent({ now: '2026-01-01T00:00:00.000Z', request_id: 'v-1' }, type)
    return { entity_id: event.entity_id, data: JSON.parse(data) }
  }
  const created = sampleData('voucher.created')
  expect(created.data.voucher).toEqual({ id: created.entity_id, object: 'voucher' })
  const redeemed = sampleData('redemption.succeeded')
  expect(redeemed.data.redemption).toMatchObject({ id: redeemed.entity_id, object: 'redemption' })
  const assigned = sampleData('business_validation_rule.assignment.created')
  expect(assigned.data.rule).toEqual({ id: assigned.entity_id, object: 'validation_rules' })
  expect(assigned.data.assignment).toEqual({ id: 'string', object: 'validation_rules_assignment' })
  expect(sampleData('campaign.promotion_tier.created').data).toMatchObject({
    campaign: { object: 'campaign' },
    promotion_tier: { id: 'string', object: 'promotion_tier' },
  })
})
