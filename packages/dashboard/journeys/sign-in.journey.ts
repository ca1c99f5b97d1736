import { sql } from 'kysely'
import { TOTP } from 'otpauth'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { allowRefusal, expectNoViolations, journey, openShop, signedIn, visit } from './ground/journey.ts'
import { picture } from './ground/picture.ts'
import { addressOf } from './ground/places.ts'
import { settled } from './ground/settled.ts'
import { ownerLink, password } from './ground/sign-in.ts'

journey('the owner sets a password by the link of the first start; the link works once', async () => {
  const shop = await openShop({ own: true })
  const { email, link } = await ownerLink(shop)
  const page = await visit(shop, link)
  await page.getByText(`For ${email}`).waitFor()
  // The token is gone from the address, and with it from the history.
  expect(page.url()).toBe(`${shop.address}/dashboard/password`)
  const set = page.getByRole('button', { name: 'Set the password and sign in' })
  const field = page.getByLabel('New password', { exact: true })
  await field.fill('Password2024!')
  expect(await set.isDisabled()).toBe(true)
  await expectNoViolations(page)
  await picture(page, 'password')
  await field.fill(password)
  await set.click()
  await page.waitForURL(`**/dashboard/${shop.project_id}`)

  allowRefusal(page, 400, 'POST', '/auth/password/link')
  await page.goto(link)
  await page.getByRole('heading', { name: 'This link does not work any more' }).waitFor()
  await page.getByText('guerdon users reset').waitFor()
  await expectNoViolations(page)
})

journey('whoever opens a shared address signs in, by keyboard alone, and is there', async () => {
  const shop = await openShop()
  await signedIn(shop, 'OWNER', null)
  const shared = `${addressOf(shop, 'codes')}?q=SUMMER`
  const page = await visit(shop, shared)
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  allowRefusal(page, 401, 'POST', '/auth/session')
  await page.keyboard.type('owner@example.com')
  await page.keyboard.press('Tab')
  await page.keyboard.type('not the password')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').getByText('E-mail and password do not match.').waitFor()
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.type(password)
  await page.keyboard.press('Enter')
  await page.waitForURL(`**${shared}`)
})

journey('a link to another site is not followed after the sign-in', async () => {
  const shop = await openShop()
  await signedIn(shop, 'OWNER', null)
  const page = await visit(shop, '/dashboard/sign-in?to=//evil.example/dashboard')
  await enter(page, 'owner@example.com')
  await page.waitForURL(`**/dashboard/${shop.project_id}`)
  expect(new URL(page.url()).origin).toBe(shop.address)
})

journey('after too many attempts the page says when to try again', async () => {
  const shop = await openShop({ own: true })
  const page = await visit(shop, '/dashboard/sign-in')
  allowRefusal(page, 401, 'POST', '/auth/session')
  allowRefusal(page, 429, 'POST', '/auth/session')
  await enter(page, 'ann@example.com')
  await page.getByText('E-mail and password do not match.').waitFor()
  const { db } = shop.runtime.database
  await sql`update sign_in_brakes set retry_at = now() + interval '10 minutes'`.execute(db)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByText('Too many attempts.').waitFor()
  await page.getByText(/^Try again in (9|10) minutes\.$/).waitFor()
  expect(await page.getByRole('button', { name: 'Sign in', exact: true }).isDisabled()).toBe(true)
  await expectNoViolations(page)
})

journey('a session that ends while somebody works leads to the sign-in page, and back', async () => {
  const shop = await openShop({ own: true })
  const page = await signedIn(shop, 'OWNER', addressOf(shop, 'settings-account'))
  await settled(page)
  await sql`delete from user_sessions`.execute(shop.runtime.database.db)
  shop.runtime.credentials.forget()
  allowRefusal(page, 401, 'GET', /./)
  await page.getByRole('link', { name: 'Keys' }).click()
  await page.getByText('Your session has ended.').waitFor()
  await enter(page, 'owner@example.com')
  await page.waitForURL(`**${addressOf(shop, 'settings-keys')}`)
  await page.getByRole('button', { name: 'Make a key' }).waitFor()
})

