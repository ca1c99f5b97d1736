import { TimeChart } from '../../ui/chart.tsx'
import { useFormat } from '../../ui/format.tsx'
import { Panel } from '../../ui/page.tsx'
import { type Overview, type OverviewFigure, valuesOf } from './figures.ts'
import type { OverviewRange } from './range.ts'
import { useWritten } from './use-written.ts'

interface OverviewChartProps {
  figure: OverviewFigure
  range: OverviewRange
  current: Overview | undefined
  before: Overview | undefined
}

const chartHeight = 260

/** One figure over time, with the period before as a dashed line. */
export function OverviewChart({ figure, range, current, before }: OverviewChartProps) {
  const { full, short } = useWritten(figure)
  const { day, date, time, dateTime } = useFormat()
  const isHourly = range.interval === 'hour'
  const series = current?.series ?? []
  return (
    <Panel title={figure.name} about={figure.about}>
      {current === undefined ? (
        <div role="status" aria-label="Loading" className="h-72 animate-pulse rounded bg-sunken" />
      ) : (
        <TimeChart
          label={`${figure.name}, by ${range.interval}`}
          points={series.map(({ from }) => (isHourly ? time(from) : day(from)))}
          names={series.map(({ from }) => (isHourly ? dateTime(from) : `${prefix[range.interval]}${date(from)}`))}
          series={[
            { name: nameOf(range), values: valuesOf(figure, current), colour: 1, look: 'area' },
            ...(before && figure.now === undefined
              ? [
                  {
                    name: `${range.beforeText.slice(0, 1).toUpperCase()}${range.beforeText.slice(1)}`,
                    values: before.series.slice(0, series.length).map((point) => figure.of(point)),
                    colour: 2 as const,
                    look: 'dashed' as const,
                  },
                ]
              : []),
          ]}
          short={short}
          full={full}
          height={chartHeight}
          least={figure.unit === 'money' ? 400 : 4}
        />
      )}
    </Panel>
  )
}

const prefix = { hour: '', day: '', week: 'Week of ', month: 'Month of ' }

function nameOf({ choice, isCurrent }: OverviewRange): string {
  if (choice === 'today') return 'Today'
  return isCurrent && choice !== 'custom' ? `Last ${choice} days` : 'This range'
}
