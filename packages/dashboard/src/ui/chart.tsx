import { scaleLinear, scalePoint } from 'd3-scale'
import { area, curveMonotoneX, line } from 'd3-shape'
import { type PointerEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { classes } from './classes.ts'

export interface ChartSeries {
  name: string
  values: readonly number[]
  colour: 1 | 2 | 3 | 4
  /** The first is filled; a comparison is a dashed line. */
  look?: 'area' | 'line' | 'dashed'
}

interface TimeChartProps {
  /** What it shows, for screen readers. */
  label: string
  /** The name of each point in time, for the axis. */
  points: readonly string[]
  /** The full name, for the reading. */
  names?: readonly string[]
  series: readonly ChartSeries[]
  /** How a value is written beside the axis, and in full. */
  short: (value: number) => string
  full: (value: number) => string
  height?: number
  /** The axis reaches at least so far: a line of zeros has no ticks of fractions. */
  least?: number
}

const strokes = ['', 'stroke-chart-1', 'stroke-chart-2', 'stroke-chart-3', 'stroke-chart-4']
const fills = ['', 'fill-chart-1', 'fill-chart-2', 'fill-chart-3', 'fill-chart-4']
const grounds = ['', 'bg-chart-1', 'bg-chart-2', 'bg-chart-3', 'bg-chart-4']
const margin = { top: 12, right: 8, bottom: 24, left: 52 }

/** Values over time as lines in one SVG. The pointer or the arrow keys read one point; a table says the same to screen readers. */
export function TimeChart({
  label,
  points,
  names = points,
  series,
  short,
  full,
  height = 240,
  least = 4,
}: TimeChartProps) {
  const [frame, width] = useWidth()
  const [active, setActive] = useState<number | null>(null)
  const last = points.length - 1
  const x = scalePoint<number>()
    .domain(points.map((_, index) => index))
    .range([margin.left, Math.max(margin.left + 1, width - margin.right)])
  const highest = Math.max(least, ...series.flatMap(({ values }) => values))
  const y = scaleLinear()
    .domain([0, highest])
    .nice(4)
    .range([height - margin.bottom, margin.top])
  const at = (index: number) => x(index) ?? margin.left
  const read = (event: PointerEvent<SVGSVGElement>) => {
    const position = event.nativeEvent.offsetX
    setActive(Math.min(last, Math.max(0, Math.round((position - margin.left) / (x.step() || 1)))))
  }
  const step = Math.max(1, Math.ceil(points.length / Math.max(2, Math.floor(width / 90))))
  return (
    <figure ref={frame} className="relative m-0">
      <figcaption className="mb-2 flex min-h-5 flex-wrap items-center gap-x-4 gap-y-1 text-xs" aria-live="polite">
        {series.map(({ name, colour, values, look }) => (
          <span key={name} className="inline-flex items-center gap-1.5">
            <span
              aria-hidden="true"
              className={classes('h-0.5 w-3', grounds[colour], look === 'dashed' && 'opacity-60')}
            />
            <span className="text-muted">{name}</span>
            {active !== null && <span className="font-medium tabular-nums">{full(values[active] ?? 0)}</span>}
          </span>
        ))}
        {active !== null && <span className="ml-auto text-muted">{names[active]}</span>}
      </figcaption>
      <svg
        role="img"
        aria-label={`${label}. Arrow keys read the points.`}
        tabIndex={0}
        width={width}
        height={height}
        className="block touch-pan-y select-none rounded outline-offset-4"
        onPointerMove={read}
        onPointerLeave={() => setActive(null)}
        onBlur={() => setActive(null)}
        onKeyDown={(event) => {
          const move = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
          if (move === undefined) return
          event.preventDefault()
          setActive((now) => Math.min(last, Math.max(0, (now ?? (move > 0 ? -1 : last + 1)) + move)))
        }}
      >
        {y.ticks(4).map((tick) => (
          <g key={tick}>
            <line x1={margin.left} x2={width - margin.right} y1={y(tick)} y2={y(tick)} className="stroke-line" />
            <text
              x={margin.left - 8}
              y={y(tick)}
              dy="0.32em"
              textAnchor="end"
              className="fill-muted text-[11px] tabular-nums"
            >
              {short(tick)}
            </text>
          </g>
        ))}
        {points.map(
          (point, index) =>
            index % step === 0 && (
              <text
                key={index}
                x={at(index)}
                y={height - 6}
                // Only a label that would leave the chart stands beside its point.
                textAnchor={index === 0 ? 'start' : width - at(index) < 20 ? 'end' : 'middle'}
                className="fill-muted text-[11px]"
              >
                {point}
              </text>
            ),
        )}
        {series.map(({ name, values, colour, look = 'line' }) => {
          const entries = [...values.entries()]
          const path = line<[number, number]>()
            .x(([index]) => at(index))
            .y(([, value]) => y(value))
            .curve(curveMonotoneX)
          const ground = area<[number, number]>()
            .x(([index]) => at(index))
            .y0(y(0))
            .y1(([, value]) => y(value))
            .curve(curveMonotoneX)
          return (
            <g key={name}>
              {look === 'area' && <path d={ground(entries) ?? ''} className={classes(fills[colour], 'opacity-10')} />}
              <path
                d={path(entries) ?? ''}
                fill="none"
                strokeWidth={look === 'dashed' ? 1.25 : 1.75}
                strokeDasharray={look === 'dashed' ? '3 4' : undefined}
                strokeLinejoin="round"
                className={strokes[colour]}
              />
            </g>
          )
        })}
        {active !== null && (
          <g>
            <line
              x1={at(active)}
              x2={at(active)}
              y1={margin.top}
              y2={height - margin.bottom}
              className="stroke-line-strong"
            />
            {series.map(({ name, values, colour }) => (
              <circle
                key={name}
                cx={at(active)}
                cy={y(values[active] ?? 0)}
                r={3.5}
                strokeWidth={2}
                className={classes(fills[colour], 'stroke-panel')}
              />
            ))}
          </g>
        )}
      </svg>
      {/* A table of its own would keep its height and make the page longer than it looks. */}
      <div className="sr-only">
        <table>
          <caption>{label}</caption>
          <thead>
            <tr>
              <th scope="col">Time</th>
              {series.map(({ name }) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {names.map((name, index) => (
              <tr key={index}>
                <th scope="row">{name}</th>
                {series.map((entry) => (
                  <td key={entry.name}>{full(entry.values[index] ?? 0)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  )
}

function useWidth() {
  const frame = useRef<HTMLElement>(null)
  const [width, setWidth] = useState(640)
  useEffect(() => {
    const element = frame.current
    if (element === null) return
    const observer = new ResizeObserver(([entry]) => setWidth(Math.round(entry?.contentRect.width ?? 640)))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [frame, width] as const
}

interface BarRow {
  id: string
  name: ReactNode
  value: number
  text: string
}

/** The largest few of something, each with a bar of its share of the largest. */
export function BarList({ rows }: { rows: readonly BarRow[] }) {
  const highest = Math.max(1, ...rows.map(({ value }) => value))
  return (
    <ul className="space-y-2.5">
      {rows.map(({ id, name, value, text }) => (
        <li key={id}>
          <div className="flex items-baseline justify-between gap-4">
            <span className="min-w-0 truncate">{name}</span>
            <span className="shrink-0 tabular-nums">{text}</span>
          </div>
          <div className="mt-1 h-1 rounded-full bg-sunken">
            <div
              className="h-full rounded-full bg-chart-1"
              style={{ width: `${Math.max(0.5, (value / highest) * 100)}%` }}
            />
          </div>
        </li>
      ))}
    </ul>
  )
}
