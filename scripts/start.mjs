// Builds the dashboard if it is missing or stale, the guides too where their tools are installed, and runs the command line from its sources.
import { ensureDashboard } from './dashboard.mjs'
import { ensureGuides } from './guides.mjs'
import { ensureInstalled, isInstalled, nodeFlags, runNode } from './workspace.mjs'

await ensureInstalled('run')
const args = process.argv.slice(2)
const serves = startsService(args)
if (serves && process.env.DASHBOARD !== 'off' && !(await ensureDashboard()))
  console.error('The service starts without a current dashboard.')
// Beside the service, which serves them as soon as they are there: they take longer to build than a start may.
const ended = new AbortController()
const buildsGuides = serves && process.env.GUIDES !== 'off' && isInstalled('all')
const guides = buildsGuides ? ensureGuides({ signal: ended.signal }) : null
process.exitCode = await runNode([...nodeFlags, 'packages/server/src/main.ts', ...args])
ended.abort()
await guides

/** The other commands, such as `keys list`, need not wait for a build. */
function startsService(given) {
  if (given.some((each) => /^(?:-h|-v|--help|--version)$/.test(each))) return false
  const command = given.find((each) => !each.startsWith('-')) ?? 'serve'
  return command === 'serve'
}
