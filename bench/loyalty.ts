import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { median, waitsOf } from './measure.ts'
import { type BenchShop, call, newProject, openShop, query, residentMb } from './shop.ts'

/** A short run: `BENCH_ORDERS=50 BENCH_EXPIRY_CARDS=2000 npm run bench loyalty`. */
const orders = Number(process.env.BENCH_ORDERS ?? 400)
const cards = Number(process.env.BENCH_EXPIRY_CARDS ?? 200_000)
const lotsEach = 5
/** Checkout requests per second, half of them redemptions, and the seconds they are measured before the job starts. */
const rate = Number(process.env.BENCH_CHECKOUT_RATE ?? 20)
const quietSeconds = Number(process.env.BENCH_QUIET_SECONDS ?? 20)
const members = 50

/**
 * The cost of loyalty: a paid order that earns by 3 of 50 rules, compared with the same order in a project without a program;
 * then the expiry of a million lots during checkout traffic.
 */
export async function loyalty(): Promise<void> {
  const shop = await openShop()
  try {
    if (orders > 0) await earning(shop)
    if (cards > 0) await expiry(await newProject(shop, 'expiry'))
  } finally {
    await shop.stop()
  }
}

async function earning(shop: BenchShop): Promise<void> {
  const [plain, club] = [await newProject(shop, 'plain'), await newProject(shop, 'club')]
  for (const project of [plain, club]) {
    for (const sourceId of ['mug', 'pot', 'lid', 'other'])
      await call(project, 'POST', '/v1/products', { source_id: sourceId, name: sourceId, price: 1_000 })
    for (let number = 0; number < members; number += 1) await call(project, 'POST', '/v1/customers', customerOf(number))
  }
  const program = await newRules(club)
  for (let number = 0; number < members; number += 1)
    await call(club, 'POST', `/v1/loyalties/${program}/members`, { customer: customerOf(number) })

  for (const atOnce of [1, 8]) {
    const times: Record<'plain' | 'club', number[]> = { plain: [], club: [] }
    const rounds = Math.ceil(orders / 20)
    for (let round = -2; round < rounds; round += 1)
      for (const [name, project] of [
        ['plain', plain],
        ['club', club],
      ] as const) {
        const start = performance.now()
        await inTurns(20, atOnce, (index) => pay(project, round * 20 + index))
        if (round >= 0) times[name].push((performance.now() - start) / 20) // the first rounds warm up
      }
    const [without, withProgram] = [median(times.plain), median(times.club)]
    console.log(
      `a paid order, ${atOnce} at once: ${without.toFixed(2)} ms, and ${withProgram.toFixed(2)} ms earning by 3 of 50 rules: ${(withProgram / without).toFixed(2)} ×`,
    )
  }
  const earned = await query(club, 'select count(*) as n from voucher_transactions where project_id = $1', [
    club.project_id,
  ])
  const paid = await query(club, `select count(*) as n from orders where project_id = $1`, [club.project_id])
  if (Number(earned[0].n) !== 3 * Number(paid[0].n)) throw new Error(`${earned[0].n} payments for ${paid[0].n} orders`)
}

const customerOf = (number: number) => ({
  source_id: `member-${((number % members) + members) % members}`,
  metadata: { level: 'tin' },
})

const pay = (project: BenchShop, number: number) =>
  call(project, 'POST', '/v1/orders', {
    status: 'PAID',
    customer: { source_id: customerOf(number).source_id },
    items: [
      { source_id: 'mug', quantity: 2, price: 1_250, related_object: 'product' },
      { source_id: 'pot', quantity: 1, price: 4_999, related_object: 'product' },
      { source_id: 'lid', quantity: 3, price: 799, related_object: 'product' },
    ],
  })

/** Creates fifty rules for paid orders: three pay, 24 require level gold, and the others are for another product. */
async function newRules(shop: BenchShop): Promise<string> {
  const gold = await call(shop, 'POST', '/v1/validation-rules', {
    name: 'Gold',
    rules: { '1': { name: 'customer.metadata', property: 'level', conditions: { $is: ['gold'] } }, logic: '1' },
  })
  const program = await call(shop, 'POST', '/v1/loyalties', {
    name: 'Club',
    type: 'AUTO_UPDATE',
    voucher: {
      type: 'LOYALTY_CARD',
      loyalty_card: { points: 0, expiration_rules: { period_type: 'MONTH', period_value: 12 } },
    },
  })
  const products = await query(shop, 'select id, source_id from products where project_id = $1', [shop.project_id])
  const id = (sourceId: string) => products.find((product) => product.source_id === sourceId).id
  const ofProduct = (sourceId: string, every: number) => ({
    event: 'order.paid',
    loyalty: {
      type: 'PROPORTIONAL',
      calculation_type: 'ORDER_ITEMS_QUANTITY',
      order_items: { quantity: { every, points: 5, object: 'product', id: id(sourceId) } },
    },
  })
  const ofAmount = {
    type: 'PROPORTIONAL',
    calculation_type: 'ORDER_AMOUNT',
    order: { amount: { every: 100, points: 1 } },
  }
  await call(shop, 'POST', `/v1/loyalties/${program.id}/earning-rules`, [
    { event: 'order.paid', loyalty: { type: 'FIXED', points: 10 } },
    { event: 'order.paid', loyalty: ofAmount },
    ofProduct('mug', 1),
    ...Array.from({ length: 24 }, () => ({ event: 'order.paid', loyalty: ofAmount, validation_rule_id: gold.id })),
    ...Array.from({ length: 23 }, (_, index) => ofProduct('other', index + 1)),
  ])
  return program.id
}

