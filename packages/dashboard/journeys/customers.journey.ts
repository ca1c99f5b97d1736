// @gate
import { json } from 'node:stream/consumers'
import { expect } from 'vitest'
import { allowRefusal, expectNoViolations, journey, openShop, signedIn } from './ground/journey.ts'
import { settled } from './ground/settled.ts'
import type { Shop } from './ground/shop.ts'

interface Prepared {
  shop: Shop
  ann: string
  club: string
}

const prepared = new WeakMap<Shop, Promise<Prepared>>()

/** A club with two members, one of whom has an order, points and a refused code. */
async function shopWithClub(own = false): Promise<Prepared> {
  const shop = await openShop({ filling: 'nothing', own })
  const ready = prepared.get(shop) ?? prepare(shop)
  prepared.set(shop, ready)
  return ready
}

async function prepare(shop: Shop): Promise<Prepared> {
  const { call } = shop
  const person = { address: { city: 'Lund' }, metadata: { shoe_size: 42 } }
  const ann = await call('POST', '/v1/customers', {
    source_id: 'ann',
    name: 'Ann Lee',
    email: 'ann@example.com',
    ...person,
  })
  await call('POST', '/v1/customers', { source_id: 'bo', name: 'Bo Ek', email: 'bo@example.com' })
  const club = await call('POST', '/v1/loyalties', {
    name: 'Club',
    type: 'AUTO_UPDATE',
    voucher: { type: 'LOYALTY_CARD', loyalty_card: { points: 100 } },
  })
  await call('POST', `/v1/loyalties/${club.id}/tiers`, [
    { name: 'Silver', points: { from: 0, to: 499 } },
    { name: 'Gold', points: { from: 500 } },
  ])
  await call('POST', `/v1/loyalties/${club.id}/members`, { customer: 'ann' })
  await call('POST', `/v1/loyalties/${club.id}/members`, { customer: 'bo' })
  await call('POST', '/v1/vouchers', {
    code: 'OVER',
    type: 'DISCOUNT_VOUCHER',
    discount: { type: 'PERCENT', percent_off: 20 },
    expiration_date: '2020-01-01T00:00:00Z',
  })
  await call('POST', '/v1/vouchers', {
    code: 'TEN',
    type: 'DISCOUNT_VOUCHER',
    discount: { type: 'AMOUNT', amount_off: 1000 },
  })
  await call('POST', '/v1/orders', { source_id: '#7', status: 'PAID', amount: 5000, customer: { source_id: 'ann' } })
  await call('POST', '/v1/redemptions', {
    redeemables: [{ object: 'voucher', id: 'OVER' }],
    customer: { source_id: 'ann' },
  }).catch(() => {}) // refused, and kept
  return { shop, ann: ann.id, club: club.id }
}

