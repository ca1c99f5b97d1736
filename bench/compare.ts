import type { OtherCheckout } from './against.ts'
import { compareCase, openSide } from './sides.ts'

/**
 * Compares the service with another version of it (bench/against.ts), case by case:
 *
 *   npm run bench -- compare --against main~1
 *
 * The ratios are medians over the rounds of this checkout to the other (bench/sides.ts). BENCH_CASES limits the cases to those whose
 * name contains a text.
 */
export async function compare(other: OtherCheckout | null): Promise<void> {
  if (other === null) throw new Error('Name the commit to compare with: npm run bench -- compare --against <commit>')
  const sides = [await openSide(), await openSide({ main: other.main })] as const
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