async function expiry(shop: BenchShop): Promise<void> {
  const start = performance.now()
  await fill(shop)
  console.log(
    `${cards} cards with ${lotsEach} expired lots each, created in ${((performance.now() - start) / 1_000).toFixed(0)} s`,
  )
  await call(shop, 'POST', '/v1/vouchers/OFF', {
    type: 'DISCOUNT_VOUCHER',
    discount: { type: 'AMOUNT', amount_off: 100 },
    redemption: { quantity: null },
  })
  await checkoutWhile(shop, setTimeout(5_000)) // warms up
  const before = waitsOf(await checkoutWhile(shop, setTimeout(quietSeconds * 1_000)))
  const memory: number[] = []
  const watch = setInterval(() => memory.push(residentMb(shop)), 500)
  const begun = performance.now()
  await query(shop, 'update loyalty_members set due_on = current_date - 6 where project_id = $1', [shop.project_id])
  let over = begun
  const done = allSettled(shop).then((at) => {
    over = at
  })
  const during = waitsOf(await checkoutWhile(shop, done))
  clearInterval(watch)
  const seconds = (over - begun) / 1_000
  const [least, most] = [Math.min(...memory), Math.max(...memory)]
  const tenth = Math.max(1, Math.floor(memory.length / 10))
  const course = Array.from({ length: 10 }, (_, index) =>
    Math.max(...memory.slice(index * tenth, (index + 1) * tenth), 0).toFixed(0),
  )
  const [sums] = await query(
    shop,
    `select sum(credits_expired) as points, (select count(*) from lots where project_id = $1 and expired_points > 0) as lots
    from vouchers where project_id = $1 and type = 'LOYALTY_CARD'`,
    [shop.project_id],
  )
  if (Number(sums.lots) !== cards * lotsEach || Number(sums.points) !== cards * lotsEach * 10)
    throw new Error(`${JSON.stringify(sums)} expired`)
  console.log(
    `expired in ${seconds.toFixed(0)} s: ${(cards / seconds).toFixed(0)} cards/s, ${((cards * lotsEach) / seconds).toFixed(0)} lots/s`,
  )
  console.log(`memory ${least.toFixed(0)} to ${most.toFixed(0)} MB, at most in each tenth: ${course.join(' ')}`)
  console.log(
    `a checkout, ${rate}/s: p50 ${before.p50.toFixed(1)} ms, p99 ${before.p99.toFixed(1)} ms before; p50 ${during.p50.toFixed(1)} ms (${(during.p50 / before.p50).toFixed(2)} ×), p99 ${during.p99.toFixed(1)} ms (${(during.p99 / before.p99).toFixed(2)} ×) meanwhile`,
  )
}

/** Waits until no member is due, and returns the time of that. */
async function allSettled(shop: BenchShop): Promise<number> {
  const client = new pg.Client({ connectionString: shop.database_url })
  await client.connect()
  try {
    for (const begun = performance.now(); ; await setTimeout(500)) {
      const { rowCount } = await client.query(
        'select from loyalty_members where project_id = $1 and due_on <= current_date limit 1',
        [shop.project_id],
      )
      if (rowCount === 0) return performance.now()
      if (performance.now() - begun > 2 * 3_600_000) throw new Error('the expiry job did not end within two hours')
    }
  } finally {
    await client.end()
  }
}

