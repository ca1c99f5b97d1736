import { ensureInstalled, nodeFlags, runNode } from './workspace.mjs'

await ensureInstalled('run')
process.exitCode = await runNode([...nodeFlags, 'packages/server/src/main.ts', ...process.argv.slice(2)])
