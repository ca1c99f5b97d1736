import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, inject, onTestFinished, test } from 'vitest'
import { runLoad } from '../testing/checkout-load/load.ts'
import { openShop, pause, query, type Shop, startNode } from '../testing/checkout-load/shop.ts'
import { createDatabase, startPostgres } from '../testing/postgres.ts'

const times = Number(process.env.GUERDON_TORTURE_CRASHES ?? 1)
const seed = Number(process.env.GUERDON_TORTURE_SEED ?? Date.now() % 1_000_000)
const timeout = (times * 30 + 120) * 1_000

/** How long everything runs before each crash. */
const calm_ms = 600

async function openedShop(url: string): Promise<Shop> {
  const shop = await openShop(url)
  onTestFinished(() => shop.close())
  return shop
}

/**
 * Whatever was acknowledged is there, nothing is there in part, and a request that nobody answered is done once when it is
 * sent again with its key; what sessions held when it happened is free when they have ended.
 */
async function expectNothingLost(shop: Shop, crash: () => Promise<void>): Promise<void> {
  const report = await runLoad(shop, {
    seed,
    seconds: 0,
    async meanwhile() {
      for (let crashes = 0; crashes < times; crashes += 1) {
        await pause(calm_ms)
        await crash()
      }
      await pause(calm_ms / 2)
    },
  })
  expect(report.violations).toEqual([])
  expect(report.unanswered).toBeGreaterThan(0) // somebody was hit
}

test(`kill -9 of a server process in the middle of checkouts, ${times} times (seed ${seed})`, { timeout }, async () => {
  const given = inject('database')
  if (given.kind !== 'postgres') throw new Error('runs on PostgreSQL only')
  const { url, drop } = await createDatabase(given.url, { template: given.template })
  onTestFinished(drop)
  const shop = await openedShop(url)
  let next = 0
  await expectNothingLost(shop, async () => {
    const victim = next++ % shop.nodes.length
    await shop.nodes[victim]?.kill()
    shop.nodes[victim] = await startNode(url)
  })
})

// The one that TEST_DATABASE_URL names is not ours to kill.
test.skipIf(process.env.TEST_DATABASE_URL)(
  `kill -9 of PostgreSQL in the middle of checkouts, ${times} times (seed ${seed})`,
  { timeout },
  async () => {
    const server = await startMortalPostgres()
    onTestFinished(() => server.stop())
    const shop = await openedShop(server.url)
    await expectNothingLost(shop, async () => {
      await server.kill()
      await pause(1_200) // so long that who waits a second before it tries again tries in vain
      await server.start()
    })
    const [{ listeners }] = await query(
      shop,
      `select count(*) as listeners from pg_stat_activity where application_name = 'guerdon-listen'`,
    )
    expect(listeners).toBeLessThanOrEqual(shop.nodes.length)
  },
)

interface MortalPostgres {
  url: string
  /** Ends all of its processes at once, as if they had been in a container that is gone. */
  kill(): Promise<void>
  /** Starts it again on the same folder. */
  start(): Promise<void>
  stop(): Promise<void>
}

/** A PostgreSQL of its own, which is started again with the command that it was started with. */
async function startMortalPostgres(): Promise<MortalPostgres> {
  const { url } = await startPostgres()
  const server = { database_url: url }
  const [{ data_directory: folder }] = await query(server, 'show data_directory')
  const [command = '', ...args] = readFileSync(join(folder, 'postmaster.opts'), 'utf8')
    .trim()
    .split(/ "|"(?: "|$)/)
    .filter((word) => word !== '')
  // A page that was being written when its process died may be torn.
  const careful = args.map((word) => word.replace('full_page_writes=off', 'full_page_writes=on'))
  const { uid, gid } = statSync(folder)
  let running: ChildProcess | undefined

  const isRunning = () => running !== undefined && running.exitCode === null && running.signalCode === null
  const end = async (signal: NodeJS.Signals) => {
    running?.kill(signal)
    while (isRunning()) await pause(5)
  }
  const start = async () => {
    for (let tries = 0; tries < 300; tries += 1) {
      // It does not start as long as a process of the one before is alive.
      if (!isRunning()) running = spawn(command, careful, { uid, gid, stdio: 'ignore' })
      await pause(50)
      if (await query(server, 'select 1').catch(() => null)) return
    }
    throw new Error('PostgreSQL did not start again')
  }

  const pid_file = join(folder, 'postmaster.pid') // there as long as it runs
  process.kill(Number(readFileSync(pid_file, 'utf8').split('\n')[0]), 'SIGINT')
  while (existsSync(pid_file)) await pause(20)
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
          // It has ended by itself.
        }
      await dead
    },
    async stop() {
      await end('SIGINT')
      rmSync(dirname(folder), { recursive: true, force: true })
    },
  }
}
