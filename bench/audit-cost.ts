import { compareCase, openSide } from './sides.ts'

/** The audit log may cost at most this much CPU time of the server process, as a ratio to a service without it. */
const ratioMax = 1.1

const names = ['validation, 1 code, 3 lines', 'redemption, distinct codes', 'GET voucher'].filter((name) =>
  name.includes(process.env.BENCH_CASES ?? ''),
)

/** What the audit log costs a request: a service with it against one without, interleaved in one run (bench/sides.ts). BENCH_CASES limits the cases. */
export async function auditCost(): Promise<void> {
  const sides = [await openSide({ env: { AUDIT_LOG: 'on' } }), await openSide({ env: { AUDIT_LOG: 'off' } })] as const
  try {
    console.log(
      '| Case | CPU per request with log | without | ratio | at most | requests per second |\n|---|--:|--:|--:|--:|--:|',
    )
    for (const name of names) {
      const index = sides[0].cases.findIndex((each) => each.name === name)
      const { cpu_ms, per_second, ours_cpu_ms, theirs_cpu_ms } = await compareCase(sides, index)
      const verdict = cpu_ms <= ratioMax ? `${ratioMax}` : `${ratioMax}, missed`
      console.log(
        `| ${name} | ${ours_cpu_ms.toFixed(3)} ms | ${theirs_cpu_ms.toFixed(3)} ms | ${cpu_ms.toFixed(3)} | ${verdict} | ${per_second.toFixed(3)} |`,
      )
    }
    const answer = await fetch(`${sides[0].shop.address}/metrics`)
    for (const line of (await answer.text()).split('\n'))
      if (line.startsWith('guerdon_audit_entries_total')) console.log(line)
  } finally {
    for (const { shop } of sides) await shop.stop()
  }
}
