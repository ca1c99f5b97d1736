// Rewrites every generated file that is committed: openapi.json, the client's types and table of it, docs/coverage.md, the tables of docs/reference, the module matrix.
import { runNode } from './workspace.mjs'

for (const file of [
  'scripts/openapi.mjs',
  'scripts/client.mjs',
  'scripts/contract.mjs',
  'scripts/reference.mjs',
  'scripts/modules.mjs',
]) {
  const code = await runNode([file])
  if (code !== 0) process.exit(code)
}
