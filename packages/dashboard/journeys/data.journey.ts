import { text } from 'node:stream/consumers'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { expectNoViolations, journey, openShop, signedIn } from './ground/journey.ts'
import { picture } from './ground/picture.ts'
import { addressOf } from './ground/places.ts'
import { settled } from './ground/settled.ts'

journey('a file of codes with errors is looked at, imported and watched; its errors are listed by row', async () => {
  const shop = await openShop()
  const page = await signedIn(shop, 'USER', addressOf(shop, 'data'))
  await page.getByRole('button', { name: 'Import a file' }).first().click()
  const dialog = page.getByRole('dialog')
  const start = dialog.getByRole('button', { name: 'Start the import' })

  await choose(page, 'Code,Shop\nA,Leeds\n')
  await dialog.getByText('Columns are missing.').waitFor()
  await dialog.getByText('The first row must name “Voucher Type”, “Value”.').waitFor()
  expect(await start.isDisabled()).toBe(true)
  await expectNoViolations(page)

  const rows = ['IMPORT-1;10', 'IMPORT-2;ten', '"IMPORT-3";20', 'IMPORT-4;"-5"'].map((row) => `${row};Leeds, York`)
  await choose(
    page,
    `Code;Value;Shop;Voucher Type;Discount Type\n${rows.map((row) => `${row};DISCOUNT_VOUCHER;PERCENT`).join('\n')}`,
  )
  await dialog.getByText('separated by semicolons').waitFor()
  expect(await dialog.getByText('understood').count()).toBe(4)
  expect(await dialog.getByText('kept as metadata').count()).toBe(1)
  await expectNoViolations(page)
  await picture(page, 'import')
  await start.click()
  await page.waitForURL('**/data/aa_*')
  await page.getByText('Done, with errors').waitFor()
  const errors = page.getByRole('table', { name: 'Errors' })
  expect(await errors.getByRole('row').allInnerTexts()).toEqual([
    expect.stringContaining('Row'),
    expect.stringMatching(/^2\s+IMPORT-2\s+“Value” must be a whole number\.$/),
    expect.stringMatching(/^4\s+IMPORT-4\s+“Value” must be 0 or more\.$/),
  ])
  await expectNoViolations(page)
  await picture(page, 'import-errors')
  const file = await downloadOf(page, 'Download the errors')
  expect(file.split('\n').slice(0, 2)).toEqual([
    'Row,About,What was wrong',
    '2,IMPORT-2,“Value” must be a whole number.',
  ])
  const { metadata, discount } = await shop.call('GET', '/v1/vouchers/IMPORT-3')
  expect([metadata, discount.percent_off]).toEqual([{ Shop: 'Leeds, York' }, 20])

  await page.getByRole('link', { name: 'Data in and out' }).first().click()
  await page.getByRole('link', { name: 'Import codes from a file' }).first().waitFor()
})

journey('a file that is not UTF-8, or no text, is refused with what to do', async () => {
  const shop = await openShop()
  const page = await signedIn(shop, 'USER', `${addressOf(shop, 'data')}?new=import&kind=customers`)
  await page.getByText('A row replaces the whole profile').waitFor()
  await choose(page, Buffer.from('Name\nJos\xe9\n', 'latin1'))
  await page.getByText('The file is not in UTF-8. In a spreadsheet, save it as “CSV UTF-8”.').waitFor()
  await choose(page, '')
  await page.getByText('The file is empty.').waitFor()
})

journey('the list follows work that runs, and a bulk change has a report', async () => {
  const shop = await openShop()
  const page = await signedIn(shop, 'USER', addressOf(shop, 'data'))
  await settled(page)
  await shop.call('POST', '/v1/vouchers', { code: 'BULK-1', type: 'GIFT_VOUCHER', gift: { amount: 1000 } })
  const { async_action_id: id } = await shop.call('POST', '/v1/vouchers/metadata/async', {
    codes: ['BULK-1', 'BULK-2'],
    metadata: { shop: 'York' },
  })
  await page.goto(`${addressOf(shop, 'data')}/${id}`)
  await page.getByText('Done, with errors').waitFor()
  await page.getByText('There is no code “BULK-2”.').waitFor()
  expect(await downloadOf(page, 'Download', true)).toContain('BULK-1,true,true')
})

journey('a viewer makes an export and downloads it, and cannot import or delete', async () => {
  const shop = await openShop({ filling: 'nothing', own: true })
  await shop.call('POST', '/v1/customers', { source_id: 'cust-1', name: 'Ann Porter', email: 'ann@shop.example' })
  const page = await signedIn(shop, 'VIEWER', addressOf(shop, 'data'))
  await page.getByText('Nothing has been imported yet').waitFor()
  expect(await page.getByRole('button', { name: 'Import a file' }).count()).toBe(0)
  await page.getByRole('button', { name: 'Make an export' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Customers', { exact: true }).click()
  await expectNoViolations(page)
  await dialog.getByRole('button', { name: 'Make the export' }).click()
  // On a busy machine the export is ready before the dialog, which says the word too, has faded.
  await dialog.waitFor({ state: 'hidden' })
  await page.getByText('Ready', { exact: true }).waitFor()
  await expectNoViolations(page)
  await picture(page, 'exports')
  expect(await page.getByRole('button', { name: /^Delete/ }).count()).toBe(0)
  const file = await downloadOf(page, 'Download Customers')
  expect(file.split('\n')[0]).toMatch(/^Name,Source ID,ID,/)
  expect(file).toContain('Ann Porter,cust-1,')
})

async function choose(page: Page, content: string | Buffer): Promise<void> {
  const file = { name: 'codes.csv', mimeType: 'text/csv', buffer: Buffer.from(content) }
  await page.locator('input[type=file]').setInputFiles(file)
}

async function downloadOf(page: Page, button: string, exact = false): Promise<string> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: button, exact }).click(),
  ])
  // The browser may run elsewhere: its files are read through the connection.
  return text(await download.createReadStream())
}
