import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Browser, chromium, type Page } from 'playwright-core'
import { expect, inject, onTestFinished } from 'vitest'
import { violationsOn } from './ground/accessibility.ts'
import { newContext } from './ground/browser-context.ts'
import { findBrowser } from './ground/find-browser.ts'
import { expectNoViolations, journey, openShop, visit } from './ground/journey.ts'
import { type PageWatch, watchPage } from './ground/watch-page.ts'

/* That the ground of the journeys notices what it promises to notice. */

journey('the built page opens at every address, under its policy, without a complaint', async () => {
  const shop = await openShop({ filling: 'nothing' })
  const page = await visit(shop, '/dashboard/codes/anything?x=1')
  await page.waitForFunction(() => document.querySelector('#root')?.childElementCount !== 0)
  expect(await page.title()).toContain('Guerdon')
  await page.goto('/')
  expect(new URL(page.url()).pathname).toBe('/dashboard/')
})

journey('a script or a style that is not of the service does not run, and the watch tells', async () => {
  const { page, watch } = await watched(await openShop({ filling: 'nothing' }))
  await page.goto('/dashboard/')
  await page.evaluate(() => {
    const script = document.createElement('script')
    script.textContent = 'window.hasRun = true'
    const style = document.createElement('style')
    style.textContent = 'body { color: red }'
    document.head.append(script, style)
    document.body.style.color = 'blue' // through the object model, as popups are positioned: allowed
  })
  expect(await page.evaluate(() => 'hasRun' in window)).toBe(false)
  expect(await page.evaluate(() => document.body.style.color)).toBe('blue')
  await expect
    .poll(() => watch.problems())
    .toContainEqual(expect.stringMatching(/Content-Security-Policy: script-src-elem blocked inline/))
  expect(await watch.problems()).toContainEqual(
    expect.stringMatching(/Content-Security-Policy: style-src-elem blocked inline/),
  )
})

journey('errors of the console and of scripts, refusals, failures and slow answers are told', async () => {
  const site = await serve(async (path) => {
    if (path === '/slow') await new Promise((resolve) => setTimeout(resolve, 1_100))
    return { '/': 200, '/slow': 200, '/allowed': 409 }[path] ?? 404
  })
  const { page, watch } = await watched({ address: site })
  watch.allow(409, 'GET', /^\/allow/)
  await page.goto('/')
  await page.evaluate(async () => {
    // biome-ignore lint/suspicious/noConsole: this runs in the page, which shall complain
    console.error('it is broken')
    setTimeout(() => {
      throw new Error('it threw')
    })
    for (const path of ['/slow', '/missing', '/allowed']) await fetch(path)
    await fetch('http://127.0.0.1:1/').catch(() => {})
  })
  const problems = await watch.problems()
  expect(problems).toEqual([
    'The console says: it is broken',
    expect.stringContaining('A script failed: Error: it threw'),
    `GET ${site}/missing was answered with 404`,
    expect.stringMatching(/^GET http:\/\/127\.0\.0\.1:1\/: net::/),
    expect.stringMatching(/^GET .+\/slow took \d{4,} ms or more, four times$/),
  ])
})

journey('an answer that was slow once, on a busy machine, is no problem', async () => {
  let calls = 0
  const site = await serve(async () => {
    calls += 1
    if (calls === 2) await new Promise((resolve) => setTimeout(resolve, 1_100))
    return 200
  })
  const { page, watch } = await watched({ address: site })
  await page.goto('/')
  await page.evaluate(() => fetch('/slow-once'))
  expect(await watch.problems()).toEqual([])
  expect(calls).toBeGreaterThanOrEqual(3)
})

journey('axe finds what only one of light and dark has', async () => {
  const site = await serve(async () => 200)
  const { page } = await watched({ address: site })
  await page.goto('/')
  await expectNoViolations(page)
  await page.evaluate(() => {
    const style = document.createElement('style')
    style.textContent = '@media (prefers-color-scheme: dark) { body { background: #222; color: #333 } }'
    document.head.append(style)
  })
  const violations = await violationsOn(page)
  expect(violations).not.toEqual([])
  expect(violations.every((text) => text.startsWith('dark: color-contrast'))).toBe(true)
})

journey('CHROME_PATH must name a program', () => {
  expect(() => findBrowser({ CHROME_PATH: '/nowhere/chrome' })).toThrow('CHROME_PATH: /nowhere/chrome is no program')
  expect(findBrowser({ PATH: '/nowhere' }) ?? '').not.toContain('/nowhere')
})

/** A page whose problems the test expects: they do not fail it. */
async function watched(shop: { address: string }): Promise<{ page: Page; watch: PageWatch }> {
  const browser: Browser = await chromium.connect(inject('journeys').browser as string)
  onTestFinished(() => browser.close())
  const page = await (await newContext(browser, shop)).newPage()
  return { page, watch: await watchPage(page) }
}

/** A site whose every path is a small accessible page, with the status that `answer` gives. */
async function serve(answer: (path: string) => Promise<number>): Promise<string> {
  const server = createServer(async ({ url = '/' }, response) => {
    response
      .writeHead(url === '/favicon.ico' ? 200 : await answer(url), { 'Content-Type': 'text/html' })
      .end('<!doctype html><html lang="en"><title>A</title><main><h1>A page</h1></main></html>')
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
