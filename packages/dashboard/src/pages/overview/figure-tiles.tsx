import { classes } from '../../ui/classes.ts'
import { changeOf, type Overview, type OverviewFigure, overviewFigures } from './figures.ts'
import type { OverviewRange } from './range.ts'
import { useWritten } from './use-written.ts'

interface FigureTilesProps {
  range: OverviewRange
  current: Overview | undefined
  before: Overview | undefined
  chosen: string
  onChoose: (id: string) => void
}

/** The key figures; the chosen one is drawn below. */
export function FigureTiles({ range, current, before, chosen, onChoose }: FigureTilesProps) {
  return (
    <section aria-label="Key figures" className="overflow-hidden rounded-lg border border-line bg-line">
      <div className="grid grid-cols-2 gap-px lg:grid-cols-5">
        {overviewFigures.map((figure) => (
          <Tile
            key={figure.id}
            figure={figure}
            range={range}
            current={current}
            before={before}
            isChosen={figure.id === chosen}
            onChoose={() => onChoose(figure.id)}
          />
        ))}
      </div>
    </section>
  )
}

interface TileProps extends Omit<FigureTilesProps, 'chosen' | 'onChoose'> {
  figure: OverviewFigure
  isChosen: boolean
  onChoose: () => void
}

function Tile({ figure, range, current, before, isChosen, onChoose }: TileProps) {
  const { full, inTile } = useWritten(figure)
  const value = current && (figure.now ? figure.now(current) : figure.of(current.totals))
  // What is owed now has no past to draw for a range that is over.
  const isDrawn = figure.now === undefined || range.isCurrent
  return (
    <button
      type="button"
      aria-pressed={isChosen}
      disabled={!isDrawn}
      onClick={onChoose}
      title={`${figure.about}${isDrawn ? '' : ' Choose a range that ends today to see how it got there.'}`}
      className={classes(
        'min-w-0 px-4 py-3 text-left transition-colors outline-offset-[-2px]',
        isChosen ? 'bg-panel shadow-[inset_0_2px_0_var(--accent)]' : 'bg-panel enabled:hover:bg-sunken',
      )}
    >
      <span className={classes('block truncate text-xs', isChosen ? 'font-medium text-ink' : 'text-muted')}>
        {figure.name}
      </span>
      {value === undefined ? (
        <span className="mt-2 mb-1 block h-5 w-20 animate-pulse rounded bg-sunken" />
      ) : (
        <span className="mt-0.5 block truncate font-semibold text-lg tabular-nums tracking-tight" title={full(value)}>
          {inTile(value)}
        </span>
      )}
      <span className="mt-0.5 block min-h-4 truncate text-muted text-xs tabular-nums">
        {current && <Comparison figure={figure} range={range} current={current} before={before} />}
      </span>
    </button>
  )
}

/** Neither red nor green: more discount is no worse and no better than less. */
function Comparison({ figure, range, current, before }: Omit<TileProps, 'isChosen' | 'onChoose'>) {
  const { full, inTile } = useWritten(figure)
  if (current === undefined) return null
  const value = figure.of(current.totals)
  if (figure.now) {
    const sign = value > 0 ? '+' : ''
    return value === 0 ? 'unchanged in this range' : `${sign}${inTile(value).replace('-', '−')} in this range`
  }
  if (before === undefined) return null
  const { text, words } = changeOf(value, figure.of(before.totals), range.beforeText, full)
  return (
    <span title={words}>
      <span aria-hidden="true">
        {/* A tile has no room for how long before: the title and the chart say it. */}
        {text}
        {text.endsWith('%') && ' from before'}
      </span>
      <span className="sr-only">{words}</span>
    </span>
  )
}
