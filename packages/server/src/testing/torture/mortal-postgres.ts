import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { endWithUs } from '../checkout-load/end-with-us.ts'
import { pause, query } from '../checkout-load/shop.ts'
import { startPostgres } from '../postgres.ts'

export interface MortalPostgres {
  /** URL of its maintenance database. */
  url: string
  /** Kills all of its processes at once, as if their container had been removed. */
  kill(): Promise<void>
  /** Starts it again on the same folder. */
  start(): Promise<void>
  stop(): Promise<void>
}

export interface OpenPostgres {
  url: string
  /** Null for a PostgreSQL that we did not start, which must not be killed. */
  mortal: MortalPostgres | null
  stop(): Promise<void>
}

/** The PostgreSQL at the URL, or a temporary one. */
export async function openPostgres(url: string | undefined): Promise<OpenPostgres> {
  if (url) return { url, mortal: null, stop: async () => {} }
  const mortal = await startMortalPostgres()
  return { url: mortal.url, mortal, stop: mortal.stop }
}

/** Starts a PostgreSQL that can be killed and restarted with the command it was first started with. */
async function startMortalPostgres(): Promise<MortalPostgres> {
  const { url } = await startPostgres({ url: '' })
  const server = { database_url: url }
  const [{ data_directory: folder }] = await query(server, 'show data_directory')
  const [command = '', ...args] = readFileSync(join(folder, 'postmaster.opts'), 'utf8')
    .trim()
    .split(/ "|"(?: "|$)/)
    .filter((word) => word !== '')
  // A page that was being written when its process was killed may be torn, so full page writes are on.
  const safeArgs = args.map((word) => word.replace('full_page_writes=off', 'full_page_writes=on'))
  const { uid, gid } = statSync(folder)
  let running: ChildProcess | undefined

  const isRunning = () => running !== undefined && running.exitCode === null && running.signalCode === null
  const end = async (signal: NodeJS.Signals) => {
    running?.kill(signal)
    while (isRunning()) await pause(5)
  }
  const start = async () => {
    const deadline = Date.now() + 120_000
    while (Date.now() < deadline) {
      // PostgreSQL does not start while a process of the killed one is alive, so this retries.
      if (!isRunning()) {
        running = spawn(command, safeArgs, { uid, gid, stdio: 'ignore' })
        endWithUs(running, 'SIGQUIT')
      }
      await pause(50)
      if (await query(server, 'select 1').catch(() => null)) return
    }
    throw new Error('PostgreSQL did not start again')
  }

  const pidFile = join(folder, 'postmaster.pid') // exists while it runs
  process.kill(Number(readFileSync(pidFile, 'utf8').split('\n')[0]), 'SIGINT')
  while (existsSync(pidFile)) await pause(20)
  await start()
  return {
    url,
    start,
    async kill() {
      const backends = await query(server, 'select pid from pg_stat_activity')
      const dead = end('SIGKILL')
      for (const { pid } of backends)
        try {
          process.kill(pid, 'SIGKILL')
        } catch {
          // The process has ended already.
        }
      await dead
    },
    async stop() {
      await end('SIGINT')
      rmSync(dirname(folder), { recursive: true, force: true })
    },
  }
}
