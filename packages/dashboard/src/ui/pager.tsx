import { Button } from './button.tsx'

interface PagerProps {
  page: number
  pageSize: number
  total: number
  onChange: (page: number) => void
}

/** Under a list that is read page by page: where one is, and the way on. Nothing when there is one page. */
export function Pager({ page, pageSize, total, onChange }: PagerProps) {
  const first = (page - 1) * pageSize + 1
  const last = Math.min(total, page * pageSize)
  if (total <= pageSize) return null
  return (
    <div className="flex items-center justify-between gap-4 border-line border-t px-4 py-2.5 text-muted text-xs">
      <span className="tabular-nums">
        {first.toLocaleString('en-GB')}–{last.toLocaleString('en-GB')} of {total.toLocaleString('en-GB')}
      </span>
      <span className="flex gap-2">
        <Button size="small" disabled={page <= 1} onClick={() => onChange(page - 1)}>
          Previous
        </Button>
        <Button size="small" disabled={last >= total} onClick={() => onChange(page + 1)}>
          Next
        </Button>
      </span>
    </div>
  )
}
