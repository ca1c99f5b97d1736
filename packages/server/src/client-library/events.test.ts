import { expect, test } from 'vitest'
import { newEventSchema } from '../testing/loyalty.ts'
import { clientOf } from './client.ts'

const client = clientOf('events')

test('a custom event of a customer is recorded', async () => {
  const { library, shop } = await client()
  await newEventSchema(shop, 'visit', { page: { type: 'string', optional: false } }) // the library has no method for this
  const event = await library.events.create('visit', {
    event: 'visit',
    customer: { source_id: 'ann', name: 'Ann' },
    metadata: { page: '/shoes' },
  })
  expect(event).toMatchObject({
    object: 'event',
    type: 'visit',
    customer: { source_id: 'ann', name: 'Ann' },
    metadata: { page: '/shoes' },
    referral: null,
    loyalty: null,
  })
  const { data } = await library.customers.listActivity('ann', { type: 'customer.custom_event' })
  expect(data).toMatchObject([{ data: { event: { type: 'visit', metadata: { page: '/shoes' } } } }])
})

test('every method of these objects was called', async () => (await client()).expectAllMethodsCalled())
