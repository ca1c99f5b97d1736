import { Check } from 'typebox/value'
import { expect, test } from 'vitest'
import { catalogue, webhookTypes } from '../../core/events/catalogue.ts'
import { sampleEvent } from './test-delivery.ts'

test.each(webhookTypes)('an event of type %s that is made up has the data of its type', (type) => {
  const { event, data } = sampleEvent({ now: '2026-01-01T00:00:00.000Z', request_id: 'v-1' }, type)
  expect(Check(catalogue[type].data, JSON.parse(data)), data).toBe(true)
  expect(event).toMatchObject({ type, created_at: '2026-01-01T00:00:00.000Z', group_id: 'v-1' })
})
