import type { AddressInfo } from 'node:net'
import { createGuerdon } from '@guerdon/client'
import { expect, test } from 'vitest'
import { newProject } from '../../../packages/server/src/testing/app.ts'
import { checkOut } from './checkout.ts'
import { codes, prepareOffers } from './offers.ts'
import { priceOf } from './pricing.ts'
import { addCode, openVisitors, setQuantity } from './visitors.ts'

test('a button that is pressed twice at once places one order', async () => {
  const shop = await newProject({ env: { AUTH_MODE: 'strict' } })
  const { app } = shop.service
  if (!app.server.listening) await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const guerdon = createGuerdon({
    baseUrl: `http://127.0.0.1:${port}`,
    applicationId: shop.app_id,
    secretKey: shop.app_token,
    managementId: shop.management_id,
    managementSecret: shop.management_token,
  })
  const offers = await prepareOffers(guerdon)
  const visitor = openVisitors().add()
  setQuantity(visitor, 'bell-mug', 1)
  addCode(visitor, codes.gift)
  const price = await priceOf(guerdon, offers, visitor)
  const seen = { order_id: visitor.order_id, total: price?.total ?? -1 }
  const press = () => checkOut(guerdon, offers, visitor, seen)
  const answers = await Promise.all([press(), press(), press()])
  expect(answers.map((answer) => ('order' in answer ? answer.order.id : answer.problem))).toEqual(
    Array(3).fill(seen.order_id),
  )
  expect([...visitor.orders.keys()]).toEqual([seen.order_id])
  expect(visitor.cart.size).toBe(0)
})
