import { keepsPrepared } from '../packages/server/src/testing/pooler.ts'
import type { ShopOptions } from './shop.ts'
import { compareCase, openSide } from './sides.ts'

const names = ['validation, 1 code, 3 lines', 'redemption, distinct codes', 'GET voucher'].filter((name) =>
  name.includes(process.env.BENCH_CASES ?? ''),
)

/**
 * What a transaction pooler costs a request: a service with DATABASE_PREPARED=off, and one behind PgBouncer (its path in TEST_POOLER),
 * each against one that is connected to PostgreSQL, interleaved in one run (bench/sides.ts). The CPU time of PgBouncer itself is not
 * counted. BENCH_CASES limits the cases.
 */
export async function pooler(): Promise<void> {
  const binary = process.env.TEST_POOLER
  await compareWithDirect('DATABASE_PREPARED=off', { env: { DATABASE_PREPARED: 'off' } })
  if (binary === undefined) return
  const prepared = keepsPrepared(binary) ? 'on' : 'off'
  await compareWithDirect(`PgBouncer, DATABASE_PREPARED=${prepared}`, {
    pooler: binary,
    env: { DATABASE_PREPARED: prepared },
  })
}

async function compareWithDirect(title: string, options: ShopOptions): Promise<void> {
  const sides = [await openSide(options), await openSide()] as const
  try {
    console.log(
      `\n| ${title} | CPU of PostgreSQL per request | direct | ratio | of the service | requests per second |\n|---|--:|--:|--:|--:|--:|`,
    )
    for (const name of names) {
      const index = sides[0].cases.findIndex((each) => each.name === name)
      const ratios = await compareCase(sides, index)
      const cells = [
        name,
        `${ratios.ours_postgres_cpu_ms.toFixed(3)} ms`,
        `${ratios.theirs_postgres_cpu_ms.toFixed(3)} ms`,
        ratios.postgres_cpu_ms.toFixed(2),
        ratios.cpu_ms.toFixed(2),
        ratios.per_second.toFixed(2),
      ]
      console.log(`| ${cells.join(' | ')} |`)
    }
  } finally {
    for (const side of sides) await side.stop()
  }
}
