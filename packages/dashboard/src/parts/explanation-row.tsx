import { Check, type LucideIcon, Minus, MoveRight, X } from 'lucide-react'
import { classes } from '../ui/classes.ts'
import type { StepState, StepView } from '../words/explanation/step.ts'

const icons: Record<StepState, LucideIcon> = { passed: Check, failed: X, open: Minus, effect: MoveRight }
const words: Record<StepState, string> = { passed: 'yes', failed: 'no', open: 'left out', effect: '' }

interface StepRowProps {
  view: StepView
  /** The step that decided. */
  isReason?: boolean
  /** What failed here refused nothing: an alternative held, or a limit only took a share. */
  isQuiet?: boolean
}

/** One step: whether it held, what it asks for, what was found, and what it is made of. */
export function StepRow({ view, isReason = false, isQuiet = false }: StepRowProps) {
  const { state, text, detail, bar, sum, rule, formula, parts = [], join } = view
  const Icon = icons[state]
  const isBad = state === 'failed' && !isQuiet
  return (
    <li className={classes('min-w-0', isReason && '-mx-2 rounded-md bg-bad-soft px-2 py-1.5')}>
      <div className="flex items-start gap-2">
        <Icon
          aria-hidden="true"
          strokeWidth={2.25}
          className={classes(
            'mt-0.5 size-4 shrink-0',
            isBad ? 'text-bad' : state === 'passed' ? 'text-good' : 'text-muted',
          )}
        />
        <div className="min-w-0 flex-1">
          <p className={classes('break-words', state === 'open' && 'text-muted')}>
            {text}
            {words[state] && join === undefined && (
              <span className={isBad ? 'font-medium text-bad' : 'text-muted'}> – {words[state]}</span>
            )}
            {isReason && (
              <span className="ml-2 inline-block whitespace-nowrap rounded bg-bad px-1.5 py-0.5 align-[1px] font-medium text-panel text-xs leading-4">
                The reason
              </span>
            )}
          </p>
          {rule && <p className="break-words text-muted text-xs">Rule “{rule}”</p>}
          {detail && <p className="break-words text-muted">{detail}</p>}
          {bar && <Bar {...bar} isFull={isBad} />}
          {sum?.map((line) => (
            <p key={line} className="text-muted tabular-nums">
              {line}
            </p>
          ))}
          {formula && <code className="block break-words font-mono text-muted text-xs">{formula}</code>}
        </div>
      </div>
      {parts.length > 0 && (
        <ol className="mt-1 ml-[7px] space-y-1 border-line-strong border-l pl-4">
          {parts.map((part, index) => (
            <StepRow key={`${part.text}${index}`} view={part} isQuiet={isQuiet || state !== 'failed'} />
          ))}
        </ol>
      )}
    </li>
  )
}

/** How much is used up; the numbers are beside it in words. */
function Bar({ used, allowed, isFull }: { used: number; allowed: number; isFull: boolean }) {
  const share = allowed === 0 ? 100 : Math.min(100, Math.max(0, (used / allowed) * 100))
  return (
    <div aria-hidden="true" className="my-1 h-1 w-full max-w-48 overflow-hidden rounded-full bg-line">
      <div
        className={classes('h-full rounded-full', isFull ? 'bg-bad' : 'bg-chart-1')}
        style={{ width: `${share}%` }}
      />
    </div>
  )
}
