import pg from 'pg'
import { median } from './measure.ts'
import { type BenchShop, openShop } from './shop.ts'

const customers = 1_000_000
const rounds = 60

/**
 * The latency of a page of a million customers at different positions, and of a search by a metadata value. Cases are
 * interleaved, one request at a time; ratios are to the first page.
 */
export async function customerList(): Promise<void> {
  const shop = await openShop()
  try {
    await fill(shop)
    const at = (n: number) => `cust_${String(n).padStart(24, '0')}`
    const pages = {
      'first page': '?limit=100',
      'middle, after an id': `?limit=100&starting_after_id=${at(customers / 2)}`,
      'last page, after an id': `?limit=100&starting_after_id=${at(101)}`,
      'last page, after a moment': `?limit=100&starting_after=${momentOf(101)}`,
      'one of a million by metadata': `?limit=100&filters[metadata.number][conditions][$is]=${(customers / 3) | 0}`,
      'ten of a million by metadata': `?limit=100&filters[metadata.group][conditions][$is]=group-77`,
    }
    const measured = new Map<string, number[]>(Object.keys(pages).map((name) => [name, []]))
    for (let round = -5; round < rounds; round += 1)
      for (const [name, query] of Object.entries(pages)) {
        const took = await timeOf(shop, query, name)
        if (round >= 0) measured.get(name)?.push(took) // the first rounds warm up
      }
    const first = median(measured.get('first page') as number[])
    for (const [name, times] of measured)
      console.log(
        `${name.padEnd(30)} ${median(times).toFixed(2).padStart(8)} ms   ${(median(times) / first).toFixed(2)} × the first page`,
      )
    await explain(shop)
  } finally {
    await shop.stop()
  }
}

const momentOf = (n: number) => new Date(Date.UTC(2020, 0, 1) + n * 60_000).toISOString()

async function fill({ database_url, project_id }: BenchShop): Promise<void> {
  const client = new pg.Client({ connectionString: database_url })
  await client.connect()
  await client.query(
    `insert into customers (project_id, id, source_id, name, email, metadata, created_at)
     select $1, 'cust_' || lpad(n::text, 24, '0'), 'source-' || n, 'Customer ' || n, 'c' || n || '@example.com',
       jsonb_build_object('number', n, 'group', 'group-' || n % 100000, 'lang', (array['en', 'pl', 'de'])[1 + n % 3]),
       timestamptz '2020-01-01' + n * interval '1 minute'
     from generate_series(1, $2) as n`,
    [project_id, customers],
  )
  await client.query(`insert into tallies (project_id, name, id, delta) values ($1, 'customers', 'w-1', $2)`, [
    project_id,
    customers,
  ])
  await client.query('vacuum (analyze) customers')
  await client.end()
}

async function timeOf({ address, headers }: BenchShop, query: string, name: string): Promise<number> {
  const start = performance.now()
  const answer = await fetch(`${address}/v1/customers${query}`, { headers })
  const body = (await answer.json()) as { customers?: unknown[]; total?: number }
  const took = performance.now() - start
  if (answer.status !== 200 || body.customers?.length === 0) throw new Error(`${name}: ${JSON.stringify(body)}`)
  return took
}

/** Prints how the database finds a metadata value. */
async function explain({ database_url, project_id }: BenchShop): Promise<void> {
  const client = new pg.Client({ connectionString: database_url })
  await client.connect()
  const { rows } = await client.query(
    `explain select id from customers where project_id = $1 and deleted_at is null
     and metadata @> '{"number": 333333}'::jsonb order by created_at desc, id desc limit 101`,
    [project_id],
  )
  await client.end()
  const plan = rows.map((row: { 'QUERY PLAN': string }) => row['QUERY PLAN']).join('\n')
  console.log(`a metadata value is found by ${/customers_metadata/.test(plan) ? 'the index customers_metadata' : plan}`)
}
