import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { Database, Db } from '../../core/db/database.ts'
import { foldTallies } from '../../core/db/tallies.ts'
import { newProjectOn, type Shop } from '../../testing/app.ts'
import { until } from '../../testing/background.ts'
import { newCampaign, newVoucher } from '../../testing/campaigns.ts'
import { backendOf, untilOthersWait } from '../../testing/lock-waits.ts'
import { addPoints, newEarningRules, newMember, newProgram, ofAmount } from '../../testing/loyalty.ts'
import { anotherConnection, openNode, ownDatabase } from '../../testing/nodes.ts'
import { ok } from '../../testing/orders.ts'
import { comparedFigures, plainFiguresByHour, plainOwed } from '../../testing/plain-statistics.ts'
import { addUpAllOf } from '../../testing/statistics.ts'
import { addUp } from './add-up.ts'
import { rebuildStatistics } from './work.ts'

const start = Date.parse('2026-03-28T20:00:00.000Z')

/** A shop whose clock runs an hour per second, over the beginning of summer time. */
async function newShop(timezone: string): Promise<Shop & { url: string }> {
  const { database, url } = await ownDatabase()
  const begin = Date.now()
  const now = () => start + (Date.now() - begin) * 3_600
  const node = await openNode(database, { now })
  const service = { ...node, clock: { now, set: () => {}, advance: () => {} } }
  return { ...(await newProjectOn(service, { timezone })), url: url as string }
}

/** What a busy shop does: `rounds` of each, at once. */
async function doBusiness(shop: Shop, rounds: number) {
  const campaign = await newCampaign(shop, 'Coupons', {
    voucher: { type: 'DISCOUNT_VOUCHER', discount: { type: 'AMOUNT', amount_off: 300 } },
    type: 'AUTO_UPDATE',
  })
  const gifts = await newCampaign(shop, 'Gifts', {
    campaign_type: 'GIFT_VOUCHERS',
    type: 'AUTO_UPDATE',
    voucher: { type: 'GIFT_VOUCHER', gift: { amount: 5_000 }, redemption: { quantity: null } },
  })
  const program = await newProgram(shop)
  await newEarningRules(shop, program, ofAmount(100, 1))
  const member = await newMember(shop, program, 'ann')
  await newVoucher(shop, 'ALONE', { redemption: { quantity: null }, discount: { type: 'PERCENT', percent_off: 10 } })
  await newVoucher(shop, 'USED-UP', { redemption: { quantity: 1 } })
  await newVoucher(shop, 'CARD', { type: 'GIFT_VOUCHER', gift: { amount: 100_000 }, discount: undefined })

  const redeem = (code: string, order: object, more: object[] = []) =>
    shop.call('POST', '/v1/redemptions', {
      redeemables: [{ object: 'voucher', id: code }, ...more],
      order,
      customer: { source_id: 'ben' },
    })
  const times = async (work: (round: number) => Promise<unknown>) => {
    for (let round = 0; round < rounds; round += 1) await work(round)
  }
  await Promise.all([
    times(async (round) => {
      const { voucher } = await ok(shop, 'POST', '/v1/publications', { customer: { source_id: 'cleo' }, campaign: { name: 'Coupons', count: 1 } })
      const { status, body } = await redeem(voucher.code, { amount: 2_000 + round })
      expect(status).toBe(200)
      if (round % 3 === 0) await ok(shop, 'POST', `/v1/redemptions/${body.redemptions[0].id}/rollback`)
    }),
    times((round) => redeem('ALONE', { amount: 1_000 * (round % 4) }, [{ object: 'voucher', id: 'CARD' }].slice(round % 2))), // with and without a second code
    times(() => redeem('USED-UP', { amount: 500 })),
    times(async (round) => {
      const { voucher } = await ok(shop, 'POST', '/v1/publications', { customer: { source_id: 'dan' }, campaign: { name: 'Gifts', count: 1 } })
      const { body } = await redeem(voucher.code, { amount: 700 })
      if (round % 4 === 1) await ok(shop, 'POST', `/v1/redemptions/${body.redemptions[0].id}/rollback`)
      if (round % 4 === 2) await shop.call('DELETE', `/v1/vouchers/${voucher.code}`)
    }),
    times(async (round) => {
      const { id } = await ok(shop, 'POST', '/v1/orders', { status: round % 2 === 0 ? 'CREATED' : 'PAID', amount: 900, customer: { source_id: 'ann' } })
      if (round % 3 === 1) await ok(shop, 'PUT', `/v1/orders/${id}`, { status: 'PAID', amount: 950 })
      if (round % 5 === 2) await ok(shop, 'PUT', `/v1/orders/${id}`, { status: 'CANCELED' })
      if (round % 5 === 3) await redeem('ALONE', { id })
    }),
    times((round) => addPoints(shop, member.code, round % 3 === 2 ? -1 : 2)),
  ]) // biome-ignore format: one thought per line
  return [campaign.id, gifts.id, program.id] as string[]
}

