// Rewrites every generated file that is committed: openapi.json, docs/coverage.md, the tables of docs/reference, the module matrix.
import { runNode } from './workspace.mjs'

for (const name of ['openapi', 'contract', 'reference', 'modules']) {
  const code = await runNode([`scripts/${name}.mjs`])
  if (code !== 0) process.exit(code)
}
