// Builds a publishable dist of each package, the engine first: the server is compiled against its published form. The dashboard
// and the guides are built into the dist of the server.
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { buildDashboard } from './dashboard.mjs'
import { buildGuides } from './guides.mjs'
import { binary, ensureInstalled, root, runNode } from './workspace.mjs'

await ensureInstalled()
for (const name of ['packages/engine', 'packages/client', 'packages/server']) {
  rmSync(join(root, name, 'dist'), { recursive: true, force: true })
  const code = await runNode([binary('typescript/bin/tsc'), '-p', join(name, 'tsconfig.build.json')])
  if (code !== 0) process.exit(code)
  console.log(`built ${name}/dist`)
}
// The compiler does not copy the SQL files, nor what /docs sends to browsers and shows as examples.
const server = join(root, 'packages/server')
for (const folder of [join('core', 'db', 'functions'), join('platform', 'docs')])
  cpSync(join(server, 'src', folder), join(server, 'dist', folder), {
    recursive: true,
    filter: (path) => !path.endsWith('.ts'),
  })
for (const [name, build] of Object.entries({ dashboard: buildDashboard, guides: buildGuides })) {
  const problem = await build()
  if (problem !== null) {
    console.error(problem)
    process.exit(1)
  }
  console.log(`built packages/server/dist/${name}`)
}
