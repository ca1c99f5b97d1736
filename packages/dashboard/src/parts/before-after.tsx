import { ArrowRight } from 'lucide-react'
import type { ReactNode } from 'react'

interface BeforeAfterProps {
  name?: ReactNode
  before: ReactNode
  after: ReactNode
  isChanged: boolean
}

/** What a form would do to a balance. */
export function BeforeAfter({ name = 'Balance', before, after, isChanged }: BeforeAfterProps) {
  return (
    <div
      role="status"
      className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 rounded-md bg-sunken px-3 py-2.5"
    >
      <span className="min-w-0 break-words text-muted">{name}</span>
      <span className="inline-flex items-center gap-2 tabular-nums">
        <span className={isChanged ? 'text-muted' : 'font-medium'}>{before}</span>
        {isChanged && (
          <>
            <ArrowRight aria-label="becomes" className="size-3.5 text-muted" />
            <span className="font-medium">{after}</span>
          </>
        )}
      </span>
    </div>
  )
}
