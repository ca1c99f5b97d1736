import { expect } from 'vitest'
import { allowRefusal, expectNoViolations, journey, openShop, signedIn, visit } from './ground/journey.ts'
import { picture } from './ground/picture.ts'
import { addressOf } from './ground/places.ts'
import { settled } from './ground/settled.ts'
import { password } from './ground/sign-in.ts'

journey('a person is invited, sets a password by the link, gets another role, and is taken out', async () => {
  const shop = await openShop({ own: true })
  const page = await signedIn(shop, 'OWNER', addressOf(shop, 'settings-users'))
  await page.getByRole('button', { name: 'Invite somebody' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('E-mail').fill('ann@shop.example')
  await dialog.getByLabel('First name').fill('Ann')
  await dialog.getByLabel('Last name').fill('Porter')
  await dialog.getByText('Looks at everything and exports it; changes nothing.', { exact: true }).click()
  await expectNoViolations(page)
  await dialog.getByRole('button', { name: 'Invite', exact: true }).click()
  await dialog.getByText('No mail was sent').waitFor()
  await expectNoViolations(page)
  await picture(page, 'invited')
  const link = await dialog.locator('pre').innerText()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await page.getByText('Invited, no password yet').waitFor()

  const ann = await visit(shop, link)
  await ann.getByText('For ann@shop.example').waitFor()
  await ann.getByLabel('New password', { exact: true }).fill(password)
  await ann.getByRole('button', { name: 'Set the password and sign in' }).click()
  await ann.waitForURL(`**/dashboard/${shop.project_id}`)
  for (const place of ['settings-users', 'settings-project', 'settings-keys'] as const) {
    await ann.goto(addressOf(shop, place))
    await ann.getByText('Administrators do this').waitFor()
    await ann.getByText(/You are Viewer in/).waitFor()
    await expectNoViolations(ann)
  }

  await page.reload()
  await page.getByRole('button', { name: 'Actions for Ann Porter' }).click()
  await page.getByRole('menuitem', { name: 'Change the role' }).click()
  await dialog.getByText('Everything in this project, and its users, keys and settings.').click()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Role changed').waitFor()
  await ann.reload()
  await ann.getByRole('button', { name: 'Make a key' }).waitFor()

  await page.getByRole('button', { name: 'Actions for Ann Porter' }).click()
  await page.getByRole('menuitem', { name: 'Remove from the project' }).click()
  await dialog.getByRole('button', { name: 'Remove', exact: true }).click()
  await page.getByText('Ann Porter is no longer in the project').waitFor()
  await ann.reload()
  await ann.getByText('You cannot see this project').waitFor()
})

journey('an administrator chooses what becomes of fields that the API does not know', async () => {
  const shop = await openShop({ own: true })
  const page = await signedIn(shop, 'OWNER', addressOf(shop, 'settings-project'))
  const choice = page.getByLabel('A field that the API does not know')
  for (const value of ['IGNORE', 'REFUSE']) {
    await choice.selectOption(value)
    await expect.poll(async () => (await shop.manage('GET', `/projects/${shop.project_id}`)).unknown_fields).toBe(value)
  }
  await expectNoViolations(page)
})

journey('somebody who has an account is added without an invitation', async () => {
  const shop = await openShop({ own: true })
  const { id } = await shop.manage('POST', '/projects', {
    name: 'Second shop',
    currency: 'EUR',
    timezone: 'Europe/Berlin',
    case_sensitive_codes: true,
  })
  await shop.manage('POST', '/projects/users/invite', {
    email: 'Ben@shop.example',
    first_name: 'Ben',
    last_name: 'Okafor',
    projects: { [id]: 'VIEWER' },
  })
  const page = await signedIn(shop, 'OWNER', addressOf(shop, 'settings-users'))
  allowRefusal(page, 409, 'POST', '/management/v1/projects/users/invite')
  allowRefusal(page, 404, 'GET', /\/users\/ben@shop\.example|\/users\/ben%40shop\.example/)
  await page.getByRole('button', { name: 'Invite somebody' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('E-mail').fill('ben@shop.example')
  await dialog.getByRole('button', { name: 'Invite', exact: true }).click()
  await dialog.getByText('ben@shop.example has an account already.').waitFor()
  await dialog.getByRole('button', { name: /^Add to/ }).click()
  await page.getByText('Ben Okafor').waitFor()
})

journey('a key is made, its secret shown once; its first call works until it is blocked', async () => {
  const shop = await openShop({ own: true })
  const page = await signedIn(shop, 'OWNER', addressOf(shop, 'settings-keys'))
  await page.getByRole('button', { name: 'Make a key' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Addresses').fill('the office')
  await dialog.getByRole('button', { name: 'Make the key' }).click()
  await dialog.getByText('Give it a name.').waitFor()
  await dialog.getByText('“the” is no IP address').waitFor()
  await expectNoViolations(page)
  await dialog.getByLabel('Name').fill('Checkout')
  await dialog.getByLabel('Addresses').fill('')
  await dialog.getByText('Lists and looks at everything').click()
  await dialog.getByRole('button', { name: 'Make the key' }).click()
  await dialog.getByText('Copy the secret now.').waitFor()
  await expectNoViolations(page)
  const [, id, secret] = /APP_ID='(.+)'\nAPP_TOKEN='(.+)'/.exec(await dialog.locator('pre').innerText()) ?? []
  await dialog.getByRole('button', { name: 'I have copied it' }).click()
  await page.getByText('Read only').waitFor()
  expect(await page.content()).not.toContain(secret)
  const statusOf = async (method: string, path: string) => {
    const headers = { 'X-App-Id': id as string, 'X-App-Token': secret as string }
    return (await fetch(`${shop.address}${path}`, { method, headers })).status
  }
  expect(await statusOf('GET', '/v1/campaigns?limit=1')).toBe(200)
  expect(await statusOf('POST', '/v1/vouchers')).toBe(403)

  const choose = async (item: string) => {
    await page.getByRole('button', { name: 'Actions for Checkout' }).click()
    await page.getByRole('menuitem', { name: item }).click()
  }
  await choose('Block')
  await dialog.getByRole('button', { name: 'Block', exact: true }).click()
  await page.getByText('Key blocked').waitFor()
  expect(await statusOf('GET', '/v1/campaigns?limit=1')).toBe(403)
  await choose('Let in again')
  await dialog.getByRole('button', { name: 'Let in again' }).click()
  await page.getByText('Key let in again').waitFor()
  await choose('New secret')
  await dialog.getByRole('button', { name: 'Make a new secret' }).click()
  await dialog.getByText('Copy the secret now.').waitFor()
  expect(await statusOf('GET', '/v1/campaigns?limit=1')).toBe(401)
  await dialog.getByRole('button', { name: 'I have copied it' }).click()
  await choose('Delete')
  await dialog.getByRole('button', { name: 'Delete the key' }).click()
  await page.getByText('Key deleted').waitFor()
  await settled(page)
  expect(await page.getByRole('button', { name: 'Actions for Checkout' }).count()).toBe(0)
})
