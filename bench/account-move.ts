import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { type Chance, newChance } from '../packages/server/src/demo/chance.ts'
import {
  type Call,
  type CartParts,
  compareVerdicts,
  randomCart,
} from '../packages/server/src/testing/account-verdicts.ts'
import { startPostgres } from '../packages/server/src/testing/postgres.ts'
import { startServer } from './processes.ts'

/*
 * npm run account-move: fills an instance with an account, moves it into a second one with `guerdon import voucherify`, and
 * compares the rows and the verdicts of both. Then moves it from there into a third database with `guerdon export` and `guerdon import`.
 */

const { values } = parseArgs({
  options: {
    codes: { type: 'string', default: '1000000' },
    customers: { type: 'string', default: '100000' },
    campaigns: { type: 'string', default: '200' },
    history: { type: 'string', default: '5000' },
    carts: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '26' },
  },
})
const size = Object.fromEntries(Object.entries(values).map(([name, text]) => [name, Number(text)])) as Record<
  keyof typeof values,
  number
>
const main = '../packages/server/src/main.ts'
const folder = mkdtempSync(join(tmpdir(), 'guerdon-move-'))
const started = performance.now()
const seconds = (since: number) => `${((performance.now() - since) / 1_000).toFixed(1)} s`
const say = (text: string) => console.log(`${seconds(started).padStart(9)}  ${text}`)

interface Instance {
  call: Call
  keys: Record<string, string>
  url: string
  base: string
  stop(): Promise<void>
}

const postgres = await startPostgres()
try {
  const source = await openInstance('source', 18_951)
  await fill(source)
  const target = await move(source)
  await compareRows(source.url, target.url)
  await compareCarts(source, target)
  await source.stop()
  await target.stop()
  await moveAsFile(target)
} finally {
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
}

async function newDatabase(name: string): Promise<string> {
  const admin = new pg.Client(postgres.url)
  await admin.connect()
  await admin.query(`create database ${name}`)
  await admin.end()
  return postgres.url.replace(/\/postgres$/, `/${name}`)
}