/** Sends requests at a fixed rate, however long earlier ones take; latency counts from the scheduled time. */
async function checkoutWhile(shop: BenchShop, work: Promise<unknown>): Promise<number[]> {
  let isOver = false
  const failures: unknown[] = []
  const failed = (error: unknown) => void failures.push(error)
  const ended = work.catch(failed).finally(() => {
    isOver = true
  })
  const waits: number[] = []
  const going = new Set<Promise<void>>()
  const start = performance.now()
  for (let number = 0; !isOver && failures.length === 0; number += 1) {
    const moment = start + (number * 1_000) / rate
    await setTimeout(Math.max(0, moment - performance.now()))
    const asked = checkout(shop, number)
      .then(() => void waits.push(performance.now() - moment), failed)
      .finally(() => going.delete(asked))
    going.add(asked)
  }
  if (failures.length === 0) await Promise.all([ended, ...going])
  if (failures.length > 0) throw failures[0]
  return waits
}

const checkout = (shop: BenchShop, number: number) =>
  call(shop, 'POST', number % 2 === 0 ? '/v1/validations' : '/v1/redemptions', {
    redeemables: [{ object: 'voucher', id: 'OFF' }],
    customer: { source_id: `shopper-${number % 100}` },
    order: { amount: 5_000 },
  })

/** Inserts copies of a member that the service created, with lots that expired on five consecutive days. None is due yet. */
async function fill(shop: BenchShop): Promise<void> {
  const program = await call(shop, 'POST', '/v1/loyalties', {
    name: 'Club',
    type: 'AUTO_UPDATE',
    voucher: { type: 'LOYALTY_CARD', loyalty_card: { points: 0 } },
  })
  const { id } = await call(shop, 'POST', `/v1/loyalties/${program.id}/members`, { customer: { source_id: 'first' } })
  const customer = `'cust_' || lpad(n::text, 24, '0')`
  const voucher = `'v_' || lpad(n::text, 32, '0')`
  const loyalty = {
    points: lotsEach * 10,
    referred_customers: 0,
    campaigns: { Club: { points: lotsEach * 10, referred_customers: 0 } },
  }
  const of = [shop.project_id, id, cards]
  await query(
    shop,
    `insert into customers select c.* from (select to_jsonb(c) as row from customers c
        join vouchers v on v.project_id = c.project_id and v.id = $2 and v.holder_id = c.id where c.project_id = $1) like_this,
      generate_series(1, $3::int) n, lateral jsonb_populate_record(null::customers, like_this.row || jsonb_build_object(
        'id', ${customer}, 'source_id', 'member-' || n, 'loyalty', $4::jsonb)) c`,
    [...of, JSON.stringify(loyalty)],
  )
  await query(
    shop,
    `insert into vouchers select v.* from (select to_jsonb(v) as row from vouchers v where v.project_id = $1 and v.id = $2) like_this,
      generate_series(1, $3::int) n, lateral jsonb_populate_record(null::vouchers, like_this.row || jsonb_build_object(
        'id', ${voucher}, 'code', 'CARD-' || n, 'code_key', 'CARD-' || n, 'asset_id', gen_random_uuid(), 'holder_id', ${customer},
        'credits_added', ${lotsEach * 10})) v`,
    of,
  )
  await query(
    shop,
    `insert into lots (project_id, voucher_id, id, points, expires_at, created_at)
      select $1, ${voucher}, 'lopb_' || lpad(n || '-' || day, 24, '0'), 10, current_date - 7 + day, now()
      from generate_series(1, $2::int) n, generate_series(1, ${lotsEach}) day`,
    [shop.project_id, cards],
  )
  await query(
    shop,
    `insert into postings (project_id, voucher_id, id, transaction_id, source, destination, amount, lot_id, expires_at, created_at)
      select $1, ${voucher}, 'post_' || lpad(n || '-' || day, 18, '0'), null, 'issued', ${voucher}, 10,
        'lopb_' || lpad(n || '-' || day, 24, '0'), current_date - 7 + day, now()
      from generate_series(1, $2::int) n, generate_series(1, ${lotsEach}) day`,
    [shop.project_id, cards],
  )
  await query(
    shop,
    `insert into loyalty_members (project_id, voucher_id, campaign_id, customer_id, due_on)
      select $1, ${voucher}, $3, ${customer}, null from generate_series(1, $2::int) n`,
    [shop.project_id, cards, program.id],
  )
  await query(shop, 'vacuum (analyze) customers, vouchers, lots, postings, loyalty_members', [])
  await ageLog(shop)
}

/** Fills the WAL once: an aged database recycles WAL files, a new one pauses to create each file. */
async function ageLog(shop: BenchShop): Promise<void> {
  await query(
    shop,
    'create table ballast as select repeat(md5(n::text), 60) as text from generate_series(1, 500000) n',
    [],
  )
  await query(shop, 'drop table ballast', [])
  await query(shop, 'checkpoint', [])
}

/** Makes `count` calls, `atOnce` of them concurrently. */
async function inTurns(count: number, atOnce: number, work: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (next < count) await work(next++)
    }),
  )
}
