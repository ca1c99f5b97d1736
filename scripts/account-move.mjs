// Moves an account of a million codes from one instance into another and compares both: npm run account-move -- --codes 10000
import { ensureInstalled, nodeFlags, runNode } from './workspace.mjs'

await ensureInstalled()
process.exitCode = await runNode([...nodeFlags, 'bench/account-move.ts', ...process.argv.slice(2)])
