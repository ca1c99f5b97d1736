// Types, lint and format. Each runs even when an earlier one failed, so that one run shows everything.
import { binary, ensureInstalled, runNode } from './workspace.mjs'

await ensureInstalled()
const tsc = binary('typescript/bin/tsc')
let failed = false
const projects = [
  'packages/engine',
  'packages/engine/tsconfig.test.json',
  'packages/client',
  'packages/client/tsconfig.test.json',
  'packages/server',
  'packages/dashboard',
  'packages/dashboard/journeys',
  'bench',
  'examples',
  'docs/.vitepress',
]
for (const project of projects) {
  console.log(`types: ${project}`)
  failed = (await runNode([tsc, '-p', project])) !== 0 || failed
}
console.log('lint and format')
failed = (await runNode([binary('@biomejs/biome/bin/biome'), 'check', '--error-on-warnings', '.'])) !== 0 || failed
process.exitCode = failed ? 1 : 0
