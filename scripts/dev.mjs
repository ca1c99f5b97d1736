// Runs the service and restarts it on every change. npm run dev -- --inspect lets a debugger attach; other arguments go to the service.
import { ensureInstalled, nodeFlags, runNode } from './workspace.mjs'

await ensureInstalled('run')
const watched = ['packages/server/src', 'packages/engine/src'].flatMap((path) => ['--watch-path', path])
const args = process.argv.slice(2)
const isForNode = (argument) => argument.startsWith('--inspect')
process.exitCode = await runNode([
  ...nodeFlags,
  ...watched,
  ...args.filter(isForNode),
  'packages/server/src/main.ts',
  ...args.filter((argument) => !isForNode(argument)),
])
