// Builds a publishable dist of each package, the engine first: the server is compiled against its published form. The dashboard is
// built into the dist of the server.
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { buildDashboard } from './dashboard.mjs'
import { binary, ensureInstalled, root, runNode } from './workspace.mjs'

await ensureInstalled()
for (const name of ['packages/engine', 'packages/server']) {
  rmSync(join(root, name, 'dist'), { recursive: true, force: true })
  const code = await runNode([binary('typescript/bin/tsc'), '-p', join(name, 'tsconfig.build.json')])
  if (code !== 0) process.exit(code)
  console.log(`built ${name}/dist`)
}
// The compiler does not copy the SQL files.
const functions = join('core', 'db', 'functions')
const server = join(root, 'packages/server')
cpSync(join(server, 'src', functions), join(server, 'dist', functions), {
  recursive: true,
  filter: (path) => !path.endsWith('.ts'),
})
const problem = await buildDashboard()
if (problem !== null) {
  console.error(problem)
  process.exit(1)
}
console.log('built packages/server/dist/dashboard')
