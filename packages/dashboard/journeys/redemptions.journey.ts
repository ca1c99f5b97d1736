import { expect } from 'vitest'
import { expectNoViolations, journey, openShop, signedIn } from './ground/journey.ts'
import { settled } from './ground/settled.ts'
import type { Shop } from './ground/shop.ts'

const orders = { shirt: { price: 4_990 }, socks: { price: 1_850 } }

/** A code of 10 %, one for a single use, a gift card, and what was done with them. */
async function openTill(): Promise<Shop & { redeem: (codes: string[], sourceId: string) => Promise<string> }> {
  const shop = await openShop({ own: true })
  const code = (name: string, body: object) => shop.call('POST', `/v1/vouchers/${name}`, body)
  await code('SUMMER10', { type: 'DISCOUNT_VOUCHER', discount: { type: 'PERCENT', percent_off: 10 } })
  await code('ONCE5', {
    type: 'DISCOUNT_VOUCHER',
    discount: { type: 'AMOUNT', amount_off: 500 },
    redemption: { quantity: 1 },
  })
  await code('GIFT50', { type: 'GIFT_VOUCHER', gift: { amount: 5_000 } })
  await shop.call('POST', '/v1/customers', { source_id: 'ann', name: 'Ann Lee', email: 'ann@example.com' })
  for (const [sourceId, { price }] of Object.entries(orders))
    await shop.call('POST', '/v1/products', { source_id: sourceId, name: `A ${sourceId}`, price })
  const redeem = async (codes: string[], sourceId: string) => {
    const items = Object.keys(orders).map((id) => ({ source_id: id, related_object: 'product', quantity: 1 }))
    const { redemptions, parent_redemption } = await shop.call('POST', '/v1/redemptions', {
      redeemables: codes.map((id) => ({ object: 'voucher', id })),
      order: { source_id: sourceId, items },
      customer: { source_id: 'ann' },
    })
    return (parent_redemption ?? redemptions[0]).id
  }
  return { ...shop, redeem }
}

journey('a support agent finds a refusal by its code and reads why, with the order that the shop sent', async () => {
  const shop = await openTill()
  await shop.redeem(['ONCE5'], '1041')
  await shop.redeem(['ONCE5'], '1042').catch(() => {}) // the service refuses it and keeps the refusal
  const page = await signedIn(shop, 'OWNER', `/dashboard/${shop.project_id}/redemptions`)
  await page.getByLabel('Result').selectOption('Refused')
  await page.getByLabel('Code', { exact: true }).fill('ONCE5')
  await page.waitForURL(/code=ONCE5/)
  await page.getByRole('link', { name: 'ONCE5' }).click()
  await page.getByRole('heading', { level: 1, name: /^ONCE5 was refused for Ann Lee on / }).waitFor()
  await page.getByText('This code has been used 1 of 1 times.').waitFor()
  await page.getByRole('heading', { level: 2, name: 'Order #1042' }).waitFor()
  await settled(page)
  await expectNoViolations(page)
  await page.goBack()
  expect(new URL(page.url()).searchParams.get('code')).toBe('ONCE5')
})

journey('rolling back several says beforehand what is given back, and shows it afterwards', async () => {
  const shop = await openTill()
  const parent = await shop.redeem(['SUMMER10', 'GIFT50'], '1043')
  const page = await signedIn(shop, 'USER', `/dashboard/${shop.project_id}/redemptions/${parent}`)
  await page.getByRole('heading', { level: 1, name: /^2 codes and promotions together took / }).waitFor()
  await page.getByRole('button', { name: 'Roll back' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('SUMMER10 can be used once more').waitFor()
  await dialog.getByText('goes back on gift card GIFT50').waitFor()
  await dialog.getByText('Order #1043 is canceled').waitFor()
  await expectNoViolations(page)
  await dialog.getByRole('button', { name: 'Roll all back' }).click()
  await dialog.getByText('Say why').waitFor()
  await dialog.getByLabel('Reason').fill('Goods were sent back')
  await dialog.getByRole('button', { name: 'Roll all back' }).click()
  await page.getByText(/Rolled back on .+: Goods were sent back/).waitFor()
  expect(await page.getByRole('button', { name: 'Roll back' }).count()).toBe(0)
  await page.getByRole('link', { name: 'See the rollback' }).click()
  await page.getByRole('heading', { level: 1, name: /was rolled back on / }).waitFor()
  const card = await shop.call('GET', '/v1/vouchers/GIFT50')
  expect(card.gift.balance).toBe(5_000)
})

journey('by keyboard alone: from the list to a redemption and its rollback', async () => {
  const shop = await openTill()
  await shop.redeem(['SUMMER10'], '1044')
  const page = await signedIn(shop, 'OWNER', `/dashboard/${shop.project_id}/redemptions`)
  await page.getByRole('link', { name: 'SUMMER10' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Roll back' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByLabel('Reason').focus()
  await page.keyboard.type('Wrong till')
  await page.keyboard.press('Enter')
  await page.getByText(/Rolled back on .+: Wrong till/).waitFor()
})

journey('a viewer reads a redemption and has no button that changes something', async () => {
  const shop = await openTill()
  const id = await shop.redeem(['SUMMER10'], '1045')
  const page = await signedIn(shop, 'VIEWER', `/dashboard/${shop.project_id}/redemptions/${id}`)
  await h1(page).waitFor()
  await page.getByRole('heading', { level: 2, name: 'Order #1045' }).waitFor()
  await settled(page)
  expect(await page.getByRole('button', { name: 'Roll back' }).count()).toBe(0)
  await expectNoViolations(page)
})

journey('a redemption opens in the simulator with its customer, lines and codes', async () => {
  const shop = await openTill()
  const id = await shop.redeem(['SUMMER10'], '1046')
  const page = await signedIn(shop, 'OWNER', `/dashboard/${shop.project_id}/redemptions/${id}`)
  await page.getByRole('link', { name: 'Simulate this again' }).click()
  await page.waitForURL(/\/simulator\?cart=/)
  const cart = JSON.parse(new URL(page.url()).searchParams.get('cart') ?? '{}')
  expect(cart.redeemables).toEqual([{ id: 'SUMMER10' }])
  expect(cart.items).toHaveLength(2)
})

const h1 = (page: Awaited<ReturnType<typeof signedIn>>) => page.getByRole('heading', { level: 1 })
