import { Link } from '@tanstack/react-router'
import { useProject } from '../../api/session.ts'
import { classes } from '../../ui/classes.ts'
import { Count, Money } from '../../ui/format.tsx'
import { Panel } from '../../ui/page.tsx'
import { Loading, Status } from '../../ui/state.tsx'
import { refusalName } from '../../words/refusals.ts'
import { type Redemption, resultOf, subjectOf, takenOff } from './entry.ts'

interface TogetherPanelProps {
  current: string
  parent: string
  parts: readonly Redemption[]
  isLoading: boolean
}

/** What one request redeemed together, in the order in which it was applied. */
export function TogetherPanel({ current, parent, parts, isLoading }: TogetherPanelProps) {
  const { id: project } = useProject()
  return (
    <Panel
      title="Redeemed together"
      about="By one request, in this order. They are rolled back together too."
      flush
      actions={
        current !== parent && (
          <Link
            to="/$project/redemptions/$redemption"
            params={{ project, redemption: parent }}
            className="text-accent text-xs hover:underline"
          >
            The whole redemption
          </Link>
        )
      }
    >
      {isLoading ? (
        <Loading lines={3} />
      ) : (
        <ol className="divide-y divide-line">
          {parts.map((part) => (
            <Part key={part.id} part={part} isCurrent={part.id === current} />
          ))}
        </ol>
      )}
    </Panel>
  )
}

function Part({ part, isCurrent }: { part: Redemption; isCurrent: boolean }) {
  const { id: project } = useProject()
  const { text, isCode } = subjectOf(part)
  const { tone, text: result } = resultOf(part)
  const off = takenOff(part)
  return (
    <li
      className={classes(
        'relative flex items-center gap-4 px-4 py-2.5',
        isCurrent ? 'bg-sunken/60' : 'hover:bg-sunken/60',
      )}
    >
      <span className="min-w-0 flex-1 truncate" title={text}>
        {isCurrent ? (
          <span className={classes('font-medium', isCode && 'font-mono')} aria-current="true">
            {text} <span className="font-normal font-sans text-muted text-xs">this one</span>
          </span>
        ) : (
          <Link
            to="/$project/redemptions/$redemption"
            params={{ project, redemption: part.id }}
            className={classes(
              'font-medium outline-offset-2 after:absolute after:inset-0 hover:underline',
              isCode && 'font-mono',
            )}
          >
            {text}
          </Link>
        )}
      </span>
      <Status tone={tone}>{result}</Status>
      <span className="w-24 text-right tabular-nums">
        {part.result === 'FAILURE' ? (
          <span className="text-muted text-xs">{refusalName(part.failure_code ?? '')}</span>
        ) : off ? (
          <Money cents={-off} />
        ) : part.loyalty_card ? (
          <>
            <Count value={part.loyalty_card.points} /> points
          </>
        ) : (
          <Money cents={0} />
        )}
      </span>
    </li>
  )
}