const overview = (shop: Shop, path = 'overview') =>
  ok(shop, 'GET', `/v1/statistics/${path}?from=2026-03-28T20:00:00Z&to=2026-04-05T20:00:00Z&interval=hour`)

/** Expects that every hour of the statistics is what the tables say. */
async function expectExact(shop: Shop, campaignIds: readonly string[]): Promise<void> {
  const { db } = shop.service.runtime.database
  for (const campaignId of [null, ...campaignIds]) {
    const expected = await plainFiguresByHour(db, shop.project_id, campaignId)
    const { series } = await overview(shop, campaignId === null ? 'overview' : `campaigns/${campaignId}`)
    const differing = series.flatMap((point: Record<string, number> & { from: string }) =>
      comparedFigures.flatMap((name) => {
        const plain = expected.get(point.from)?.[name] ?? 0
        return point[name] === plain ? [] : [`${campaignId} ${point.from} ${name}: ${point[name]} instead of ${plain}`]
      }),
    )
    expect(differing).toEqual([])
    expect(expected.size).toBeGreaterThan(0)
  }
  expect((await overview(shop)).owed).toEqual(await plainOwed(db, shop.project_id))
}

test('while two nodes add up and others redeem, roll back, publish and pay, the sums are exact', async () => {
  const shop = await newShop('UTC')
  const { db } = shop.service.runtime.database
  const other = anotherConnection(shop.url)
  let isOver = false
  const nodes = [
    { on: db, rowsMax: 3, batches: 0 },
    { on: other.db, rowsMax: 4, batches: 0 },
  ]
  const adding = nodes.map(async (node) => {
    while (!isOver) {
      if (await addUp(node.on, shop.project_id, node.rowsMax)) node.batches += 1
      await setTimeout(3)
    }
  })
  const looking = (async () => {
    const seen: Array<{ redemptions: number; published_codes: number }> = []
    while (!isOver) seen.push((await overview(shop)).totals)
    return seen
  })()
  const business = async () => {
    const campaignIds = await doBusiness(shop, 8)
    // A transaction of another test on the same server may have held both back until now, and then one may have added everything.
    await until(async () => {
      await redeemInTurn(shop, 10)
      return nodes.every(({ batches }) => batches > 0) || undefined
    })
    return campaignIds
  }
  const campaignIds = await business().finally(() => {
    isOver = true
  })
  await Promise.all(adding)
  const seen = await looking
  for (const name of ['redemptions', 'published_codes'] as const) {
    const values = seen.map((totals) => totals[name])
    expect(values).toEqual([...values].sort((a, b) => a - b)) // nothing was counted twice or lost in between
  }
  await expectExact(shop, campaignIds)
  await addUpAllOf(shop)
  const { rows } = await sql<{ left: number }>`select count(*) as left from redemptions r join statistics_progress p
    on p.project_id = r.project_id where r.project_id = ${shop.project_id} and r.position > p.redemptions_to`.execute(
    db,
  )
  expect(rows[0]?.left).toBe(0)
  await expectExact(shop, campaignIds)

  const before = await overview(shop)
  await rebuildStatistics(db, shop.project_id)
  expect({ ...(await overview(shop)), updated_at: '' }).toEqual({ ...before, updated_at: '' })
})

