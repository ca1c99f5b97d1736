// Compares openapi.json with the operations and those with the public contract, and writes docs/coverage.md.
// With --check nothing is written, and an outdated file is a failure: npm run contract -- --check
import { ensureInstalled, nodeFlags, runNode } from './workspace.mjs'

await ensureInstalled()
process.exitCode = await runNode([...nodeFlags, 'packages/server/src/contract/command.ts', ...process.argv.slice(2)])