async function openInstance(name: string, port: number, url?: string): Promise<Instance> {
  const database = url ?? (await newDatabase(name))
  const dataFolder = join(folder, name)
  mkdirSync(dataFolder, { recursive: true })
  const base = `http://127.0.0.1:${port}`
  const { stop } = await startServer(main, envOf(database, dataFolder, port))
  const keys = Object.fromEntries(
    [...readFileSync(join(dataFolder, 'first-start-keys.txt'), 'utf8').matchAll(/(X-[\w-]+):\s+(\S+)/g)].map(
      ([, key, value]) => [key, value],
    ),
  ) as Record<string, string>
  const headers = { 'x-app-id': keys['X-App-Id'] as string, 'x-app-token': keys['X-App-Token'] as string }
  const call: Call = async (method, path, body) => {
    const reply = await fetch(`${base}${path}`, {
      method,
      headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return reply.json()
  }
  return { call, keys, url: database, base, stop }
}

function envOf(database: string, dataFolder: string, port: number): Record<string, string> {
  const own = { PORT: String(port), HOST: '127.0.0.1', DATABASE_URL: database, GUERDON_DATA_DIR: dataFolder }
  return { ...own, AUTH_MODE: 'either', LOG_LEVEL: 'error', DASHBOARD: 'off', AUDIT_LOG: 'off' }
}

async function fill({ call, url }: Instance): Promise<void> {
  const chance = newChance(size.seed)
  const must = async (path: string, body: object) => {
    const reply = await call('POST', path, body)
    if (reply.id === undefined) throw new Error(`${path}: ${JSON.stringify(reply)}`)
    return reply
  }
  for (let n = 0; n < 50; n++)
    await must('/v1/products', {
      source_id: `sku-${n}`,
      name: `Product ${n}`,
      price: 500 + 130 * n,
      metadata: { line: n % 5 },
    })
  const rules = [
    {
      name: 'From 30.00',
      rules: { 1: { name: 'order.amount', conditions: { $more_than_or_equal: [3_000] } }, logic: '1' },
    },
    {
      name: 'Twice per customer',
      rules: { 1: { name: 'campaign.redemptions.customers_count', conditions: { $less_than: [2] } }, logic: '1' },
    },
    {
      name: 'Fifty in all',
      rules: { 1: { name: 'campaign.redemptions.count', conditions: { $less_than: [50] } }, logic: '1' },
    },
  ]
  const ruleIds: string[] = []
  for (const rule of rules) ruleIds.push((await must('/v1/validation-rules', rule)).id)

  await insertCustomers(url)
  say(`${size.customers.toLocaleString('en-US')} customers`)

  const perCampaign = Math.ceil(size.codes / Math.ceil(size.campaigns * 0.95))
  for (let n = 0; n < size.campaigns; n++) {
    const validationRules = n % 3 === 0 ? [chance.pick(ruleIds)] : []
    await must('/v1/campaigns', campaign(n, perCampaign, validationRules))
  }
  const expected = perCampaign * (size.campaigns - Math.floor(size.campaigns / 20))
  for (;;) {
    const { total } = await call('GET', '/v1/vouchers?limit=1')
    if (total >= expected) break
    await new Promise((resolve) => setTimeout(resolve, 1_000))
  }
  say(`${expected.toLocaleString('en-US')} codes in ${size.campaigns} campaigns`)
  await makeHistory(call, chance, await partsOf(url, chance))
  say('history')
}

/** As an import of customers would write them: the point here is the account, not how it came to be. */
async function insertCustomers(url: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  await client.query(
    `with people as (insert into customers (project_id, id, source_id, name, email, metadata, created_at)
      select p.id, 'cust_' || substr(md5(n::text), 1, 24), 'c-' || n, 'Customer ' || n, 'c' || n || '@example.com', '{}',
        now() - interval '90 days' + n * interval '60 seconds' from projects p, generate_series(1, $1::int) n returning project_id)
    insert into tallies (project_id, name, id, delta) select project_id, 'customers', 'w-people', count(*) from people group by 1`,
    [size.customers],
  )
  await client.end()
}

/** Every type of campaign, each with a discount or value of its own. */
function campaign(n: number, vouchersCount: number, validationRules: string[]): object {
  const common = { name: `Campaign ${n}`, validation_rules: validationRules }
  const codes = { vouchers_count: vouchersCount, type: 'AUTO_UPDATE' }
  const codeConfig = { length: 12 }
  if (n % 20 === 0) {
    const discount = { type: 'PERCENT', percent_off: 1 + (n % 15) }
    return {
      name: common.name,
      campaign_type: 'PROMOTION',
      promotion: { tiers: [{ name: `Tier ${n}`, action: { discount } }] },
    }
  }
  if (n % 20 <= 4)
    return {
      ...common,
      ...codes,
      campaign_type: 'GIFT_VOUCHERS',
      voucher: { type: 'GIFT_VOUCHER', gift: { amount: 1_000 + 100 * n }, code_config: codeConfig },
    }
  if (n % 20 === 5)
    return {
      name: common.name,
      ...codes,
      campaign_type: 'LOYALTY_PROGRAM',
      voucher: { type: 'LOYALTY_CARD', loyalty_card: { points: 100 + n }, code_config: codeConfig },
    }
  const discount =
    n % 2 === 0 ? { type: 'PERCENT', percent_off: 1 + (n % 30) } : { type: 'AMOUNT', amount_off: 100 + 10 * n }
  const isReferral = n % 20 === 6
  return {
    ...common,
    ...codes,
    campaign_type: isReferral ? 'REFERRAL_PROGRAM' : 'DISCOUNT_COUPONS',
    voucher: { type: 'DISCOUNT_VOUCHER', discount, redemption: { quantity: 1 + (n % 3) }, code_config: codeConfig },
  }
}

/** Publications, redemptions and rollbacks, of which the redeemed codes are those that carts try later. */
async function makeHistory(call: Call, chance: Chance, parts: CartParts): Promise<void> {
  for (let n = 0; n < size.history; n += 8)
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        if (chance.isTrue(0.3)) {
          const voucher = chance.pick(parts.codes)
          await call('POST', '/v1/publications', { voucher, customer: { source_id: chance.pick(parts.customers) } })
          return
        }
        const done = await call('POST', '/v1/redemptions', randomCart(chance, parts))
        const [first] = done.redemptions ?? []
        if (first !== undefined && chance.isTrue(0.1))
          await call(
            'POST',
            `/v1/redemptions/${done.parent_redemption?.id ?? first.id}/${done.parent_redemption === undefined ? 'rollback' : 'rollbacks'}`,
            {},
          )
      }),
    )
}

