import { AlertTriangle } from 'lucide-react'
import type { ReactNode } from 'react'
import type { ApiFailure } from '../api/client.ts'
import { sentenceOf } from '../api/failures.ts'
import { Button } from './button.tsx'
import { classes } from './classes.ts'

export type Tone = 'good' | 'bad' | 'warn' | 'info' | 'neutral'

const dots: Record<Tone, string> = {
  good: 'bg-good',
  bad: 'bg-bad',
  warn: 'bg-warn',
  info: 'bg-info',
  neutral: 'bg-muted',
}
const grounds: Record<Tone, string> = {
  good: 'bg-good-soft text-good',
  bad: 'bg-bad-soft text-bad',
  warn: 'bg-warn-soft text-warn',
  info: 'bg-info-soft text-info',
  neutral: 'bg-sunken text-muted',
}

/** The state of something: a word, with a dot whose colour repeats it. */
export function Status({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <span className="inline-flex items-center gap-1.5 whitespace-nowrap">
      <span aria-hidden="true" className={classes('size-2 rounded-full', dots[tone])} />
      {children}
    </span>
  )
}

export function Tag({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span
      className={classes(
        'inline-flex items-center gap-1 whitespace-nowrap rounded px-1.5 py-0.5 font-medium text-xs',
        grounds[tone],
      )}
    >
      {children}
    </span>
  )
}

/** A sentence that must be seen: an error above a form, a warning above a page. */
export function Notice({ tone, title, children }: { tone: Tone; title?: ReactNode; children?: ReactNode }) {
  return (
    <div role={tone === 'bad' ? 'alert' : 'status'} className={classes('rounded-md px-3 py-2.5', grounds[tone])}>
      {title && <p className="font-semibold">{title}</p>}
      {children && <div className="text-ink">{children}</div>}
    </div>
  )
}

/** Why a form was not accepted, with every fault the service named. */
export function FailureNotice({ failure }: { failure: ApiFailure | null }) {
  if (failure === null) return null
  const further = failure.errors.slice(1)
  return (
    <Notice tone="bad" title={sentenceOf(failure)}>
      {further.length > 0 && (
        <ul className="mt-1 list-disc pl-4">
          {further.map(({ path, details }) => (
            <li key={`${path}${details}`}>{details}</li>
          ))}
        </ul>
      )}
    </Notice>
  )
}

/** What stands where content could not be loaded. */
export function FailureView({ failure, retry }: { failure: ApiFailure; retry?: () => void }) {
  return (
    <div role="alert" className="flex flex-col items-center gap-3 px-4 py-12 text-center">
      <AlertTriangle aria-hidden="true" className="size-6 text-bad" strokeWidth={1.75} />
      <p className="max-w-md font-medium">{sentenceOf(failure)}</p>
      {failure.requestId && <p className="font-mono text-muted text-xs">{failure.requestId}</p>}
      {retry && (
        <Button size="small" onClick={retry}>
          Try again
        </Button>
      )}
    </div>
  )
}

/** Where there is nothing yet: what it is for, and the first step. */
export function Empty({ title, children, action }: { title: string; children?: ReactNode; action?: ReactNode }) {
  return (
    <div className="flex flex-col items-center gap-2 px-4 py-14 text-center">
      <p className="font-semibold">{title}</p>
      {children && <div className="max-w-md text-muted">{children}</div>}
      {action && <div className="mt-2">{action}</div>}
    </div>
  )
}

/** The same in a small panel: one sentence. */
export function Nothing({ children }: { children: ReactNode }) {
  return <p className="px-4 py-5 text-muted">{children}</p>
}

/** Grey bars in place of text that is being loaded. */
export function Loading({ lines = 4 }: { lines?: number }) {
  return (
    <div role="status" aria-label="Loading" className="space-y-3 p-4">
      {Array.from({ length: lines }, (_, line) => (
        <div
          key={line}
          className="h-4 animate-pulse rounded bg-sunken"
          style={{ width: `${88 - ((line * 17) % 40)}%` }}
        />
      ))}
    </div>
  )
}

export function Progress({ value, label }: { value: number; label: string }) {
  const percent = Math.round(Math.min(1, Math.max(0, value)) * 100)
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuenow={percent}
      aria-valuemin={0}
      aria-valuemax={100}
      className="h-1.5 w-full min-w-20 overflow-hidden rounded-full bg-sunken"
    >
      <div className="h-full rounded-full bg-accent transition-[width]" style={{ width: `${percent}%` }} />
    </div>
  )
}
