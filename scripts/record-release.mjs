// Records the database of a release: a dump, and its responses to some requests. core/db/upgrade.test.ts migrates each dump and
// compares the responses, so that upgrades are tested from every recorded release.
//   DATABASE_URL=<an empty PostgreSQL database> npm run record-release -- 0.1.0 [folder of another checkout]
// Needs pg_dump of the server's version or newer.
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { ensureInstalled, node, nodeFlags, root } from './workspace.mjs'

const [name, checkout = root] = process.argv.slice(2)
const database = process.env.DATABASE_URL
if (!name || !database) {
  console.error(
    'DATABASE_URL=<an empty PostgreSQL database> npm run record-release -- <name> [folder of another checkout]',
  )
  process.exit(1)
}
await ensureInstalled()
const address = 'http://127.0.0.1:8019'
const keys = { app: ['recorded-app', 'recorded-app-token'], manage: ['recorded-manager', 'recorded-manager-token'] }
const server = spawn(node(), [...nodeFlags, join(resolve(checkout), 'packages/server/src/main.ts'), 'serve'], {
  cwd: checkout,
  stdio: ['ignore', 'ignore', 'inherit'],
  env: {
    ...process.env,
    PORT: '8019',
    BASE_URL: address,
    AUTH_MODE: 'either',
    LOG_LEVEL: 'error',
    BOOTSTRAP_APP_ID: keys.app[0],
    BOOTSTRAP_APP_TOKEN: keys.app[1],
    BOOTSTRAP_MANAGEMENT_ID: keys.manage[0],
    BOOTSTRAP_MANAGEMENT_TOKEN: keys.manage[1],
  },
})
const stopped = new Promise((done) => server.once('exit', done))
try {
  await until('the service is ready', async () => (await fetch(`${address}/health/ready`)).ok)
  const paths = await fill()
  await sleep(2_000) // segments and deferred events are written shortly after the responses
  const recordedAt = new Date().toISOString()
  const answers = []
  for (const path of paths) answers.push({ path, body: await call('GET', path) })
  server.kill('SIGTERM')
  await stopped
  const flags = ['--no-owner', '--no-privileges', '--inserts', '--rows-per-insert=50', '--schema=public']
  // Plain SQL: removes psql commands, and the schema that exists already.
  const dump = execFileSync('pg_dump', [...flags, database], { maxBuffer: 1e9, encoding: 'utf8' })
    .replaceAll(/^\\(?:un)?restrict .*\n/gm, '')
    .replace('CREATE SCHEMA public;\n', '')
  const folder = join(root, 'packages/server/src/testing/releases')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${name}.sql.gz`), gzipSync(dump, { level: 9 }))
  writeFileSync(
    join(folder, `${name}.json.gz`),
    gzipSync(JSON.stringify({ base_url: address, recorded_at: recordedAt, app: keys.app, answers }), { level: 9 }),
  )
  console.log(`recorded ${answers.length} responses and ${dump.length} bytes of SQL as ${name}`)
} finally {
  server.kill('SIGTERM')
}

/** Creates at least one of every object of a project; returns the paths to read them. */
async function fill() {
  const post = (path, body, expected) => call('POST', path, body, expected)
  for (const [sourceId, price] of [
    ['mug', 1450],
    ['shirt', 1999],
    ['socks', 500],
  ])
    await post('/v1/products', { source_id: sourceId, name: sourceId, price, metadata: { color: 'red' } })
  const mug = await call('GET', '/v1/products/mug')
  await post(`/v1/products/${mug.id}/skus`, { source_id: 'mug-large', sku: 'Large mug', price: 1650 })
  const collection = await post('/v1/product-collections', {
    name: 'Crockery',
    type: 'STATIC',
    products: [{ id: mug.id, object: 'product' }],
  })
  for (let at = 1; at <= 12; at += 1)
    await post('/v1/customers', {
      source_id: `customer-${at}`,
      name: `Customer ${at}`,
      email: `c${at}@example.com`,
      address: { city: at % 2 ? 'Rome' : 'Oslo' },
      metadata: { level: at },
    })
  const segment = await post('/v1/segments', {
    name: 'Rome',
    type: 'auto-update',
    filter: { junction: 'and', 'address.city': { conditions: { $is: ['Rome'] } } },
  })
  const rule = await post('/v1/validation-rules', {
    name: 'From 20.00',
    type: 'basic',
    rules: { 1: { name: 'order.amount', conditions: { $more_than_or_equal: [2000] } }, logic: '1' },
  })
  await post('/v1/categories', { name: 'Summer', hierarchy: 3 })
  await post('/v1/locations', {
    name: 'Centre',
    shape: { type: 'circle', format: 'distance', distance: { center: 'geo:52.2297,21.0122', radius: '2 km' } },
  })
  const campaign = await post('/v1/campaigns', {
    name: 'Spring',
    campaign_type: 'DISCOUNT_COUPONS',
    type: 'AUTO_UPDATE',
    vouchers_count: 40,
    voucher: { type: 'DISCOUNT_VOUCHER', discount: { type: 'AMOUNT', amount_off: 500 }, redemption: { quantity: 3 } },
    metadata: { season: 'spring' },
  })
  const gifts = await post('/v1/campaigns', {
    name: 'Gifts',
    campaign_type: 'GIFT_VOUCHERS',
    vouchers_count: 5,
    voucher: { type: 'GIFT_VOUCHER', gift: { amount: 5000 } },
  })
  const promotion = await post('/v1/campaigns', {
    name: 'Cart',
    campaign_type: 'PROMOTION',
    promotion: { tiers: [{ name: 'Ten', banner: '10 %', action: { discount: { type: 'PERCENT', percent_off: 10 } } }] },
  })
  const club = await post('/v1/loyalties', {
    name: 'Club',
    type: 'AUTO_UPDATE',
    auto_join: true,
    voucher: { type: 'LOYALTY_CARD', loyalty_card: { points: 0 } },
  })
  await post('/v1/loyalties/Club/earning-rules', [
    {
      event: 'order.paid',
      loyalty: {
        type: 'PROPORTIONAL',
        calculation_type: 'ORDER_TOTAL_AMOUNT',
        order: { total_amount: { every: 100, points: 1 } },
      },
    },
  ])
  await post('/v1/loyalties/Club/tiers', [
    { name: 'Silver', points: { from: 0, to: 29 } },
    { name: 'Gold', points: { from: 30 } },
  ])
  const reward = await post('/v1/rewards', {
    name: 'Five off',
    type: 'MATERIAL',
    parameters: { product: { id: mug.id } },
    stock: 10,
  })
  await post('/v1/loyalties/Club/rewards', [{ reward: reward.id, parameters: { loyalty: { points: 20 } } }])
  await post('/v1/vouchers/SPRING', {
    type: 'DISCOUNT_VOUCHER',
    discount: { type: 'PERCENT', percent_off: 12.5 },
    redemption: { quantity: 100 },
    validation_rules: [rule.id],
  })
  await post('/v1/vouchers/GIFT', { type: 'GIFT_VOUCHER', gift: { amount: 10000 } })
  await post('/v1/vouchers/GIFT/balance', { amount: 500 })
  await until('campaigns are created', async () => {
    const { campaigns } = await call('GET', '/v1/campaigns')
    return campaigns.every(({ creation_status }) => creation_status === 'DONE')
  })
  for (let at = 1; at <= 4; at += 1)
    await post('/v1/publications', {
      customer: { source_id: `customer-${at}` },
      campaign: { name: at % 2 ? 'Spring' : 'Gifts', count: 1 },
    })
  const order = (at, amount) => ({
    source_id: `order-${at}`,
    items: [{ source_id: 'mug', quantity: 2, price: amount }],
  })
  const redeemed = []
  for (let at = 1; at <= 8; at += 1) {
    const redeemables = [{ object: 'voucher', id: 'SPRING' }]
    if (at % 2 === 0) redeemables.push({ object: 'voucher', id: 'GIFT', gift: { credits: 300 } })
    const { redemptions } = await post('/v1/redemptions', {
      redeemables,
      customer: { source_id: `customer-${at}` },
      order: order(at, 1000 + at * 100),
    })
    redeemed.push(redemptions[0].id)
  }
  await post('/v1/redemptions', { redeemables: [{ object: 'voucher', id: 'SPRING' }], order: { amount: 100 } }, [400])
  await post(`/v1/redemptions/${redeemed[0]}/rollback`, {})
  await post('/v1/validations', {
    redeemables: [{ object: 'voucher', id: 'SPRING' }],
    order: order('held', 3000),
    session: { type: 'LOCK', ttl: 7, ttl_unit: 'DAYS' },
  })
  for (let at = 1; at <= 4; at += 1)
    await post('/v1/orders', {
      source_id: `paid-${at}`,
      status: 'PAID',
      amount: 1000 * at,
      customer: { source_id: `customer-${at}` },
    })
  await post('/v1/events', { event: 'signed_up', customer: { source_id: 'customer-1' }, metadata: {} }, [200, 404])
  await call('DELETE', '/v1/products/socks', undefined, [204])
  const { vouchers: members } = await call('GET', '/v1/loyalties/Club/members')
  const { tiers } = await call('GET', `/v1/promotions/${promotion.id}/tiers`)
  return [
    '/v1/products',
    '/v1/products/mug',
    `/v1/products/${mug.id}/skus`,
    '/v1/product-collections',
    `/v1/product-collections/${collection.id}/products`,
    '/v1/customers?limit=100',
    '/v1/customers/customer-1',
    `/v1/customers/customer-1/segments`,
    '/v1/segments',
    `/v1/segments/${segment.id}`,
    '/v1/validation-rules',
    `/v1/validation-rules/${rule.id}`,
    '/v1/validation-rules-assignments',
    '/v1/categories',
    '/v1/campaigns',
    `/v1/campaigns/${campaign.id}`,
    `/v1/campaigns/${gifts.id}`,
    `/v1/campaigns/${club.id}`,
    '/v1/vouchers?limit=100',
    '/v1/vouchers/SPRING',
    '/v1/vouchers/GIFT',
    '/v1/vouchers/GIFT/transactions',
    '/v1/vouchers/SPRING/redemption',
    '/v1/publications',
    '/v1/promotions/tiers',
    `/v1/promotions/tiers/${tiers[0].id}`,
    '/v1/orders?limit=100',
    '/v1/redemptions?limit=100',
    `/v1/redemptions/${redeemed[1]}`,
    '/v1/loyalties',
    '/v1/loyalties/Club/members',
    `/v1/loyalties/members/${members[0].code}`,
    `/v1/loyalties/members/${members[0].code}/transactions`,
    '/v1/loyalties/Club/earning-rules',
    '/v1/loyalties/Club/tiers',
    '/v1/loyalties/Club/rewards',
    '/v1/rewards',
    `/v1/rewards/${reward.id}`,
    '/v1/trash-bin',
    '/v1/locations',
    '/v1/exports',
    '/v1/customers/customer-2/activity?limit=100',
    '/v1/async-actions',
  ]
}

async function call(method, path, body, expected = [200, 201, 202]) {
  const response = await fetch(`${address}${path}`, {
    method,
    headers: {
      'x-app-id': keys.app[0],
      'x-app-token': keys.app[1],
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!expected.includes(response.status)) throw new Error(`${method} ${path}: ${response.status} ${text}`)
  return text === '' ? null : JSON.parse(text)
}

async function until(what, isSo) {
  const endsAt = Date.now() + 60_000
  while (!(await isSo().catch(() => false))) {
    if (Date.now() > endsAt) throw new Error(`timed out after a minute: ${what}`)
    await sleep(200)
  }
}

function sleep(milliseconds) {
  return new Promise((done) => setTimeout(done, milliseconds))
}
