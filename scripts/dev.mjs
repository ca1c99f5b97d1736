// Runs the service and restarts it on every change, and Vite, which serves the dashboard from its sources and passes all other requests
// on to the service. npm run dev -- --inspect lets a debugger attach; other arguments go to the service.
import { binary, ensureInstalled, nodeFlags, runNode } from './workspace.mjs'

await ensureInstalled('run')
const watched = ['packages/server/src', 'packages/engine/src'].flatMap((path) => ['--watch-path', path])
const args = process.argv.slice(2)
const isForNode = (argument) => argument.startsWith('--inspect')
const { PORT: port = '8010', DASHBOARD: dashboard } = process.env
// A browser sees the address of Vite: links that the service prints lead there, and it accepts changes from there.
const env = dashboard === 'off' ? process.env : { BASE_URL: 'http://127.0.0.1:5173', ...process.env }
const either = new AbortController()
const service = runNode(
  [
    ...nodeFlags,
    ...watched,
    ...args.filter(isForNode),
    'packages/server/src/main.ts',
    ...args.filter((argument) => !isForNode(argument)),
  ],
  { env, signal: either.signal },
)
const running = [service]
if (dashboard !== 'off')
  running.push(
    runNode([binary('vite/bin/vite.js'), 'packages/dashboard', '--clearScreen', 'false'], {
      env: { ...process.env, GUERDON_URL: process.env.GUERDON_URL ?? `http://127.0.0.1:${port}` },
      signal: either.signal,
    }),
  )
process.exitCode = await Promise.race(running)
either.abort()
await Promise.all(running)
