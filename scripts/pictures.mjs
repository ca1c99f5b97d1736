// Takes pictures of every place of the dashboard, light and dark, into docs/pictures; npm run pictures -- codes takes those of one.
import { ensureDashboard } from './dashboard.mjs'
import { ensureInstalled, nodeFlags, runNode } from './workspace.mjs'

await ensureInstalled()
if (!(await ensureDashboard())) process.exit(1)
const pictures = 'packages/dashboard/journeys/ground/take-pictures.ts'
process.exitCode = await runNode([...nodeFlags, pictures, ...process.argv.slice(2)])
