// @gate
import { expect } from 'vitest'
import { allowRefusal, expectNoViolations, journey, openShop, signedIn } from './ground/journey.ts'
import { settled } from './ground/settled.ts'
import type { Shop } from './ground/shop.ts'

const prepared = new WeakMap<Shop, Promise<void>>()

/** A shop with a code that was used up and then refused, a gift card that was spent from, and many codes of one campaign. */
async function shopWithCodes(): Promise<Shop> {
  const shop = await openShop({ filling: 'nothing' })
  if (!prepared.has(shop)) prepared.set(shop, prepare(shop))
  await prepared.get(shop)
  return shop
}

async function prepare({ call }: Shop): Promise<void> {
  await call('POST', '/v1/customers', { source_id: 'ann', name: 'Ann Lee', email: 'ann@example.com' })
  await call('POST', '/v1/vouchers', {
    code: 'ONCE-ONLY',
    type: 'DISCOUNT_VOUCHER',
    discount: { type: 'PERCENT', percent_off: 20, amount_limit: 3000 },
    redemption: { quantity: 1 },
    metadata: { season: 'spring' },
  })
  await call('POST', '/v1/vouchers', { code: 'CARD-1', type: 'GIFT_VOUCHER', gift: { amount: 5000 } })
  await call('POST', '/v1/campaigns', {
    name: 'Spring sale',
    campaign_type: 'DISCOUNT_COUPONS',
    type: 'AUTO_UPDATE',
    vouchers_count: 60,
    voucher: {
      type: 'DISCOUNT_VOUCHER',
      discount: { type: 'AMOUNT', amount_off: 500 },
      code_config: { pattern: 'SPRING-######' },
    },
  })
  const use = (code: string, extra: object = {}) =>
    call('POST', '/v1/redemptions', {
      redeemables: [{ object: 'voucher', id: code, ...extra }],
      order: { amount: 8000 },
      customer: { source_id: 'ann' },
    })
  await use('ONCE-ONLY')
  await use('ONCE-ONLY').catch(() => {}) // refused, and kept
  await use('CARD-1', { gift: { credits: 1250 } })
}

journey('a code is found by its beginning; its page says what it gives, its state and why it was refused', async () => {
  const shop = await shopWithCodes()
  const page = await signedIn(shop, 'USER', `/dashboard/${shop.project_id}/codes`)
  await page.getByRole('button', { name: 'Show more' }).waitFor()
  await page.getByRole('searchbox', { name: 'Code', exact: true }).fill('ONCE')
  await page.waitForURL('**/codes?q=ONCE')
  const row = page.getByRole('row', { name: /ONCE-ONLY/ })
  await row.waitFor()
  expect(await row.innerText()).toMatch(/20% off, at most \S*30\s+none\s+1 of 1\s+–\s+Used up/)
  await page.getByRole('link', { name: 'ONCE-ONLY' }).click()
  await page.getByTitle('This code has been used 1 of 1 times.').waitFor()
  await settled(page)
  expect(await page.getByRole('heading', { level: 1 }).innerText()).toContain('ONCE-ONLY')
  const sizes = await page
    .locator('figure img')
    .evaluateAll((images) => images.map((image) => (image as HTMLImageElement).naturalWidth))
  expect(sizes.length).toBe(2)
  expect(Math.min(...sizes)).toBeGreaterThan(0)
  await expectNoViolations(page)
  const simulator = await page.getByRole('link', { name: 'Why does it not work?' }).getAttribute('href')
  expect(simulator).toContain('code=ONCE-ONLY')
  await page.goBack()
  await page.waitForURL('**/codes?q=ONCE')
})

journey('filters are in the address, and a list goes on by its cursor', async () => {
  const shop = await shopWithCodes()
  const page = await signedIn(shop, 'VIEWER', `/dashboard/${shop.project_id}/codes?meta=season%3Dspring`)
  await page.getByRole('link', { name: 'ONCE-ONLY' }).waitFor()
  expect(await page.getByRole('row').count()).toBe(2)
  await page.getByRole('button', { name: 'Clear' }).click()
  await page.getByRole('searchbox', { name: 'Code', exact: true }).fill('SPRING-')
  await page.getByText('50 of 60').waitFor()
  await page.getByRole('button', { name: 'Show more' }).click()
  await page.getByText('60 of 60').waitFor()
  expect(await page.getByRole('row').count()).toBe(61)
  await page.getByLabel('State').selectOption('expired')
  await page.getByText('No code fits these filters').waitFor()
})

journey('a campaign chosen by keyboard keeps the focus on its filter, which is emptied with the others', async () => {
  const shop = await shopWithCodes()
  const page = await signedIn(shop, 'VIEWER', `/dashboard/${shop.project_id}/codes`)
  const field = page.getByRole('combobox', { name: 'Campaign' })
  await field.focus()
  await page.keyboard.type('Spring sa')
  await page.getByRole('option', { name: 'Spring sale' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByText('50 of 60').waitFor()
  await settled(page)
  expect(await field.inputValue()).toBe('Spring sale')
  expect(await field.evaluate((element) => element === document.activeElement)).toBe(true)
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await expect.poll(() => field.inputValue()).toBe('')
})

journey('the balance of a gift card is adjusted by keyboard, with before and after', async () => {
  const shop = await shopWithCodes()
  const page = await signedIn(shop, 'USER', `/dashboard/${shop.project_id}/codes/CARD-1`)
  await page.getByRole('button', { name: 'Adjust balance' }).focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Adjust the balance' })
  await page.getByLabel('Amount').waitFor()
  await page.getByLabel('Amount').focus()
  await page.keyboard.type('5.50')
  await dialog.getByText('43').waitFor() // 37.50 and 5.50
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await dialog.getByText('Say why, for whoever reads the statement').waitFor()
  await page.keyboard.type('Late parcel')
  await expectNoViolations(page)
  await page.keyboard.press('Enter')
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('row', { name: /Added by hand · Late parcel/ }).waitFor()
  expect((await shop.call('GET', '/v1/vouchers/CARD-1')).gift.balance).toBe(4300)
})

journey('a viewer can look at a code and change nothing', async () => {
  const shop = await shopWithCodes()
  const page = await signedIn(shop, 'VIEWER', `/dashboard/${shop.project_id}/codes/CARD-1`)
  await page.getByRole('row', { name: /Spent/ }).waitFor()
  const buttons = await page.locator('main').getByRole('button').allInnerTexts()
  expect(buttons.filter((text) => /switch|give|adjust/i.test(text))).toEqual([])
})

journey('a code that does not exist is said so', async () => {
  const shop = await shopWithCodes()
  const page = await signedIn(shop, 'USER', null)
  allowRefusal(page, 404, 'GET', '/v1/vouchers/nope')
  await page.goto(`/dashboard/${shop.project_id}/codes/nope`)
  await page.getByText('There is no such code').waitFor()
  await expectNoViolations(page)
})
