import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { expectNoViolations, journey, openShop, signedIn } from './ground/journey.ts'
import { settled } from './ground/settled.ts'
import type { Shop } from './ground/shop.ts'

/* Support and marketing at the simulator: why a code was refused, what a cart comes to. */

const address = (shop: Shop, search = '') => `/dashboard/${shop.project_id}/simulator${search}`
const headline = (page: Page) => page.locator('p[role=status]').first()
const says = async (page: Page, text: string | RegExp) => {
  await expect.poll(() => headline(page).textContent()).toMatch(text)
}

/** A small shop: Ann, who is no VIP, a mug, and codes that are refused for different reasons. */
async function fill({ call }: Shop): Promise<{ ann: string; order: string }> {
  const { id: ann } = await call('POST', '/v1/customers', {
    source_id: 'ann',
    name: 'Ann Archer',
    email: 'ann@example.com',
  })
  const vip = await call('POST', '/v1/segments', {
    name: 'VIP',
    type: 'auto-update',
    filter: { junction: 'and', 'metadata.vip': { conditions: { $is: [true] } } },
  })
  await call('POST', '/v1/products', { source_id: 'mug', name: 'Mug', price: 1250 })
  const codes: Record<string, object> = {
    SUMMER10: { discount: { type: 'PERCENT', percent_off: 10, amount_limit: 200 } },
    OLD: { discount: { type: 'AMOUNT', amount_off: 500 }, expiration_date: '2020-03-01T00:00:00Z' },
    ONCE: { discount: { type: 'AMOUNT', amount_off: 500 }, redemption: { quantity: 1 } },
    VIP20: { discount: { type: 'PERCENT', percent_off: 20 } },
    MIN50: { discount: { type: 'AMOUNT', amount_off: 300 } },
  }
  for (const [code, body] of Object.entries(codes))
    await call('POST', '/v1/vouchers', { code, type: 'DISCOUNT_VOUCHER', ...body })
  const rules: Record<string, object> = {
    VIP20: { name: 'customer.segment', conditions: { $is: [vip.id] } },
    MIN50: { name: 'order.amount', conditions: { $more_than_or_equal: [5000] } },
  }
  for (const [voucher, rule] of Object.entries(rules)) {
    const { id } = await call('POST', '/v1/validation-rules', {
      name: `Rule of ${voucher}`,
      rules: { 1: rule, logic: '1' },
    })
    await call('POST', `/v1/validation-rules/${id}/assignments`, { voucher })
  }
  await call('POST', '/v1/vouchers/ONCE/redemption', { customer: 'ann', order: { amount: 5000 } })
  const items = Array.from({ length: 120 }, (_, index) => ({
    product: { name: `Article ${index}` },
    quantity: 1,
    price: 100,
  }))
  const { id: order } = await call('POST', '/v1/orders', {
    source_id: 'order-1',
    customer: { source_id: 'ann' },
    items,
  })
  return { ann, order }
}

let shop: Shop
let ids: Awaited<ReturnType<typeof fill>>

async function filled(): Promise<Shop> {
  shop = await openShop({ filling: 'nothing' })
  ids ??= await fill(shop)
  return shop
}

journey('a support agent types an e-mail and a code, by keyboard alone, and reads why it is refused', async () => {
  const page = await signedIn(await filled(), 'USER', address(shop))
  await settled(page)
  await page.getByRole('combobox', { name: 'Customer' }).focus()
  // Faster than the search answers: the customer who is found is taken, not one that stood there before.
  await page.keyboard.type('ann@example.com')
  await page.keyboard.press('Enter')
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('placeholder'))).toMatch(/code/)
  await page.keyboard.type('VIP20')
  await page.keyboard.press('Enter')
  await says(page, 'VIP20 is refused: Ann Archer is not in VIP.')
  await page.getByText('The reason').waitFor()
  await settled(page)
  await expectNoViolations(page)
})

