import { useNavigate, useSearch } from '@tanstack/react-router'
import { useRead } from '../../api/queries.ts'
import { useProject } from '../../api/session.ts'
import { ago, newFormat, useFormat } from '../../ui/format.tsx'
import { Page } from '../../ui/page.tsx'
import { FailureView, Notice } from '../../ui/state.tsx'
import { AttentionPanel } from './attention-panel.tsx'
import { CampaignsPanel } from './campaigns-panel.tsx'
import { EmptyShop } from './empty-shop.tsx'
import { FigureTiles } from './figure-tiles.tsx'
import { isEmptyShop, overviewFigures } from './figures.ts'
import { OverviewChart } from './overview-chart.tsx'
import { type OverviewRange, type OverviewSearch, rangeOf } from './range.ts'
import { RangeControl } from './range-control.tsx'
import { RefusalsPanel } from './refusals-panel.tsx'

const quarterHourMs = 900_000
const dayMs = 86_400_000
const refreshMs = 60_000

/** How the shop is doing: figures of a range beside those of the range before, and what needs attention. */
export function OverviewPage() {
  const { timezone } = useProject()
  const search = useSearch({ from: '/$project/' })
  const navigate = useNavigate({ from: '/$project/' })
  // In quarters of an hour, as the service counts: the same question until the next one.
  const now = Math.floor(Date.now() / quarterHourMs) * quarterHourMs
  const range = rangeOf(search, new Date(now), timezone)
  const { current, before } = useOverview(range, now)
  const change = (next: OverviewSearch) => void navigate({ search: (old) => ({ ...old, ...next }), replace: true })
  const chosen = overviewFigures.find(({ id }) => id === search.figure)
  const figure = chosen && (chosen.now === undefined || range.isCurrent) ? chosen : overviewFigures[0]
  if (current.data && isEmptyShop(current.data))
    return (
      <Page title="Overview" about="Nothing has been redeemed here yet. This is how it begins.">
        <EmptyShop />
      </Page>
    )
  return (
    <Page
      title="Overview"
      about={<Period range={range} updatedAt={current.data?.updated_at} />}
      actions={<RangeControl range={range} onChange={change} />}
    >
      {current.error ? (
        <FailureView failure={current.error} retry={() => void current.refetch()} />
      ) : (
        <div className="space-y-4">
          {current.data?.is_complete === false && (
            <Notice tone="info">
              The service is still adding up what happened before its last upgrade. The figures grow until it is done.
            </Notice>
          )}
          <FigureTiles
            range={range}
            current={current.data}
            before={before.data}
            chosen={figure?.id ?? ''}
            onChoose={(id) => change({ figure: id })}
          />
          {/* Two columns of their own height; on a phone attention comes right after the chart. */}
          <div className="flex flex-col gap-4 lg:grid lg:grid-cols-[minmax(0,1fr)_20rem] lg:items-start">
            <div className="contents lg:grid lg:gap-4">
              {figure && <OverviewChart figure={figure} range={range} current={current.data} before={before.data} />}
              <CampaignsPanel range={range} overview={current.data} />
            </div>
            <div className="contents lg:grid lg:gap-4">
              <AttentionPanel />
              <RefusalsPanel range={range} overview={current.data} />
            </div>
          </div>
        </div>
      )}
    </Page>
  )
}

/** The range, and the same part of the one before: until this hour, when the range is not over yet. */
function useOverview(range: OverviewRange, now: number) {
  const { from, to, before, interval, isCurrent } = range
  const days = Math.round((Date.parse(from) - Date.parse(before.from)) / dayMs)
  const until = isCurrent ? new Date(now - days * dayMs + quarterHourMs).toISOString() : before.to
  return {
    current: useRead(
      'GET /v1/statistics/overview',
      { query: { from, ...(!isCurrent && { to }), interval } },
      { keeps: true, every: refreshMs },
    ),
    before: useRead(
      'GET /v1/statistics/overview',
      { query: { from: before.from, to: until, interval } },
      { keeps: true },
    ),
  }
}

function Period({ range, updatedAt }: { range: OverviewRange; updatedAt: string | undefined }) {
  const { timezone } = useFormat()
  const day = (text: string) => days.date(text)
  return (
    <>
      {range.from === range.to ? day(range.to) : `${day(range.from)} to ${day(range.to)}`}, {timezone} time
      {updatedAt && (
        <>
          {' · '}
          <Fresh at={updatedAt} />
        </>
      )}
    </>
  )
}

/** Days have no time, and so no zone. */
const days = newFormat(null, 'UTC')

function Fresh({ at }: { at: string }) {
  const { date, exact } = useFormat()
  const text = ago(Date.parse(at), Date.now()) ?? date(at)
  return <span title={exact(at)}>figures up to {text === 'just now' ? 'now' : text}</span>
}
