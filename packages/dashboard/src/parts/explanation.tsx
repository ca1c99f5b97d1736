import { ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Schemas } from '../api/client.ts'
import type { StepView } from '../words/explanation/step.ts'
import { type About, type Explained, useExplained } from '../words/explanation/use-views.ts'
import { StepRow } from './explanation-row.tsx'

interface ExplanationProps extends About {
  explanation: Schemas['ExplanationView']
}

/** Why a redeemable was applied or refused: the sentence, then the steps as a tree. */
export function Explanation({ explanation, ...about }: ExplanationProps) {
  const [explained] = useExplained([explanation], [about])
  if (explained === undefined) return null
  return (
    <div>
      <p className="font-medium">{explained.headline}.</p>
      <div className="mt-2">
        <ExplanationTree explained={explained} isApplied={explanation.status === 'APPLICABLE'} />
      </div>
    </div>
  )
}

/** The steps alone, for a page that says the sentence elsewhere. */
export function ExplanationTree({ explained: { views }, isApplied }: { explained: Explained; isApplied: boolean }) {
  const reason = isApplied ? undefined : views.find(({ state }) => state === 'failed')
  return (
    <ol className="space-y-1">
      {runsOf(views).map((run, index) => (
        <Run key={index} run={run} reason={reason} isApplied={isApplied} />
      ))}
    </ol>
  )
}

/** Neighbours that may be folded together. */
function runsOf(views: readonly StepView[]): StepView[][] {
  const runs: StepView[][] = []
  for (const view of views) {
    const last = runs.at(-1)
    const isSame = last?.[0]?.state === view.state && (view.state === 'passed' || view.state === 'effect')
    if (last && isSame) last.push(view)
    else runs.push([view])
  }
  return runs
}

const effectsShown = 4

function Run({ run, reason, isApplied }: { run: StepView[]; reason: StepView | undefined; isApplied: boolean }) {
  const rows = (views: readonly StepView[]) =>
    views.map((view, index) => (
      <StepRow key={`${view.text}${index}`} view={view} isReason={view === reason} isQuiet={isApplied} />
    ))
  const [first] = run
  if (first?.state === 'passed') {
    return (
      <li>
        <Fold title={run.length === 1 ? '1 check passed' : `${run.length} checks passed`}>{rows(run)}</Fold>
      </li>
    )
  }
  if (run.length <= effectsShown + 1) return rows(run)
  return (
    <>
      {rows(run.slice(0, effectsShown))}
      <li>
        <Fold title={`${run.length - effectsShown} more`}>{rows(run.slice(effectsShown))}</Fold>
      </li>
    </>
  )
}

function Fold({ title, children }: { title: string; children: ReactNode }) {
  return (
    <details className="group">
      <summary className="flex w-fit list-none items-center gap-2 rounded py-0.5 pr-2 text-muted hover:text-ink [&::-webkit-details-marker]:hidden">
        <ChevronRight aria-hidden="true" className="size-4 shrink-0 transition-transform group-open:rotate-90" />
        {title}
      </summary>
      <ol className="mt-1 space-y-1 border-line border-l pl-4 ml-[7px]">{children}</ol>
    </details>
  )
}
