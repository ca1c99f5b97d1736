import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createGuerdon } from '@guerdon/client'
import { expect, onTestFinished, test } from 'vitest'
import { newProject } from '../../../packages/server/src/testing/app.ts'
import { checkOut } from './checkout.ts'
import { joinClub, membershipOf, takeReward } from './club.ts'
import { codes, prepareOffers } from './offers.ts'
import { openShop } from './open-shop.ts'
import { priceOf } from './pricing.ts'
import { addCode, openVisitors, setQuantity } from './visitors.ts'

async function openGuerdon() {
  const shop = await newProject({ env: { AUTH_MODE: 'strict' } })
  const { app } = shop.service
  if (!app.server.listening) await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const options = {
    baseUrl: `http://127.0.0.1:${port}`,
    applicationId: shop.app_id,
    secretKey: shop.app_token,
    managementId: shop.management_id,
    managementSecret: shop.management_token,
  }
  const guerdon = createGuerdon(options)
  return { shop, options, guerdon, offers: await prepareOffers(guerdon) }
}

let opened: ReturnType<typeof openGuerdon> | undefined
/** One for all tests: the offers are those of the first project that the management keys show. */
const openOnce = () => {
  opened ??= openGuerdon()
  return opened
}

test.each([
  ['/', 200],
  ['/?from=mail', 200],
  ['/cart', 200],
  ['/nope', 404],
  ['//', 404],
  ['/orders/nope', 404],
  ['/__proto__', 404],
  ['/constructor/x', 404],
])('the page %s is answered with %i', async (path, status) => {
  const { options } = await openOnce()
  const server = await openShop(options)
  onTestFinished(() => void server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const asked = request({ port, host: '127.0.0.1', path, agent: false }).end()
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  answer.resume()
  expect(answer.statusCode).toBe(status)
})

test('a button that is pressed twice at once places one order', async () => {
  const { guerdon, offers } = await openOnce()
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

test('two rewards are two codes, also if the cart has no room for another one; pressed twice at once it is one', async () => {
  const { shop, guerdon } = await openOnce()
  const visitor = openVisitors().add()
  await joinClub(guerdon, visitor)
  const card = visitor.club?.card ?? ''
  const { status } = await shop.call('POST', `/v1/loyalties/members/${card}/balance`, { points: 200 })
  expect(status).toBe(200)
  for (let place = 1; place <= 5; place += 1) addCode(visitor, `CODE${place}`)
  const reward = (await membershipOf(guerdon, visitor))?.rewards[0]?.id ?? ''
  const take = () => takeReward(guerdon, visitor, reward)
  const [first, same] = await Promise.all([take(), take()])
  const second = await take()
  expect([first, second]).toEqual([expect.any(String), expect.any(String)])
  expect(same).toBe(first)
  expect(second).not.toBe(first)
  expect((await membershipOf(guerdon, visitor))?.points).toBe(120) // 20 + 200 - 2 * 50
})
