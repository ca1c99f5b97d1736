import { expect } from 'vitest'
import { expectNoViolations, journey, visit } from '../../../packages/dashboard/journeys/ground/journey.ts'
import { picture } from '../../../packages/dashboard/journeys/ground/picture.ts'
import { startExample } from '../../testing/start-example.ts'

journey('a cart on a page prices codes with the client key alone, and only on a page of a trusted host', async () => {
  const example = startExample('cart-widget')
  const [, address = ''] = await example.line(/^The page is on (\S+)\//)
  const page = await visit({ address }, '/')
  const total = page.getByLabel('Total')
  const apply = async (code: string) => {
    await page.getByLabel('Code').fill(code)
    await page.getByRole('button', { name: 'Apply' }).click()
  }
  await page.getByText('€29.00').first().waitFor()

  await apply(' mugs20')
  await page.getByText('MUGS20 takes €5.80 off.').waitFor() // 20 % of 29.00
  expect(await total.innerText()).toBe('€23.20')
  await expectNoViolations(page)
  await picture(page, 'example-cart-widget')

  await apply('FROM50')
  await page.getByText('This code needs an order of €50.00 or more.').waitFor()
  expect(await total.innerText()).toBe('€29.00')
  await expectNoViolations(page)

  // The same code counts as soon as the cart is large enough.
  await page.getByLabel('Shirt').fill('2')
  await page.getByText('FROM50 takes €10.00 off.').waitFor()
  expect(await total.innerText()).toBe('€58.98') // 29.00 + 39.98 − 10.00

  await apply('NOPE')
  await page.getByText('There is no such code.').waitFor()

  // The same page under another host name: the browser may not read the answers. Not watched, since it logs the refusal.
  const elsewhere = await page.context().newPage()
  await elsewhere.goto(address.replace('127.0.0.1', 'localhost'))
  await elsewhere.getByLabel('Code').fill('MUGS20')
  await elsewhere.getByRole('button', { name: 'Apply' }).click()
  await elsewhere.getByText('Codes cannot be checked at the moment.').waitFor()
  expect(await elsewhere.getByLabel('Total').innerText()).toBe('€29.00')
})
