import type { ReactNode } from 'react'
import { useEffect } from 'react'
import { classes } from './classes.ts'

interface PageProps {
  title: string
  /** Shown in place of the title where that is more than text: a code in monospace, a name with its state. */
  heading?: ReactNode
  /** One sentence on what this place is for, or what the object is. */
  about?: ReactNode
  /** The way up: a link to the list. */
  above?: ReactNode
  actions?: ReactNode
  children: ReactNode
}

/** A place: its heading, its actions on the right, its content. Sets the title of the window. */
export function Page({ title, heading, about, above, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Guerdon`
  }, [title])
  return (
    <div className="mx-auto w-full max-w-6xl px-4 pt-5 pb-16 sm:px-8 sm:pt-7">
      {above && <div className="mb-1.5 text-muted text-xs">{above}</div>}
      <header className="mb-6 flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="min-w-0 flex-1 basis-80">
          <h1 className="break-words font-semibold text-xl leading-8 tracking-tight">{heading ?? title}</h1>
          {about && <p className="mt-0.5 max-w-2xl text-muted">{about}</p>}
        </div>
        {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  )
}

interface PanelProps {
  title?: ReactNode
  about?: ReactNode
  actions?: ReactNode
  /** Content that reaches the border, such as a table. */
  flush?: boolean
  className?: string
  children: ReactNode
}

export function Panel({ title, about, actions, flush = false, className, children }: PanelProps) {
  return (
    <section className={classes('min-w-0 rounded-lg border border-line bg-panel', className)}>
      {(title || actions) && (
        <header className="flex min-h-12 flex-wrap items-center justify-between gap-x-4 gap-y-1 border-line border-b px-4 py-2">
          <div className="min-w-0">
            <h2 className="font-semibold">{title}</h2>
            {about && <p className="text-muted text-xs">{about}</p>}
          </div>
          {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
        </header>
      )}
      <div className={flush ? '' : 'p-4'}>{children}</div>
    </section>
  )
}

/** Facts about one object: name and value, line by line. A value that is undefined leaves its line out. */
export function Facts({ facts }: { facts: [name: string, value: ReactNode][] }) {
  return (
    <dl className="divide-y divide-line">
      {facts
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => (
          <div key={name} className="flex items-baseline justify-between gap-4 py-2 first:pt-0 last:pb-0">
            <dt className="shrink-0 text-muted">{name}</dt>
            <dd className="min-w-0 break-words text-right">{value}</dd>
          </div>
        ))}
    </dl>
  )
}

/** One number with its name, and what it was before. */
export function Figure({ name, value, note }: { name: string; value: ReactNode; note?: ReactNode }) {
  return (
    <div className="min-w-0">
      <div className="truncate text-muted text-xs">{name}</div>
      <div className="mt-0.5 truncate font-semibold text-lg tabular-nums tracking-tight">{value}</div>
      {note && <div className="mt-0.5 truncate text-muted text-xs">{note}</div>}
    </div>
  )
}