test('a rebuild beside nodes that add up, fold tallies, redeem and delete cards is exact', async () => {
  const shop = await newShop('UTC')
  const { db } = shop.service.runtime.database
  const other = anotherConnection(shop.url)
  const campaignIds = await doBusiness(shop, 8)
  await addUpAllOf(shop)
  // As nodes that serve do it, in small steps: the rebuild finds the progress locked again and again.
  let isOver = false
  const adding = (async () => {
    while (!isOver) {
      await addUp(other.db, shop.project_id, 1)
      await foldTallies(other.db, 2)
    }
  })()
  await rebuildStatistics(db, shop.project_id)
  expect((await overview(shop)).is_complete).toBe(true)
  await expectExact(shop, campaignIds)
  await Promise.all([rebuildStatistics(db, shop.project_id), redeemInTurn(shop, 10), removeGifts(shop)]).finally(() => {
    isOver = true
  })
  await adding
  await expectExact(shop, campaignIds)
})

test('a rebuild waits while another node adds up the project', async () => {
  const shop = await newShop('UTC')
  const campaignIds = await doBusiness(shop, 4)
  await addUpAllOf(shop)
  // When the rebuild has thrown the sums away, PostgreSQL may let it go on before the node that stood in line: then once more.
  let outcome: RebuildOutcome = 'was over before'
  for (let tries = 0; tries < 20 && outcome === 'was over before'; tries += 1) outcome = await rebuildBesideNode(shop)
  expect(outcome, 'in 20 tries the rebuild was over before the node had its turn').not.toBe('was over before')
  expect(outcome).toBe('waited')
  expect((await overview(shop)).is_complete).toBe(true)
  await expectExact(shop, campaignIds)
})

type RebuildOutcome = 'waited' | 'ended' | 'was over before'

/** Rebuilds while a node stands in line for the progress: what the rebuild did while that node had it. */
async function rebuildBesideNode({ project_id, service, url }: Shop & { url: string }): Promise<RebuildOutcome> {
  const { database } = service.runtime
  const lockProgress = (trx: Db) =>
    sql`select from statistics_progress where project_id = ${project_id} for update`.execute(trx)
  let rebuilt: Promise<void> | undefined
  let node: Promise<RebuildOutcome> | undefined
  await database.db.transaction().execute(async (trx) => {
    await lockProgress(trx)
    const holder = await backendOf(trx)
    rebuilt = rebuildStatistics(anotherConnection(url).db, project_id)
    await untilOthersWait(database, holder)
    node = anotherConnection(url)
      .db.transaction()
      .execute(async (next) => {
        await lockProgress(next)
        const { rows } = await sql`select from statistics_history where project_id = ${project_id}`.execute(next)
        if (rows.length === 0) return 'was over before'
        return Promise.race([
          rebuilt?.then(() => 'ended' as const),
          untilAskedAgain(database).then(() => 'waited' as const),
        ]) as Promise<RebuildOutcome>
      })
    await untilOthersWait(database, holder, 2)
  })
  await rebuilt
  return node as Promise<RebuildOutcome>
}

/** Waits until a rebuild that found the progress locked has asked twice more whether rows are left. */
async function untilAskedAgain({ execute }: Database): Promise<void> {
  const asked = new Set<string>()
  await until(async () => {
    const { rows } = await execute(`
      select query_start::text as at from pg_stat_activity
      where datname = current_database() and query like 'select "source" from "statistics_history"%'`)
    for (const { at } of rows as Array<{ at: string }>) asked.add(at)
    return asked.size >= 3 ? true : undefined
  })
}

