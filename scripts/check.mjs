// Types, lint and format. Each runs even when an earlier one failed, so that one run shows everything.
import { availableParallelism } from 'node:os'
import { binary, ensureInstalled, runNode } from './workspace.mjs'

await ensureInstalled()
const tsc = binary('typescript/bin/tsc')
/** A checker beyond the cores only repeats what the others do. */
const checkers = String(Math.min(4, availableParallelism()))
let failed = false
for (const project of [
  'packages/engine',
  'packages/client',
  'packages/server',
  'packages/dashboard',
  'tsconfig.pages.json',
]) {
  console.log(`types: ${project}`)
  failed = (await runNode([tsc, '-p', project, '--checkers', checkers])) !== 0 || failed
}
console.log('lint and format')
failed = (await runNode([binary('@biomejs/biome/bin/biome'), 'check', '--error-on-warnings', '.'])) !== 0 || failed
process.exitCode = failed ? 1 : 0
