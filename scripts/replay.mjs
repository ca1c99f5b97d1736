// Evaluates stored facts with the engine and prints the verdict with its reasons: npm run replay docs/examples/facts.json
import { resolve } from 'node:path'
import { ensureInstalled, nodeFlags, runNode } from './workspace.mjs'

await ensureInstalled('run')
// npm runs scripts in the folder of the workspace; a path on the command line is relative to where it was typed.
const args = process.argv.slice(2).map((arg) => (arg.startsWith('-') ? arg : resolve(process.env.INIT_CWD ?? '.', arg)))
process.exitCode = await runNode([...nodeFlags, 'packages/server/src/main.ts', 'replay', ...args])
