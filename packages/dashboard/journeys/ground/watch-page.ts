import { setTimeout as sleep } from 'node:timers/promises'
import type { Page, Request, Response } from 'playwright-core'

/** What went wrong on a page, as sentences. */
export interface PageWatch {
  /** Says that the journey provokes this refusal. */
  allow(status: number, method: string, path: string | RegExp): void
  /** Waits for what is not answered yet, repeats what was slow, and returns everything that went wrong so far. */
  problems(): Promise<string[]>
}

/** How long a page may wait for an answer. */
const answerMsMax = 1_000
/** A change cannot be repeated to see whether the machine was busy, so it is allowed as long as a busy machine may need. */
const changeMsMax = 5_000

/**
 * Watches a page from its first request on: errors in the console and in scripts, violations of the Content-Security-Policy, refusals
 * and failures that the journey does not expect, and slow answers.
 */
export async function watchPage(page: Page): Promise<PageWatch> {
  const found: string[] = []
  const waiting = new Set<Request>()
  const slow = new Set<Request>()
  // Who is not signed in learns it by this refusal.
  const allowed = [{ status: 401, method: 'GET', path: '/auth/session' as string | RegExp }]
  const isAllowed = (response: Response) =>
    allowed.some(
      ({ status, method, path }) =>
        status === response.status() && method === response.request().method() && isPath(pathOf(response.url()), path),
    )

  // Chromium logs violations too, but not those in frames and workers.
  await page.addInitScript(() =>
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) =>
      // biome-ignore lint/suspicious/noConsole: this runs in the page, and the console is how the journey hears of it
      console.error(`Content-Security-Policy: ${violatedDirective} blocked ${blockedURI} ${sample}`),
    ),
  )
  page.on('console', (message) => {
    // A refused request is judged by its response.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      found.push(`The console says: ${message.text()}`)
  })
  page.on('pageerror', (error) => found.push(`A script failed: ${error.stack ?? error.message}`))
  page.on('crash', () => found.push('The page crashed'))
  page.on('request', (request) => void waiting.add(request))
  page.on('response', (response) => {
    const request = response.request()
    waiting.delete(request)
    if (response.status() >= 400 && !isAllowed(response))
      found.push(`${nameOf(request)} was answered with ${response.status()}`)
    // Not when it has ended, which is late if the page never reads the body.
    const ms = durationMs(request)
    if (isRepeatable(request)) {
      if (ms > answerMsMax) slow.add(request)
    } else if (ms > changeMsMax) found.push(`${nameOf(request)} took ${Math.round(ms)} ms`)
  })
  page.on('requestfailed', (request) => {
    waiting.delete(request)
    // A page that is left, or a query that nobody waits for any more, aborts its requests.
    const why = request.failure()?.errorText ?? 'failed'
    if (why !== 'net::ERR_ABORTED') found.push(`${nameOf(request)}: ${why}`)
  })
  return {
    allow: (status, method, path) => void allowed.push({ status, method, path }),
    async problems() {
      const until = performance.now() + changeMsMax
      while (waiting.size > 0 && performance.now() < until && !page.isClosed()) await sleep(20)
      for (const request of waiting) found.push(`${nameOf(request)} was not answered`)
      waiting.clear()
      for (const request of slow) {
        const ms = await shortestMs(page, request)
        if (ms > answerMsMax) found.push(`${nameOf(request)} took ${Math.round(ms)} ms or more, four times`)
      }
      slow.clear()
      return [...found]
    },
  }
}

const pathOf = (url: string): string => new URL(url).pathname
const isPath = (path: string, wanted: string | RegExp): boolean =>
  typeof wanted === 'string' ? path === wanted : wanted.test(path)
const nameOf = (request: Request): string => `${request.method()} ${request.url()}`

function durationMs(request: Request): number {
  const { requestStart, responseStart } = request.timing()
  return responseStart - Math.max(requestStart, 0)
}

/** Calculations that save nothing, although they are posted. */
const calculations = /^\/v1\/(?:validations|qualifications|promotions\/validation|.+\/(?:validate|qualification))$/

const isRepeatable = (request: Request): boolean =>
  request.method() === 'GET' || (request.method() === 'POST' && calculations.test(pathOf(request.url())))

/** The shortest of three more calls: on a machine that does other work too, a slow answer is slow every time only if it is to blame. */
async function shortestMs(page: Page, request: Request): Promise<number> {
  let shortest = durationMs(request)
  for (let attempt = 0; attempt < 3 && shortest > answerMsMax; attempt += 1) {
    const startedAt = performance.now()
    await (await page.context().request.fetch(request)).body()
    shortest = Math.min(shortest, performance.now() - startedAt)
  }
  return shortest
}
