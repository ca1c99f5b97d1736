// @gate @first
import { expectNoViolations, journey, openShop, visit } from './ground/journey.ts'
import { settled } from './ground/settled.ts'
import { ownerLink, password } from './ground/sign-in.ts'

journey('an owner signs in, finds a code and asks why a cart cannot have it', async () => {
  const shop = await openShop({ filling: 'nothing' })
  await shop.call('POST', '/v1/vouchers', {
    code: 'SPRING-1',
    type: 'DISCOUNT_VOUCHER',
    discount: { type: 'AMOUNT', amount_off: 500 },
    redemption: { quantity: 1 },
  })
  await shop.call('POST', '/v1/vouchers/SPRING-1/redemption', { order: { amount: 8000 } })

  const page = await visit(shop, (await ownerLink(shop)).link)
  await page.getByLabel('New password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Set the password and sign in' }).click()
  await page.waitForURL(`**/dashboard/${shop.project_id}`)

  await page.getByRole('link', { name: 'Codes' }).click()
  await page.getByRole('searchbox', { name: 'Code', exact: true }).fill('SPR')
  await page.getByRole('link', { name: 'SPRING-1' }).click()
  await page.getByText('Used up').waitFor()

  await page.goto(`/dashboard/${shop.project_id}/simulator?code=SPRING-1`)
  await page.getByText('SPRING-1 is refused: it has been used 1 of 1 times.').first().waitFor()
  await settled(page)
  await expectNoViolations(page)
})
