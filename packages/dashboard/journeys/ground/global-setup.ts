import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import type { TestProject } from 'vitest/node'
import { ensureDashboard } from '../../../../scripts/dashboard.mjs'
import { ensureGuides } from '../../../../scripts/guides.mjs'
import { testRun } from '../../../server/src/testing/scale.ts'
import { browserArguments, findBrowser } from './find-browser.ts'

declare module 'vitest' {
  interface ProvidedContext {
    journeys: {
      /** Where to connect to the browser; null: this machine has none. */
      browser: string | null
      /** See `ShopOptions`. */
      templates: string
    }
  }
}

/** Builds the dashboard and the guides if they are stale, and starts one browser for all journeys. That of `npm test` opens no guide. */
export default async function setup(project: TestProject) {
  if (!(await ensureDashboard())) throw new Error('The dashboard could not be built')
  if (testRun !== 'test' && !(await ensureGuides())) throw new Error('The guides could not be built')
  const templates = mkdtempSync(join(tmpdir(), 'guerdon-journeys-'))
  const executablePath = findBrowser()
  if (executablePath === null) tellMissing()
  const server =
    executablePath === null ? null : await chromium.launchServer({ executablePath, args: browserArguments() })
  project.provide('journeys', { browser: server?.wsEndpoint() ?? null, templates })
  return async () => {
    await server?.close()
    rmSync(templates, { recursive: true, force: true, maxRetries: 5 })
  }
}

function tellMissing(): void {
  const text =
    'NO BROWSER: Chromium was not found (CHROME_PATH, chromium, google-chrome), so NO JOURNEY of the dashboard is tested.'
  if (process.env.GUERDON_BROWSER === 'required') throw new Error(text)
  process.stderr.write(`\n${'!'.repeat(text.length)}\n${text}\n${'!'.repeat(text.length)}\n\n`)
}