async function partsOf(url: string, chance: Chance): Promise<CartParts> {
  const client = new pg.Client(url)
  await client.connect()
  const codes = async (type: string) =>
    (await client.query(`select code from vouchers where type = $1 order by md5(id) limit 3000`, [type])).rows.map(
      ({ code }) => code as string,
    )
  const tiers = (await client.query('select id from promotion_tiers order by id')).rows.map(({ id }) => id as string)
  const parts: CartParts = {
    products: Array.from({ length: 50 }, (_, n) => ({ source_id: `sku-${n}`, price: 500 + 130 * n })),
    customers: Array.from({ length: 2_000 }, () => `c-${chance.between(1, size.customers)}`),
    codes: await codes('DISCOUNT_VOUCHER'),
    gift_codes: await codes('GIFT_VOUCHER'),
    tiers,
  }
  await client.end()
  return parts
}

async function move(source: Instance): Promise<Instance> {
  const url = await newDatabase('target')
  const { keys } = source
  const projectId = await projectOf(source.url)
  const args = ['import', 'voucherify', '--base', source.base, '--folder', join(folder, 'copy')]
  const options = {
    'app-id': keys['X-App-Id'],
    'app-token': keys['X-App-Token'],
    'management-id': keys['X-Management-Id'],
    'management-token': keys['X-Management-Token'],
    'management-project': projectId,
  }
  const given = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value as string])
  await run('target', url, [...args, ...given])
  return openInstance('target', 18_952, url)
}

/** The same project once more: out of the target as a file, and into a third database. */
async function moveAsFile({ url }: Instance): Promise<void> {
  const file = join(folder, 'project.jsonl.gz')
  await run('export', url, ['export', '--gzip', '--out', file])
  say(`the file has ${Math.round(statSync(file).size / 1e6)} MB`)
  const third = await newDatabase('third')
  await run('third', third, ['migrate'])
  await run('third', third, ['import', file])
  await compareRows(url, third)
}

