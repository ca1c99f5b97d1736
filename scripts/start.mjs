// Builds the dashboard if it is missing or stale, and runs the command line from its sources.
import { ensureDashboard } from './dashboard.mjs'
import { ensureInstalled, nodeFlags, runNode } from './workspace.mjs'

await ensureInstalled('run')
const args = process.argv.slice(2)
if (servesDashboard(args) && !(await ensureDashboard()))
  console.error('The service starts without a current dashboard.')
process.exitCode = await runNode([...nodeFlags, 'packages/server/src/main.ts', ...args])

/** Whether the command starts the service: the others, such as `keys list`, need not wait for a build. */
function servesDashboard(given) {
  if (process.env.DASHBOARD === 'off' || given.some((each) => /^(?:-h|-v|--help|--version)$/.test(each))) return false
  const command = given.find((each) => !each.startsWith('-')) ?? 'serve'
  return command === 'serve'
}
