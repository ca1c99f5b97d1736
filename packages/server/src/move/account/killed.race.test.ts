import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { keysOf, newFolder, serveShop } from '../../testing/account-server.ts'
import { newProject, type Shop } from '../../testing/app.ts'
import { runAsyncActions, until } from '../../testing/background.ts'
import { anotherConnection, ownDatabase } from '../../testing/nodes.ts'
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

test('an import that is killed while it reads, and again while it writes, goes on and ends with every row once', {
  timeout: 600_000,
}, async () => {
  const codes = 3_000
  const shop = await newAccount(codes)
  const { database, url } = await ownDatabase({ migrated: false })
  await database.close()
  const folder = await newFolder()
  let slowness = 0
  const { base } = await serveShop(shop, async () => {
    await new Promise((resolve) => setTimeout(resolve, slowness))
    return null
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
  const stateOf = (name: string): Record<string, never> | null => {
    const file = join(folder.path, `${name}.json`)
    return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null
  }
  const killWhen = async (isThere: () => boolean) => {
    const { child, ended, output } = start()
    let isOver = false
    void ended.then(() => (isOver = true))
    await until(() => (isThere() || isOver ? true : undefined))
    expect(isOver, output()).toBe(false)
    child.kill('SIGKILL')
    await ended
  }

  slowness = 20
  // biome-ignore lint/suspicious/noExplicitAny: the state as it is stored
  const download = () => stateOf('download') as any
  await killWhen(() => download()?.lists.campaigns?.is_done === true && download()?.lists.redemptions === undefined)
  const startedAt = download().started_at
  slowness = 0
  // biome-ignore lint/suspicious/noExplicitAny: as above
  await killWhen(() => ((stateOf('write') as any)?.lists.vouchers ?? 0) > 0)
  expect(download().started_at).toBe(startedAt)

  const { ended, output } = start()
  // 2: without management keys, two lists are left out.
  expect(await ended, output()).toBe(2)
  const target = anotherConnection(url as string)
  const count = async (text: string) => {
    const { rows } = await target.execute(`select ${text}`)
    return Number(Object.values(rows[0] as object)[0])
  }
  expect(await count('count(*) from vouchers')).toBe(codes)
  expect(await count(`sum(delta) from tallies where name = 'vouchers'`)).toBe(codes)
  expect(await count(`sum(delta) from tallies where name = 'customers'`)).toBe(30)
  expect(await count(`sum(amount) from postings where source = 'issued'`)).toBe(codes * 1_000)
  expect(await count('count(distinct id) from postings')).toBe(codes)
})
