import pg from 'pg'
import { median } from './measure.ts'
import { type BenchShop, call, newProject, openShop, residentMb } from './shop.ts'
import { fillTiers } from './tiers.ts'

const sizes = [10, 1_000, 10_000] as const
const codes = 1_000_000
const rounds = 40

/**
 * The latency of a qualification as the number of active promotion tiers grows: an ordinary page, a ranking of all, and the
 * hard case, in which the customer meets only the rule of the oldest tier. Calls are interleaved; ratios are to the same
 * call with 10 tiers.
 */
export async function qualification(): Promise<void> {
  const shop = await openShop()
  try {
    const projects = new Map<string, BenchShop>()
    for (const size of sizes)
      for (const kind of ['easy', 'hard'] as const) {
        const project = await newProject(shop, `${kind} ${size}`)
        await fillTiers(project, size, { is_hard: kind === 'hard' })
        projects.set(`${kind} ${size}`, project)
      }
    const before = residentMb(shop)
    for (const project of projects.values()) await qualify(project, {})
    console.log(`memory ${before.toFixed(0)} MB before, ${residentMb(shop).toFixed(0)} MB with all tiers in it`)

    const calls: Array<[name: string, kind: 'easy' | 'hard', body: object]> = [
      ['ALL, 5', 'easy', { scenario: 'ALL', options: { limit: 5 } }],
      ['ALL, 50', 'easy', { scenario: 'ALL', options: { limit: 50 } }],
      ['AUDIENCE_ONLY, 5', 'easy', { scenario: 'AUDIENCE_ONLY', options: { limit: 5 } }],
      ['AUDIENCE_ONLY, 50', 'easy', { scenario: 'AUDIENCE_ONLY', options: { limit: 50 } }],
      ['BEST_DEAL, 5', 'easy', { options: { limit: 5, sorting_rule: 'BEST_DEAL' } }],
      ['only the oldest qualifies', 'hard', { options: { limit: 5 } }],
    ]
    for (const [name, kind, body] of calls) {
      const times = new Map<number, number[]>(sizes.map((size) => [size, []]))
      for (let round = -10; round < rounds; round += 1)
        for (const size of sizes) {
          const took = await timeOf(projects.get(`${kind} ${size}`) as BenchShop, body, kind === 'hard' ? 1 : null)
          if (round >= 0) times.get(size)?.push(took) // the first rounds warm up
        }
      const least = median(times.get(sizes[0]) as number[])
      const columns = sizes.map((size) => {
        const took = median(times.get(size) as number[])
        return `${size}: ${took.toFixed(1)} ms (${(took / least).toFixed(1)} ×)`
      })
      console.log(`${name.padEnd(26)} ${columns.join('   ')}`)
    }
    await amongCodes(shop, projects.get(`easy ${sizes[0]}`) as BenchShop)
    console.log(`memory ${residentMb(shop).toFixed(0)} MB after`)
  } finally {
    await shop.stop()
  }
}

/** A million public codes: a page is read from an index at any position. */
async function amongCodes(shop: BenchShop, few: BenchShop): Promise<void> {
  const many = await newProject(shop, 'codes')
  await fillTiers(many, sizes[0])
  await fillCodes(many)
  const middle = { limit: 5, starting_after: momentOf(codes / 2) }
  const last = { limit: 5, starting_after: momentOf(10) }
  const calls: Array<[name: string, project: BenchShop, body: object]> = [
    ['no codes', few, { options: { limit: 5 } }],
    [`of ${codes} codes the newest`, many, { options: { limit: 5 } }],
    ['from the middle', many, { options: middle }],
    ['the oldest', many, { options: last }],
    [
      'one of them by its code',
      many,
      { options: { filters: { code: { conditions: { $is: [`CODE-${(codes / 3) | 0}`] } } } } },
    ],
    ['BEST_DEAL of the newest', many, { options: { limit: 5, sorting_rule: 'BEST_DEAL' } }],
  ]
  const times = calls.map((): number[] => [])
  for (let round = -3; round < rounds / 2; round += 1)
    for (const [index, [, project, body]] of calls.entries()) {
      const took = await timeOf(project, body, null)
      if (round >= 0) times[index]?.push(took)
    }
  const least = median(times[0] as number[])
  for (const [index, [name]] of calls.entries()) {
    const took = median(times[index] as number[])
    console.log(`${name.padEnd(26)} ${took.toFixed(1)} ms (${(took / least).toFixed(1)} ×)`)
  }
}

const momentOf = (n: number) => new Date(Date.UTC(2021, 0, 1) + n * 1_000).toISOString()

async function fillCodes(shop: BenchShop): Promise<void> {
  const { database_url, project_id } = shop
  await call(shop, 'POST', '/v1/vouchers/CODE-0', {
    type: 'DISCOUNT_VOUCHER',
    discount: { type: 'PERCENT', percent_off: 10 },
  })
  const client = new pg.Client({ connectionString: database_url })
  await client.connect()
  // An id starts with its creation time in base 62.
  await client.query(`create function base62(n bigint) returns text language sql immutable as $$
    select string_agg(substr('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz', (n / (62 ^ i)::bigint % 62)::int + 1, 1), '' order by i desc)
    from generate_series(0, 7) i $$`)
  await client.query(
    `insert into vouchers (project_id, id, code, code_key, type, terms_id, active, is_referral_code, asset_id, created_at)
     select $1, 'v_' || base62((extract(epoch from at) * 1000)::bigint) || lpad(n::text, 24, '0'), 'CODE-' || n, 'CODE-' || n, 'DISCOUNT_VOUCHER',
       (select terms_id from vouchers where project_id = $1 and code = 'CODE-0'), true, false, gen_random_uuid(), at
     from generate_series(1, $2::int) n, lateral (select timestamptz '2021-01-01' + n * interval '1 second' as at) moment`,
    [project_id, codes],
  )
  await client.query('vacuum (analyze) vouchers')
  await client.end()
}

const request = {
  customer: { source_id: 'anna', metadata: { level: 'tin' } },
  order: {
    items: [
      { source_id: 'mug', quantity: 2, price: 1_250 },
      { source_id: 'pot', quantity: 1, price: 4_999 },
      { source_id: 'lid', quantity: 3, price: 799 },
    ],
  },
}

const qualify = (shop: BenchShop, body: object) => call(shop, 'POST', '/v1/qualifications', { ...request, ...body })

async function timeOf(shop: BenchShop, body: object, expected: number | null): Promise<number> {
  const start = performance.now()
  const { redeemables } = await qualify(shop, body)
  const took = performance.now() - start
  if (redeemables.total === 0 || (expected !== null && redeemables.total !== expected))
    throw new Error(`${redeemables.total} qualify`)
  return took
}