/** A command as an operator runs it, in a process of its own, whose memory is watched. */
async function run(place: string, url: string, args: string[]): Promise<void> {
  mkdirSync(join(folder, place), { recursive: true })
  const begun = performance.now()
  const child = spawn(
    process.execPath,
    [
      '--conditions=source',
      '--disable-warning=ExperimentalWarning',
      fileURLToPath(new URL(main, import.meta.url)),
      ...args,
    ],
    {
      env: { PATH: process.env.PATH ?? '', NODE_ENV: 'production', ...envOf(url, join(folder, place), 0) },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  let peak = 0
  const watch = setInterval(() => {
    try {
      peak = Math.max(peak, Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? 0))
    } catch {
      // it has just ended, or the platform has no such file
    }
  }, 500)
  child.stdout?.on('data', (chunk: Buffer) => {
    if (/^Writing/m.test(chunk.toString())) say(`read in ${seconds(begun)}`)
    process.stdout.write(chunk)
  })
  const code = await new Promise((resolve) => child.once('exit', resolve))
  clearInterval(watch)
  const command = args.filter((_, index) => index === 0 || args[1] === 'voucherify').slice(0, 2)
  say(
    `guerdon ${command.join(' ')} ended with ${code} after ${seconds(begun)}, at most ${Math.round(peak / 1_024)} MiB`,
  )
}

async function projectOf(url: string): Promise<string> {
  const client = new pg.Client(url)
  await client.connect()
  const { rows } = await client.query('select id from projects')
  await client.end()
  return rows[0].id
}

/** Every row of both, without what belongs to an instance. */
async function compareRows(source: string, target: string): Promise<void> {
  const queries = {
    vouchers: `select id, code, type, campaign_id, category_id, terms_id, start_date, expiration_date, quantity, redeemed_quantity, credits_added,
      credits_subtracted, credits_redeemed, credits_expired, active, metadata, is_referral_code, publish_count, holder_id, referrer_id, created_at from vouchers`,
    customers: `select id, source_id, name, email, metadata, orders_total_amount, orders_total_count, redemptions_succeeded, redemptions_failed,
      gift_redeemed_amount, redeemed_points, loyalty, created_at from customers`,
    campaigns: 'select id, name, campaign_type, type, voucher, terms_id, active, metadata, created_at from campaigns',
    redemptions:
      'select id, object, result, status, related_object_id, campaign_id, customer_id, order_id, amount, created_at from redemptions',
    usage: `select scope_id, sum(case when is_undone then -redemptions else redemptions end) as redemptions, sum(case when is_undone then -orders_amount
      else orders_amount end) as orders, sum(case when is_undone then -discounted_amount else discounted_amount end) as discounted,
      sum(case when is_undone then -credits else credits end) as credits from usage where scope_id not like 'units/%' group by scope_id`,
    holders: 'select voucher_id, customer_id, role, publication_id from holders',
  }
  for (const [name, query] of Object.entries(queries)) {
    const [here, there] = await Promise.all([source, target].map((url) => digestOf(url, query)))
    say(`${name}: ${here?.count} and ${there?.count} rows, ${here?.digest === there?.digest ? 'equal' : 'DIFFERENT'}`)
    if (here?.digest === there?.digest) continue
    process.exitCode = 1
    await showDifferences(source, target, query)
  }
}

/** The first rows that only one of both has. */
async function showDifferences(source: string, target: string, query: string): Promise<void> {
  const [here, there] = await Promise.all([source, target].map((url) => rowsOf(url, query)))
  const only = (rows: Set<string> | undefined, others: Set<string> | undefined) =>
    [...(rows ?? [])].filter((row) => !others?.has(row)).slice(0, 5)
  for (const row of only(here, there)) console.log(`  only in the source: ${row}`)
  for (const row of only(there, here)) console.log(`  only in the target: ${row}`)
}

async function rowsOf(url: string, query: string): Promise<Set<string>> {
  const client = new pg.Client(url)
  await client.connect()
  const { rows } = await client.query(`select found::text as row from (${query}) found`)
  await client.end()
  return new Set(rows.map(({ row }) => row as string))
}

async function digestOf(url: string, query: string): Promise<{ count: string; digest: string }> {
  const client = new pg.Client(url)
  await client.connect()
  const { rows } = await client.query(
    `select count(*), sum(hashtextextended(found::text, 0)::numeric)::text as digest from (${query}) found`,
  )
  await client.end()
  return rows[0]
}

async function compareCarts(source: Instance, target: Instance): Promise<void> {
  const chance = newChance(size.seed + 1)
  const parts = await partsOf(source.url, newChance(size.seed))
  const begun = performance.now()
  const carts = Array.from({ length: size.carts }, () => randomCart(chance, parts))
  const { valid, differences } = await compareVerdicts(source.call, target.call, carts)
  say(`${size.carts} carts in ${seconds(begun)}: ${valid} valid, ${differences.length} different`)
  for (const difference of differences.slice(0, 2)) console.log(JSON.stringify(difference).slice(0, 3_000))
  if (differences.length > 0) process.exitCode = 1
}
