// Writes the generated files of packages/client from what the service declares.
import { ensureInstalled, nodeFlags, runNode } from './workspace.mjs'

await ensureInstalled()
process.exitCode = await runNode([...nodeFlags, 'packages/client/generate/write.ts'])
