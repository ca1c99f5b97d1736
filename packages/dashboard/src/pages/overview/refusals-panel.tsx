import { Link } from '@tanstack/react-router'
import { useProject } from '../../api/session.ts'
import { BarList } from '../../ui/chart.tsx'
import { useFormat } from '../../ui/format.tsx'
import { Panel } from '../../ui/page.tsx'
import { Empty, Loading } from '../../ui/state.tsx'
import { refusalName } from '../../words/refusals.ts'
import type { Overview } from './figures.ts'
import type { OverviewRange } from './range.ts'

/** Why redemptions were refused, most frequent first; each leads to those refusals. */
export function RefusalsPanel({ range, overview }: { range: OverviewRange; overview: Overview | undefined }) {
  const project = useProject()
  const { number } = useFormat()
  return (
    <Panel title="Refusals" about={overview && refusalsText(overview, number)} className="order-3 lg:order-none">
      {overview === undefined ? (
        <Loading lines={4} />
      ) : overview.refusals.length === 0 ? (
        <Empty title="Nothing was refused">When a code is refused at the till, its reason is counted here.</Empty>
      ) : (
        <BarList
          rows={overview.refusals.map(({ reason, count }) => ({
            id: reason,
            value: count,
            text: number(count),
            name: (
              <Link
                to="/$project/redemptions"
                params={{ project: project.id }}
                search={{ result: 'failure', reason, from: range.from, to: range.to }}
                className="hover:underline"
              >
                {refusalName(reason)}
              </Link>
            ),
          }))}
        />
      )}
    </Panel>
  )
}

function refusalsText({ totals }: Overview, number: (value: number) => string): string {
  const { failed_redemptions: refused, redemptions } = totals
  const share = refused + redemptions === 0 ? 0 : Math.round((refused / (refused + redemptions)) * 100)
  return `${number(refused)} refused, ${share} % of all attempts to redeem.`
}
