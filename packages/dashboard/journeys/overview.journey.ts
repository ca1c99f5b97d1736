// @gate
import { expect } from 'vitest'
import { expectNoViolations, journey, openShop, signedIn } from './ground/journey.ts'
import { settled } from './ground/settled.ts'

journey('an empty shop is shown its first steps', async () => {
  const shop = await openShop({ filling: 'nothing', own: true })
  const page = await signedIn(shop, 'OWNER', `/dashboard/${shop.project_id}`)
  await page.getByRole('heading', { name: 'Make a code' }).waitFor()
  await page.getByText('/v1/vouchers/WELCOME10').waitFor()
  await expectNoViolations(page)
  await page.getByRole('link', { name: 'Open the simulator' }).click()
  await page.waitForURL('**/simulator')
})

journey('figures, campaigns and refusals lead to the redemptions behind them', async () => {
  const shop = await openShop({ filling: 'nothing', own: true })
  const campaign = await shop.call('POST', '/v1/campaigns', {
    name: 'Summer sale',
    campaign_type: 'DISCOUNT_COUPONS',
    type: 'STATIC',
    voucher: { type: 'DISCOUNT_VOUCHER', discount: { type: 'AMOUNT', amount_off: 500 }, redemption: { quantity: 1 } },
  })
  await shop.call('POST', `/v1/campaigns/${campaign.id}/vouchers/SUNNY`, {})
  const redeem = () => shop.call('POST', '/v1/vouchers/SUNNY/redemption', { order: { source_id: '7', amount: 10_000 } })
  await redeem()
  await redeem().catch(() => {}) // refused: used up
  const page = await signedIn(shop, 'VIEWER', `/dashboard/${shop.project_id}?range=today`)
  const discount = page.getByRole('button', { name: /^Discount granted/ })
  await expect.poll(() => discount.textContent()).toContain('5.00')
  await discount.click()
  await page.waitForURL(/figure=discount/)
  expect(await discount.getAttribute('aria-pressed')).toBe('true')
  await page.getByRole('img', { name: /^Discount granted, by hour/ }).waitFor()
  await settled(page)
  await expectNoViolations(page)
  await page.getByRole('link', { name: 'Used up' }).click()
  await page.waitForURL(/result=failure/)
  await expect.poll(() => page.getByRole('link', { name: 'SUNNY' }).count()).toBe(1)
  await page.goBack()
  await page.getByRole('link', { name: 'Summer sale' }).click()
  await page.waitForURL(/campaign=camp_/)
  await expect.poll(() => page.getByRole('link', { name: 'SUNNY' }).count()).toBe(2)
})

journey('a range of its own is in the address', async () => {
  const shop = await openShop({ filling: 'nothing', own: true })
  await shop.call('POST', '/v1/vouchers/GIFT', { type: 'GIFT_VOUCHER', gift: { amount: 5_000 } })
  const page = await signedIn(shop, 'OWNER', `/dashboard/${shop.project_id}`)
  await page.getByRole('button', { name: 'Custom' }).click()
  await page.getByLabel('From').fill('2026-01-01')
  await page.getByLabel('To', { exact: true }).fill('2026-01-31')
  await page.getByRole('button', { name: 'Show' }).click()
  await page.waitForURL(/range=custom/)
  await page.getByText('1 Jan 2026 to 31 Jan 2026').waitFor()
})