journey('a second factor is switched on, asked for, replaced by a recovery code, and switched off', async () => {
  const shop = await openShop({ own: true })
  const page = await signedIn(shop, 'OWNER', addressOf(shop, 'settings-account'))
  await page.getByRole('button', { name: 'Switch on' }).click()
  // Not whoever finds the browser open: the owner would be locked out.
  const dialog = page.getByRole('dialog')
  allowRefusal(page, 401, 'POST', '/auth/totp')
  await dialog.getByLabel('Your password').fill('not the password')
  await page.keyboard.press('Enter')
  await dialog.getByText('The password is not right.').waitFor()
  await expectNoViolations(page)
  await dialog.getByLabel('Your password').fill(password)
  await dialog.getByRole('button', { name: 'Continue' }).click()
  const secret = (await page.getByText(/^[A-Z2-7]{4}( [A-Z2-7]{4})+$/).innerText()).replaceAll(' ', '')
  // The page shows it from an address of its own making, which the policy must allow.
  const qr = page.getByRole('img', { name: 'QR code for an authenticator app' })
  await expect.poll(() => qr.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0)
  await expectNoViolations(page)
  await picture(page, 'second-factor')
  await page.getByLabel('Code of the app').fill(codeOf(secret, 0))
  await dialog.getByRole('button', { name: 'Switch on' }).click()
  await dialog.getByText('The second factor is on.').waitFor()
  const codes = await page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem').allInnerTexts()
  expect(codes.length).toBe(10)
  await expectNoViolations(page)
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download' }).click(),
  ])
  expect(download.suggestedFilename()).toBe('guerdon-recovery-codes.txt')
  await page.getByRole('button', { name: 'I have kept them' }).click()
  await page.getByRole('button', { name: 'Switch off' }).waitFor()

  await signOut(page)
  allowRefusal(page, 401, 'POST', '/auth/session')
  await enter(page, 'owner@example.com')
  const code = page.getByLabel('Code of your authenticator app')
  await code.fill('000 000')
  await page.keyboard.press('Enter')
  await page.getByText('This code is not right.').waitFor()
  await expectNoViolations(page)
  // The next one: each works once, and the first was used to switch it on.
  await code.fill(codeOf(secret, 1))
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/dashboard/${shop.project_id}`)

  await signOut(page)
  await enter(page, 'owner@example.com')
  await page.getByRole('button', { name: 'Use a recovery code' }).click()
  await page.getByLabel('Recovery code').fill(codes[3] as string)
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/dashboard/${shop.project_id}`)

  await page.goto(addressOf(shop, 'settings-account'))
  await page.getByRole('button', { name: 'Switch off' }).click()
  await dialog.getByLabel('Your password').fill(password)
  await dialog.getByRole('button', { name: 'Switch off' }).click()
  await page.getByRole('button', { name: 'Switch on' }).waitFor()
  await signOut(page)
  await enter(page, 'owner@example.com')
  await page.waitForURL(`**/dashboard/${shop.project_id}`)
})

journey('sessions are listed; ending one, or changing the password, signs the other browser out', async () => {
  const shop = await openShop({ own: true })
  const other = await signedIn(shop, 'OWNER', addressOf(shop, 'codes'))
  // A second browser of the same person: a sign-in with the password, which ends nothing.
  const page = await visit(shop, '/dashboard/sign-in')
  await enter(page, 'owner@example.com')
  await page.waitForURL(`**/dashboard/${shop.project_id}`)
  await page.goto(addressOf(shop, 'settings-account'))
  await page.getByText('this one').waitFor()
  expect(await page.getByRole('row').count()).toBe(3)
  await picture(page, 'account')
  await page.getByRole('button', { name: /^End the session/ }).click()
  await page.getByText('Session ended').waitFor()
  await expect.poll(() => page.getByRole('row').count()).toBe(2)
  allowRefusal(other, 401, 'GET', /./)
  await other.reload()
  await other.getByRole('heading', { name: 'Sign in' }).waitFor()

  allowRefusal(page, 401, 'POST', '/auth/password')
  await page.getByRole('button', { name: 'Change' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Present password').fill('not the password')
  await dialog.getByLabel('New password', { exact: true }).fill('nine herons under the bridge')
  await dialog.getByRole('button', { name: 'Change the password' }).click()
  await dialog.getByText('The present password is not right.').waitFor()
  await expectNoViolations(page)
  await dialog.getByLabel('Present password').fill(password)
  await dialog.getByRole('button', { name: 'Change the password' }).click()
  await page.getByText('Password changed').waitFor()
  // Still signed in: the change has begun a new session here.
  await page.getByRole('link', { name: 'Keys' }).click()
  await page.getByRole('button', { name: 'Make a key' }).waitFor()
})

journey('signing out in one tab leads the others to the sign-in page, and back to where they were', async () => {
  const shop = await openShop()
  const page = await signedIn(shop, 'OWNER', addressOf(shop, 'codes'))
  await settled(page)
  const other = await page.context().newPage()
  await other.goto(addressOf(shop, 'overview'))
  await signOut(other)
  allowRefusal(page, 401, 'GET', /./)
  await page.getByRole('link', { name: 'Customers' }).click()
  await page.getByText('Your session has ended.').waitFor()
  await enter(page, 'owner@example.com')
  await page.waitForURL(addressOf(shop, 'customers'))
})

async function enter(page: Page, email: string): Promise<void> {
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: /owner@example\.com/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
}

/** What an app shows `steps` half minutes from now. */
const codeOf = (secret: string, steps: number): string =>
  new TOTP({ secret }).generate({ timestamp: Date.now() + steps * 30_000 })
