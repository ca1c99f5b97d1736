import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { Database } from '../../core/db/database.ts'
import { keysOf, newFolder, serveShop } from '../../testing/account-server.ts'
import { newProject, type Shop } from '../../testing/app.ts'
import { runAsyncActions } from '../../testing/background.ts'
import { backendOf, untilOthersWait } from '../../testing/lock-waits.ts'
import { ownDatabase } from '../../testing/nodes.ts'
import { runGuerdon } from '../../testing/process.ts'
import { asyncActions } from '../../work.ts'

async function newAccount(codes: number): Promise<Shop> {
  const shop = await newProject()
  const voucher = { type: 'GIFT_VOUCHER', gift: { amount: 1_000 }, code_config: { length: 10 } }
  await shop.call('POST', '/v1/campaigns', {
    name: 'Cards',
    campaign_type: 'GIFT_VOUCHERS',
    vouchers_count: codes,
    voucher,
  })
  await runAsyncActions(shop.service.runtime, shop.project_id, asyncActions)
  for (let n = 0; n < 30; n++) await shop.call('POST', '/v1/customers', { source_id: `c${n}` })
  return shop
}

/** From the second batch of codes on, whoever inserts some waits for a lock that the caller of this function has, until it opens. */
async function holdCodes(database: Database) {
  await sql`
    create function wait_for_test() returns trigger language plpgsql as $$ begin
      if exists (select from vouchers) then perform pg_advisory_xact_lock(74, 1); end if;
      return null;
    end $$`.execute(database.db)
  await sql`create trigger held before insert on vouchers for each statement execute function wait_for_test()`.execute(
    database.db,
  )
  const trx = await database.db.startTransaction().execute()
  await sql`select pg_advisory_xact_lock(74, 1)`.execute(trx)
  const pid = await backendOf(trx)
  return {
    isWaitedFor: () => untilOthersWait(database, pid),
    async open() {
      await trx.rollback().execute()
      await sql`drop function wait_for_test cascade`.execute(database.db)
    },
  }
}

test('an import that is killed while it reads, and again while it writes, goes on and ends with every row once', {
  timeout: 600_000,
}, async () => {
  const codes = 3_000
  const shop = await newAccount(codes)
  const { database, url } = await ownDatabase()
  const folder = await newFolder()
  const customersAsked = Promise.withResolvers<void>()
  let isKilled = false
  const { base } = await serveShop(shop, async ({ pathname }) => {
    if (pathname !== '/v1/customers' || isKilled) return null
    customersAsked.resolve()
    return new Promise(() => {}) // no answer: the import cannot end before it is killed
  })
  const keys = keysOf(shop, base)
  const start = () =>
    runGuerdon(
      [
        'import',
        'voucherify',
        '--base',
        base,
        '--app-id',
        keys.app_id,
        '--app-token',
        keys.app_token,
        '--folder',
        folder.path,
      ],
      { DATABASE_URL: url as string, LOG_LEVEL: 'error' },
    )
  const stateOf = (name: string) => JSON.parse(readFileSync(join(folder.path, `${name}.json`), 'utf8'))
  const killWhen = async (isHeld: Promise<void>) => {
    const { child, ended, output } = start()
    const first = await Promise.race([isHeld.then(() => 'held'), ended.then(() => 'ended')])
    expect(first, output()).toBe('held')
    child.kill('SIGKILL')
    await ended
    isKilled = true
  }

  await killWhen(customersAsked.promise)
  const { lists, started_at: startedAt } = stateOf('download')
  expect(lists.campaigns.is_done).toBe(true)
  expect(lists.vouchers).toBeUndefined()

  const held = await holdCodes(database)
  await killWhen(held.isWaitedFor())
  expect(stateOf('download').started_at).toBe(startedAt)
  expect(stateOf('write').lists.vouchers).toBeGreaterThan(0)
  expect(stateOf('write').lists.vouchers).toBeLessThan(stateOf('download').lists.vouchers.bytes)
  await held.open()

  const { ended, output } = start()
  // 2: without management keys, two lists are left out.
  expect(await ended, output()).toBe(2)
  const count = async (text: string) => {
    const { rows } = await database.execute(`select ${text}`)
    return Number(Object.values(rows[0] as object)[0])
  }
  expect(await count('count(*) from vouchers')).toBe(codes)
  expect(await count(`sum(delta) from tallies where name = 'vouchers'`)).toBe(codes)
  expect(await count(`sum(delta) from tallies where name = 'customers'`)).toBe(30)
  expect(await count(`sum(amount) from postings where source = 'issued'`)).toBe(codes * 1_000)
  expect(await count('count(distinct id) from postings')).toBe(codes)
})
