import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { allowRefusal, expectNoViolations, journey, openShop, visit } from './ground/journey.ts'
import { picture } from './ground/picture.ts'
import { settled } from './ground/settled.ts'

/* The guides as a reader sees them. Like every journey, these fail on a violation of the Content-Security-Policy. */

/** Opens a page of the guides and returns it with the hosts that it asked for anything. */
async function open(path: string): Promise<{ page: Page; hosts: Set<string>; host: string }> {
  const shop = await openShop({ filling: 'nothing' })
  const page = await visit(shop, null)
  const hosts = new Set<string>()
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (url.protocol.startsWith('http')) hosts.add(url.host)
  })
  await page.goto(path)
  await settled(page)
  return { page, hosts, host: new URL(shop.address).host }
}

for (const [name, path] of [
  ['home', '/guides/'],
  ['concept', '/guides/concepts/stacking.html'],
  ['start', '/guides/tutorial.html'],
  ['reference', '/guides/reference/errors.html'],
  ['operate', '/guides/operate/nodes.html'],
  ['decide', '/guides/decide/compare.html'],
] as const)
  journey(`${path} is readable in light and dark, and asks no other host for anything`, async () => {
    const { page, hosts, host } = await open(path)
    if (name !== 'home')
      await page.getByRole('navigation', { name: 'Sidebar Navigation' }).getByRole('link').nth(2).waitFor()
    await expectNoViolations(page)
    await picture(page, `guides-${name}`)
    expect([...hosts]).toEqual([host])
  })

journey('search finds the page about stacking, without a request to anybody else', async () => {
  const { page, hosts, host } = await open('/guides/')
  await page.getByRole('button', { name: 'Search' }).click()
  await page.getByRole('searchbox').fill('stacking')
  const found = page.locator('#localsearch-list')
  await found.getByRole('option').first().waitFor()
  await picture(page, 'guides-search')
  await found.locator('a[href*="concepts/stacking.html"]').first().click()
  await page.getByRole('heading', { level: 1, name: 'Stacking' }).waitFor()
  expect([...hosts]).toEqual([host])
})

journey('a link of one page opens the next without loading the site again, and a wrong address says so', async () => {
  const { page } = await open('/guides/tutorial.html')
  await page.locator('.vp-doc').getByRole('link', { name: 'docs/reference' }).click()
  await page.getByRole('heading', { level: 1, name: 'Reference' }).waitFor()
  allowRefusal(page, 404, 'GET', '/guides/nowhere')
  await page.goto('/guides/nowhere')
  await page.getByText('PAGE NOT FOUND').waitFor()
})
