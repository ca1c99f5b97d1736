// What a load needs, from measured figures: npm run sizing -- --redemptions 2000/s --validations 8000/s
import { ensureInstalled, nodeFlags, runNode } from './workspace.mjs'

await ensureInstalled('run')
process.exitCode = await runNode([...nodeFlags, 'bench/sizing/main.ts', ...process.argv.slice(2)])
