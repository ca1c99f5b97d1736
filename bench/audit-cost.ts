import { compareCase, openSide } from './sides.ts'

/** The audit log may cost at most this much CPU time, of the service and PostgreSQL, as a ratio to a service without it. */
const ratioMax = 1.1

const names = ['validation, 1 code, 3 lines', 'redemption, distinct codes', 'GET voucher'].filter((name) =>
  name.includes(process.env.BENCH_CASES ?? ''),
)

/** What the audit log costs a request: a service with it against one without, interleaved in one run (bench/sides.ts). BENCH_CASES limits the cases. */
export async function auditCost(): Promise<void> {
  const sides = [await openSide({ env: { AUDIT_LOG: 'on' } }), await openSide({ env: { AUDIT_LOG: 'off' } })] as const
  try {
    console.log(
      '| Case | CPU per request with log | without | ratio | at most | of the service alone | requests per second |\n|---|--:|--:|--:|--:|--:|--:|',
    )
    for (const name of names) {
      const index = sides[0].cases.findIndex((each) => each.name === name)
      const ratios = await compareCase(sides, index)
      const verdict = ratios.total_cpu_ms <= ratioMax ? `${ratioMax}` : `${ratioMax}, missed`
      const cells = [
        name,
        `${ratios.ours_total_cpu_ms.toFixed(3)} ms`,
        `${ratios.theirs_total_cpu_ms.toFixed(3)} ms`,
        ratios.total_cpu_ms.toFixed(3),
        verdict,
        ratios.cpu_ms.toFixed(3),
        ratios.per_second.toFixed(3),
      ]
      console.log(`| ${cells.join(' | ')} |`)
    }
    const answer = await fetch(`${sides[0].shop.address}/metrics`)
    for (const line of (await answer.text()).split('\n'))
      if (line.startsWith('guerdon_audit_entries_total')) console.log(line)
  } finally {
    for (const side of sides) await side.stop()
  }
}