journey('each refusal is a sentence with its numbers', async () => {
  await filled()
  const page = await signedIn(shop, 'OWNER', address(shop, `?code=ONCE&customer=${ids.ann}`))
  await says(page, 'ONCE is refused: it has been used 1 of 1 times.')
  await page.goto(address(shop, '?code=OLD'))
  await says(page, /OLD is refused: it ended on 1 Mar 2020/)
  await page.goto(address(shop, '?code=MIN50'))
  await says(page, 'MIN50 is refused: it needs an order, and there is none.')
  await page.goto(address(shop, '?code=NOSUCH'))
  await says(page, 'NOSUCH is refused: there is no such code.')
})

journey('a cart is typed with Enter, each line and discount is shown, and the address brings it back', async () => {
  const page = await signedIn(await filled(), 'OWNER', address(shop, '?code=SUMMER10'))
  await settled(page)
  await page.getByRole('combobox', { name: 'Add an item' }).focus()
  await page.keyboard.type('Mug')
  await page.getByRole('option', { name: /Product/ }).waitFor()
  await page.keyboard.press('Enter')
  await page.keyboard.type('Gift wrap')
  await page.keyboard.press('Enter')
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')))
    .toBe('Unit price of line 2')
  await page.keyboard.type('20')
  await page.keyboard.press('Enter')
  await says(page, 'SUMMER10 takes $2.00 off.')
  await page.getByText('capped at the maximum of $2.00').waitFor()
  await page.waitForURL(/cart=/)
  await page.reload()
  await says(page, 'SUMMER10 takes $2.00 off.')
  expect(await page.getByLabel('Unit price of line 2').inputValue()).toBe('20.00')
  await settled(page)
  await expectNoViolations(page)
})

journey('what else qualifies is added by a button; the call can be copied; a reset empties the address', async () => {
  const page = await signedIn(await filled(), 'OWNER', address(shop, '?code=SUMMER10'))
  await page.getByRole('button', { name: 'Add VIP20' }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: /^Add / }).first().click()
  await page.getByRole('heading', { name: 'In the order of application' }).waitFor()
  await page.getByRole('button', { name: 'Copy as code' }).click()
  await page.getByRole('dialog').getByText('/v1/validations').waitFor()
  await page.getByRole('tab', { name: 'TypeScript' }).click()
  await page.getByRole('dialog').getByText('validateRedeemables').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Reset' }).click()
  await page.getByRole('button', { name: 'Try a sample cart' }).waitFor()
  await expect.poll(() => new URL(page.url()).search).toBe('')
  await page.getByRole('button', { name: 'Try a sample cart' }).click()
  await says(page, /takes .+ off|is refused/)
})

journey('a stored order is simulated with its lines and its customer', async () => {
  await filled()
  const page = await signedIn(shop, 'OWNER', address(shop, `?order=${ids.order}&code=SUMMER10`))
  await says(page, 'SUMMER10 takes $2.00 off.')
  await page.getByText('Ann Archer').waitFor()
  await page.getByRole('button', { name: 'Show 80 more lines' }).click()
  await page.getByLabel('Units of line 120', { exact: true }).fill('3')
  await says(page, 'SUMMER10 takes $2.00 off.')
  await settled(page)
  await expectNoViolations(page)
})

journey('a simulation leaves no event of the customer', async () => {
  await filled()
  const page = await signedIn(shop, 'OWNER', address(shop, `?code=SUMMER10&customer=${ids.ann}`))
  await says(page, /SUMMER10 can be used/)
  await settled(page)
  const { data } = await shop.call('GET', `/v1/customers/${ids.ann}/activity?limit=100`)
  expect(data.filter(({ type }: { type: string }) => type.startsWith('customer.validation'))).toEqual([])
})

journey('a viewer sees what would qualify, and is told that codes are not tried', async () => {
  const page = await signedIn(await filled(), 'VIEWER', address(shop, '?code=SUMMER10'))
  await page.getByText('Your role may look, and not try codes').waitFor()
  await page.getByRole('heading', { name: 'What else would qualify' }).waitFor()
  await settled(page)
  await expectNoViolations(page)
})
