// Writes the tables of docs/reference that are made from the code.
import { ensureInstalled, nodeFlags, runNode } from './workspace.mjs'

await ensureInstalled()
process.exitCode = await runNode([...nodeFlags, 'packages/server/src/testing/write-reference.ts'])
