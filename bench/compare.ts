import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { compareCase, openSide } from './sides.ts'

/*
 * Compares this checkout with another one, whose folder is in BENCH_AGAINST (with its packages installed):
 *
 *   git worktree add ../before main~1 && npm ci --prefix ../before
 *   BENCH_AGAINST=../before npm run bench compare
 *
 * The ratios are medians over the rounds of this checkout to the other (bench/sides.ts). BENCH_CASES limits the cases to those whose
 * name contains a text.
 */

export async function compare(): Promise<void> {
  const against = process.env.BENCH_AGAINST
  if (against === undefined) throw new Error('Set BENCH_AGAINST to the folder of the other checkout.')
  const other = new URL('packages/server/src/main.ts', pathToFileURL(`${resolve(against)}/`))
  const sides = [await openSide(), await openSide({ main: other })] as const
  try {
    const names = sides[0].cases.map(({ name }) => name)
    const wanted = process.env.BENCH_CASES ?? ''
    console.log('| Case | CPU per request | requests per second |\n|---|--:|--:|')
    for (const [index, name] of names.entries()) {
      if (!name.includes(wanted)) continue
      const { cpu_ms, per_second } = await compareCase(sides, index)
      console.log(`| ${name} | ${cpu_ms.toFixed(3)} | ${per_second.toFixed(3)} |`)
    }
  } finally {
    for (const { shop } of sides) await shop.stop()
  }
}
