import { expect, test } from 'vitest'
import { newHeldPlaces } from './held-places.ts'

const hour = 3_600_000
const isFree = { wait_ms: 0, ticket: expect.any(Number) }

test('a place is held until it expires', () => {
  const places = newHeldPlaces(1)
  expect(places.take('ann', 'one', 0, 1_000)).toEqual(isFree)
  expect(places.take('ann', 'two', 400, 1_000)).toEqual({ wait_ms: 600, ticket: 0 })
  expect(places.take('ben', 'two', 400, 1_000)).toEqual(isFree)
  expect(places.take('ann', 'two', 1_000, 1_000)).toEqual(isFree)
})

test('a request that opens nothing does not shorten a place that is held', () => {
  const places = newHeldPlaces(1)
  places.take('ann', 'one', 0, hour)
  expect(places.take('ann', 'one', 1, 1)).toEqual({ wait_ms: 0, ticket: 0 })
  expect(places.take('ann', 'two', 1_000, hour)).toEqual({ wait_ms: hour - 1_000, ticket: 0 })
})

test('a place is given back unless another request has taken it since', async () => {
  const places = newHeldPlaces(1)
  const slow = await places.take('ann', 'one', 0, hour)
  places.take('ann', 'one', 0, hour)
  places.giveBack('ann', 'one', slow.ticket)
  expect(places.take('ann', 'two', 1, hour)).toMatchObject({ ticket: 0 })
  const alone = await places.take('ben', 'three', 0, hour)
  places.giveBack('ben', 'three', alone.ticket)
  expect(places.take('ben', 'four', 1, hour)).toEqual(isFree)
})

test('who takes a place under the name of another owner does not free it', async () => {
  const places = newHeldPlaces(1)
  places.take('ann', 'one', 0, hour)
  const { ticket } = await places.take('ben', 'one', 0, hour)
  places.giveBack('ben', 'one', ticket)
  expect(places.take('ann', 'two', 1, hour)).toMatchObject({ ticket: 0 })
  places.leave('one')
  expect(places.take('ann', 'two', 1, hour)).toEqual(isFree)
})
