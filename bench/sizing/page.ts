import { parsePlan } from './arguments.ts'
import { callKinds, type Figures } from './figures.ts'
import { type Plan, sizeFor } from './model.ts'
import { report } from './report.ts'

/** The example of docs/scaling.md. */
const example = '--redemptions 2000/s --validations 8000/s --lists 50/s'

/** docs/scaling.md with the figures, and with what the calculator prints for its example. */
export function pageWithFigures(page: string, figures: Figures): string {
  const { plan } = parsePlan(example.split(' ')) as { plan: Plan }
  const printed = report(plan, sizeFor(plan, figures), figures)
  const withExample = between(page, 'example', `\`\`\`\n$ npm run sizing -- ${example}\n${printed}\`\`\``)
  return between(withExample, 'figures', figuresTable(figures))
}

function figuresTable({ calls, machine }: Figures): string {
  const kB = (bytes: number) => `${(bytes / 1_000).toFixed(1)} kB`
  const rows = callKinds.map((kind) => {
    const { service_ms, postgres_ms, wal_bytes, record_bytes, event_bytes, audit_bytes } = calls[kind]
    const cells = [
      `${service_ms} ms`,
      `${postgres_ms} ms`,
      kB(wal_bytes),
      kB(record_bytes),
      kB(event_bytes),
      kB(audit_bytes),
    ]
    return `| ${[kind, ...cells].join(' | ')} |`
  })
  return [
    '| One of | CPU of the service | CPU of PostgreSQL | WAL | records | events | audit log |',
    '|---|--:|--:|--:|--:|--:|--:|',
    ...rows,
    '',
    `${machine.measured_on}, ${machine.processor}, ${machine.cores} cores, Node ${machine.node}, PostgreSQL ${machine.postgres}.`,
  ].join('\n')
}

/** Replaces what stands between `<!-- name -->` and `<!-- /name -->`. */
function between(page: string, name: string, text: string): string {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  const [from, to] = [page.indexOf(begin), page.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`docs/scaling.md has no ${begin} … ${end}`)
  return `${page.slice(0, from + begin.length)}\n\n${text}\n\n${page.slice(to)}`
}
