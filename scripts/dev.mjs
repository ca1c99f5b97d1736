import { ensureInstalled, nodeFlags, runNode } from './workspace.mjs'

await ensureInstalled('run')
const watched = ['packages/server/src', 'packages/engine/src'].flatMap((path) => ['--watch-path', path])
process.exitCode = await runNode([...nodeFlags, ...watched, 'packages/server/src/main.ts', ...process.argv.slice(2)])
