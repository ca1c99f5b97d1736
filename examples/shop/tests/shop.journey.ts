import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { expectNoViolations, journey, visit } from '../../../packages/dashboard/journeys/ground/journey.ts'
import { picture } from '../../../packages/dashboard/journeys/ground/picture.ts'
import { atEnd } from '../../../packages/server/src/testing/closings.ts'
import { startExample } from '../../testing/start-example.ts'

journey(
  'a visitor orders with codes, reads why one is refused, collects points, brings a friend and returns an order',
  async () => {
    const example = startExample('shop')
    const [, address = ''] = await example.line(/^The shop is on (\S+)$/)

    const page = await visit({ address }, '/')
    await page.getByRole('heading', { level: 1 }).waitFor()
    await expectNoViolations(page)
    await picture(page, 'example-shop-catalogue')

    // The club: 20 points to begin with, too few for the reward.
    await page.getByRole('link', { name: 'Club' }).click()
    await page.getByRole('button', { name: 'Join the club' }).click()
    await page.getByText('20 points', { exact: true }).waitFor()
    await page.getByText('30 points to go').waitFor()

    // 14.90 of coffee: too little for one code, and 10 % off by the other.
    await add(page, 'Yirgacheffe')
    await page.getByRole('link', { name: 'Cart (1)' }).click()
    await apply(page, 'FROM50')
    await page.getByText('This code needs an order of €50.00 or more.').waitFor()
    await page.getByText('Why not?').click()
    await page.getByText(/order.initial_amount is 14.90, must be more than or equal to 50.00/).waitFor()
    expect(await page.getByText('FROM50 is in your cart.').count()).toBe(0)
    // Misspelt ones take no place of the five.
    for (const wrong of ['NOPE1', 'NOPE2', 'NOPE3', 'NOPE4', 'nope5']) {
      await typeCode(page, wrong)
      await page.getByText(`There is no code ${wrong.toUpperCase()}.`).waitFor()
    }
    expect(await page.getByRole('button', { name: /^Remove code/ }).count()).toBe(1)
    await apply(page, 'hello10')
    expect(await total(page)).toBe('€13.41') // 14.90 − 1.49
    await expectNoViolations(page)
    await picture(page, 'example-shop-cart')

    // With the grinder 93.90: now FROM50 applies, and so does the promotion without a code.
    await add(page, 'Hand Grinder')
    await page.goto('/cart')
    expect(await page.getByText('Promotion 5 % off from €60.00 takes 4.70 off').count()).toBe(1)
    expect(await total(page)).toBe('€75.78') // 93.90 − 4.70 (5 %) = 89.20; − 5.00 (FROM50) = 84.20; − 8.42 (10 %) = 75.78
    await page.getByRole('button', { name: 'Pay and order' }).click()
    await page.getByRole('heading', { name: 'Thank you' }).waitFor()
    expect(await total(page)).toBe('€75.78')
    await expectNoViolations(page)
    await picture(page, 'example-shop-order')
    const order = page.url()

    // 75 points more; the reward costs 50, and its code is in the cart at once.
    await page.goto('/club')
    await page.getByText('95 points', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Get it: €5.00 off your next order' }).click()
    await page.getByText('45 points', { exact: true }).waitFor()
    await page.getByText(/^CLUB-\w{6} is in your cart\.$/).waitFor()
    await expectNoViolations(page)
    await picture(page, 'example-shop-club')

    // A friend comes by the link and orders, which brings a second code.
    const link = await page.getByRole('region', { name: 'Friends' }).getByRole('link').innerText()
    const friend = await visit({ address }, link)
    await friend.getByText(/^FRIEND-\w{6} is in your cart\.$/).waitFor()
    await add(friend, 'Bell Mug')
    await friend.goto('/cart')
    expect(await total(friend)).toBe('€13.05') // 14.50 − 1.45
    await friend.getByRole('button', { name: 'Pay and order' }).click()
    await friend.getByRole('heading', { name: 'Thank you' }).waitFor()
    await page.reload()
    await expect.poll(() => page.getByRole('button', { name: /^Use CLUB-/ }).count()).toBe(2)

    // The code of the first order is used up until the order is returned.
    await add(page, 'Bell Mug')
    await page.goto('/cart')
    await apply(page, 'HELLO10')
    await page.getByText('This code is for your first order.').waitFor()
    await page.goto(order)
    await page.getByRole('button', { name: 'Return this order' }).click()
    await page.getByRole('heading', { name: 'Returned' }).waitFor()
    expect(await page.locator('.refund').innerText()).toMatch(/^Refunded\s+−€75\.78$/)
    await expectNoViolations(page)
    await page.goto('/cart')
    await page.getByText('HELLO10 applied').waitFor()
    expect(await total(page)).toBe('€8.55') // 14.50 − 5.00 (reward) = 9.50; − 0.95 (10 %)
  },
)

journey('an order that is sent twice is placed once, and a cart that changed meanwhile is shown again', async () => {
  const address = await openShop()
  const page = await visit({ address }, '/')
  await add(page, 'Almond Biscotti')
  await page.goto('/cart')
  await apply(page, 'GIFT-30')
  expect(await total(page)).toBe('€0.00')
  // Two more tabs with the same cart.
  const again = await page.context().newPage()
  const stale = await page.context().newPage()
  await again.goto('/cart')
  await stale.goto('/cart')
  await page.getByRole('button', { name: 'Pay and order' }).click()
  await page.getByRole('heading', { name: 'Thank you' }).waitFor()
  await again.getByRole('button', { name: 'Pay and order' }).click()
  await again.getByRole('heading', { name: 'Thank you' }).waitFor()
  expect(again.url()).toBe(page.url())

  await add(page, 'Hand Grinder')
  await page.goto('/cart')
  await apply(page, 'GIFT-30')
  expect(await total(page)).toBe('€51.95') // 79.00 − 3.95 (5 %) = 75.05; − 23.10, which the gift card still has
  await add(stale, 'Bell Mug')
  await page.getByRole('button', { name: 'Pay and order' }).click()
  await page.getByText('Your cart has changed. Please look at it again.').waitFor()
})

let opened: Promise<string> | undefined

/** One shop for all journeys: every visitor has a cart of their own. */
function openShop(): Promise<string> {
  opened ??= startExample('shop', {}, atEnd)
    .line(/^The shop is on (\S+)$/)
    .then(([, address = '']) => address)
  return opened
}

async function add(page: Page, name: string): Promise<void> {
  await page.goto('/')
  await page.getByRole('button', { name: `Add to cart: ${name}` }).click()
  await page.getByText(`${name} is in your cart.`).waitFor()
}

async function typeCode(page: Page, code: string): Promise<void> {
  await page.getByLabel('Code or gift card').fill(code)
  await page.getByRole('button', { name: 'Apply' }).click()
}

async function apply(page: Page, code: string): Promise<void> {
  await typeCode(page, code)
  await page.getByRole('button', { name: `Remove code ${code.toUpperCase()}` }).waitFor()
}

const total = (page: Page) => page.locator('.total dd').innerText()
