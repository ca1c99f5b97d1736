import { expect } from 'vitest'
import { expectNoViolations, journey, openShop, signedIn, visit } from './ground/journey.ts'
import { picture } from './ground/picture.ts'
import { addressOf, type PlaceName, places } from './ground/places.ts'
import { settled } from './ground/settled.ts'

const names = Object.keys(places) as PlaceName[]

journey.for(names)('%s opens without a complaint, and axe finds nothing in light and dark', async (name) => {
  const shop = await openShop()
  const address = addressOf(shop, name)
  const page = await signedIn(shop, 'OWNER', address)
  await settled(page)
  expect(new URL(page.url()).pathname).toBe(address.split('?')[0])
  await expectNoViolations(page)
  await picture(page, name)
})

journey('whoever is not signed in gets the page to sign in, on which axe finds nothing', async () => {
  const shop = await openShop()
  const page = await visit(shop, addressOf(shop, 'codes'))
  await page.waitForURL('**/dashboard/sign-in**')
  await settled(page)
  await expectNoViolations(page)
  await picture(page, 'sign-in')
})

journey('a list of codes is no wider than a phone', async () => {
  const shop = await openShop({ filling: 'nothing', own: true })
  await shop.call('POST', '/v1/vouchers/SUMMER-SALE-2025', {
    type: 'DISCOUNT_VOUCHER',
    discount: { type: 'PERCENT', percent_off: 10 },
    expiration_date: '2025-09-24T00:00:00Z',
  })
  const page = await signedIn(shop, 'OWNER', null)
  await page.setViewportSize({ width: 375, height: 740 })
  await page.goto(addressOf(shop, 'codes'))
  await page.getByText(/since 24 Sept? 2025/).waitFor()
  const overflow = (element: Element) => element.scrollWidth - element.clientWidth
  expect(await page.getByRole('table').locator('..').evaluate(overflow)).toBe(0)
})

journey('the overview loads at most 250 kB of compressed script', async () => {
  const shop = await openShop()
  const page = await signedIn(shop, 'OWNER', null)
  const scripts: Array<Promise<{ url: string; size: number }>> = []
  page.on('requestfinished', (request) => {
    if (request.resourceType() === 'script')
      scripts.push(request.sizes().then(({ responseBodySize: size }) => ({ url: request.url(), size })))
  })
  await page.goto(addressOf(shop, 'overview'))
  await settled(page)
  const loaded = await Promise.all(scripts)
  const total = loaded.reduce((sum, { size }) => sum + size, 0)
  expect(total).toBeGreaterThan(10_000)
  expect(total, loaded.map(({ url, size }) => `${size} ${url}`).join('\n')).toBeLessThanOrEqual(250_000)
})
