// Writes packages/server/openapi.json from the table of operations.
import { ensureInstalled, nodeFlags, runNode } from './workspace.mjs'

await ensureInstalled()
process.exitCode = await runNode([...nodeFlags, 'packages/server/src/testing/write-openapi.ts'])
