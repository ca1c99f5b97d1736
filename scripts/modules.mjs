// Writes the diagram of the modules and their imports into docs/architecture.md; a test compares it (docs.test.ts).
import { ensureInstalled, nodeFlags, runNode } from './workspace.mjs'

await ensureInstalled()
process.exitCode = await runNode([...nodeFlags, 'packages/server/src/testing/write-modules.ts'])