journey('a support agent finds a customer, reads what happened and gives points', async () => {
  const { shop, ann } = await shopWithClub()
  const page = await signedIn(shop, 'USER', `/dashboard/${shop.project_id}/customers`)
  await page.getByRole('link', { name: 'Bo Ek' }).waitFor()
  await page.getByRole('searchbox', { name: 'City' }).fill('Lund')
  await page.getByRole('link', { name: 'Bo Ek' }).waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Ann Lee' }).click()
  await page.getByText('400 points more to Gold').waitFor()
  await settled(page)
  await expectNoViolations(page)

  await page.getByRole('tab', { name: 'Timeline' }).click()
  await page.getByText('OVER was refused').waitFor()
  const timeline = await page.getByRole('tabpanel').innerText()
  expect(timeline).toContain('Order #7 was paid')
  expect(timeline).toMatch(/This code expired on 1 Jan 2020/)
  expect(timeline).not.toMatch(/customer\.|_/)
  await expectNoViolations(page)

  await page.getByRole('button', { name: 'Add points' }).click()
  await page.getByLabel('Points', { exact: true }).fill('450')
  await page.getByLabel('Reason').fill('Birthday')
  await page.getByRole('dialog', { name: 'Adjust the points' }).getByText('550 points', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Add 450 points' }).click()
  await page.getByText('Got 450 points on').waitFor()
  await page.getByRole('tab', { name: 'Wallet' }).click()
  await page.getByText('The highest tier').waitFor()
  expect((await shop.call('GET', `/v1/customers/${ann}`)).loyalty.points).toBe(550)
})

journey('a code is given, and points are moved to another member', async () => {
  const { shop, ann } = await shopWithClub(true)
  const page = await signedIn(shop, 'USER', `/dashboard/${shop.project_id}/customers/${ann}`)
  await page.getByRole('button', { name: 'Give a code' }).click()
  await page.getByLabel('Which code').selectOption('code')
  await page.getByLabel('Code', { exact: true }).fill('TEN')
  await page.getByRole('option', { name: /TEN/ }).click()
  await page.getByRole('button', { name: 'Give it' }).click()
  await page.getByRole('row', { name: /TEN/ }).waitFor()

  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Transfer points' }).click()
  await page.getByLabel('To whom').click()
  await page.getByLabel('To whom').press('ArrowDown')
  await page.getByRole('option', { name: /Bo Ek/ }).click()
  await page.getByLabel('Points', { exact: true }).fill('40')
  await page.getByLabel('Reason').fill('Family')
  const dialog = page.getByRole('dialog', { name: 'Transfer points' })
  await dialog.getByText('140 points').waitFor()
  await page.getByRole('button', { name: 'Transfer', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  expect((await shop.call('GET', '/v1/customers/bo')).loyalty.points).toBe(140)
})

journey('the name and the metadata are edited; values keep their types', async () => {
  const { shop, ann } = await shopWithClub(true)
  const page = await signedIn(shop, 'USER', `/dashboard/${shop.project_id}/customers/${ann}`)
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Edit' }).click()
  await page.getByLabel('Name').fill('Ann Lee-Park')
  await page.getByLabel('Value 1').fill('43')
  await page.getByRole('button', { name: 'Add a value' }).click()
  await page.getByLabel('Key 2').fill('colour')
  await page.getByLabel('Value 2').fill('green')
  await expectNoViolations(page)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { level: 1, name: 'Ann Lee-Park' }).waitFor()
  const { name, metadata } = await shop.call('GET', `/v1/customers/${ann}`)
  expect({ name, metadata }).toEqual({ name: 'Ann Lee-Park', metadata: { shoe_size: 43, colour: 'green' } })
})

journey('the data of a customer are saved as a file, then deleted for good once the e-mail is typed', async () => {
  const { shop, ann } = await shopWithClub(true)
  const page = await signedIn(shop, 'USER', `/dashboard/${shop.project_id}/customers/${ann}`)
  await page.getByRole('button', { name: 'More actions' }).click()
  const download = page.waitForEvent('download')
  await page.getByRole('menuitem', { name: 'Export the data' }).click()
  // biome-ignore lint/suspicious/noExplicitAny: a file in a journey is whatever the journey expects of it
  const file = (await json(await (await download).createReadStream())) as any
  expect(file.customer.email).toBe('ann@example.com')
  expect(file.orders[0].source_id).toBe('#7')
  expect(file.redemptions[0].failure_code).toBe('voucher_expired')

  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Delete for good' }).click()
  const confirm = page.getByRole('button', { name: 'Delete for good' })
  expect(await confirm.isDisabled()).toBe(true)
  await page.getByLabel(/To confirm, type/).fill('ann@example.com')
  allowRefusal(page, 404, 'GET', new RegExp(`^/v1/customers/${ann}`))
  await confirm.click()
  await page.waitForURL('**/customers')
  await page.getByRole('link', { name: 'Bo Ek' }).waitFor()
  expect(await page.getByRole('link', { name: 'Ann Lee' }).count()).toBe(0)
  await expect(shop.call('GET', `/v1/customers/${ann}`)).rejects.toThrow('404')
})

journey('a viewer can look at a customer and change nothing', async () => {
  const { shop, ann } = await shopWithClub()
  const page = await signedIn(shop, 'VIEWER', `/dashboard/${shop.project_id}/customers/${ann}`)
  await page.getByRole('heading', { level: 1, name: 'Ann Lee' }).waitFor()
  await settled(page)
  expect(await page.getByRole('button', { name: /Give|Add points/ }).count()).toBe(0)
  expect(await page.getByRole('link', { name: 'Check a code' }).count()).toBe(0)
  await page.getByRole('button', { name: 'More actions' }).click()
  expect(await page.getByRole('menuitem').allInnerTexts()).toEqual(['Export the data'])
})