test('tallies of deleted cards that are folded while a rebuild reads them count once', async () => {
  const shop = await newShop('UTC')
  const { database } = shop.service.runtime
  const campaignIds = await doBusiness(shop, 8)
  let rebuilt: Promise<void> | undefined
  await database.db.transaction().execute(async (trx) => {
    expect(await foldTallies(trx, 1_000)).toBeGreaterThan(0)
    rebuilt = rebuildStatistics(anotherConnection(shop.url).db, shop.project_id)
    await Promise.race([untilOthersWait(database, await backendOf(trx)), rebuilt])
  })
  await rebuilt
  await expectExact(shop, campaignIds)
})

async function redeemInTurn(shop: Shop, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round += 1)
    await ok(shop, 'POST', '/v1/redemptions', {
      redeemables: [{ object: 'voucher', id: 'ALONE' }],
      order: { amount: 100 },
    })
}

/** Deletes the gift cards of the campaign, one after another. */
async function removeGifts(shop: Shop): Promise<void> {
  const { vouchers } = await ok(shop, 'GET', '/v1/vouchers?campaign=Gifts&limit=100')
  expect(vouchers.length).toBeGreaterThan(3)
  for (const { code } of vouchers) await shop.call('DELETE', `/v1/vouchers/${code}`)
}

test('a row of a transaction that was overtaken is added up when it is committed', async () => {
  const shop = await newShop('UTC')
  const { db } = shop.service.runtime.database
  const publish = (on: typeof db, id: string) =>
    sql`insert into publications (project_id, id, voucher_ids, is_referral_code, channel, metadata, result, created_at)
      values (${shop.project_id}, ${id}, '{v_1}', false, 'API', '{}', 'SUCCESS', '2026-04-01T10:00:00Z')`.execute(on)
  const published = async () => (await overview(shop)).totals.published_codes
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  let isWritten = () => {}
  const written = new Promise<void>((resolve) => {
    isWritten = resolve
  })
  const late = db.transaction().execute(async (trx) => {
    await publish(trx, 'pub_1')
    isWritten()
    await released
  })
  await written
  await publish(db, 'pub_2')
  await addUp(db, shop.project_id)
  expect(await published()).toBe(1) // of the later transaction, not added up yet, but read
  release()
  await late
  expect(await published()).toBe(2)
  await addUpAllOf(shop)
  expect(await published()).toBe(2)
})

test('rows from before the sums were kept are added up by a walk, while new ones arrive', async () => {
  const shop = await newShop('Europe/Warsaw')
  const { db } = shop.service.runtime.database
  const campaignIds = await doBusiness(shop, 6)
  // As a migration finds them: without a position. The trigger does not see it: no amount changes.
  await sql`alter table postings disable trigger postings_never_change`.execute(db)
  for (const table of ['redemptions', 'publications', 'postings', 'orders'])
    await sql`update ${sql.table(table)} set position = 0 where project_id = ${shop.project_id}`.execute(db)
  await sql`insert into statistics_history (project_id, source) select ${shop.project_id}, source
    from unnest(array['redemptions', 'publications', 'postings', 'orders']) source`.execute(db)
  expect((await overview(shop)).is_complete).toBe(false)
  const redeem = () =>
    shop.call('POST', '/v1/redemptions', { redeemables: [{ object: 'voucher', id: 'ALONE' }], order: { amount: 100 } })
  do {
    await redeem()
    await sql`update orders set amount = amount + 1 where project_id = ${shop.project_id} and id in (
      select id from orders where project_id = ${shop.project_id} order by random() limit 2)`.execute(db)
  } while (await addUp(db, shop.project_id, 9))
  expect((await overview(shop)).is_complete).toBe(true)
  await expectExact(shop, campaignIds)
})
