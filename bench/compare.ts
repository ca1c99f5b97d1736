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
    console.log('| Case | CPU per request | of the service alone | requests per second |\n|---|--:|--:|--:|')
    for (const [index, name] of names.entries()) {
      if (!name.includes(wanted)) continue
      const { total_cpu_ms, cpu_ms, per_second } = await compareCase(sides, index)
      console.log(`| ${name} | ${total_cpu_ms.toFixed(3)} | ${cpu_ms.toFixed(3)} | ${per_second.toFixed(3)} |`)
    }
  } finally {
    for (const side of sides) await side.stop()
  }
}
