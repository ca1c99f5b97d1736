import { Progress, Status } from '../../ui/state.tsx'
import { type Action, kindOf, stateOf } from '../../words/async-actions.ts'

/** A bar while it runs, a word before and after. */
export function ActionState({ action }: { action: Action }) {
  const { tone, text } = stateOf(action)
  if (action.status !== 'IN_PROGRESS') return <Status tone={tone}>{text}</Status>
  return (
    <span className="flex w-36 items-center gap-2">
      <Progress value={action.progress / 100} label={kindOf(action.type)} />
      <span className="w-9 text-right text-muted text-xs tabular-nums">{action.progress} %</span>
    </span>
  )
}
