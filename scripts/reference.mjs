// Writes the generated tables of docs/reference.
import { ensureInstalled, nodeFlags, runNode } from './workspace.mjs'

await ensureInstalled()
process.exitCode = await runNode([...nodeFlags, 'packages/server/src/testing/write-reference.ts'])
