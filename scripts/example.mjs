// Runs an example from its sources: npm start -w examples/shop
import { ensureInstalled, nodeFlags, runNode } from './workspace.mjs'

await ensureInstalled()
const [name, ...args] = process.argv.slice(2)
process.exitCode = await runNode([...nodeFlags, `examples/${name}/src/main.ts`, ...args])
