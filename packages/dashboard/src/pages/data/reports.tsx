import { Button } from '../../ui/button.tsx'
import { Instant } from '../../ui/format.tsx'
import { Panel } from '../../ui/page.tsx'
import { FailureNotice } from '../../ui/state.tsx'
import { useDownloadReport } from './download.ts'
import type { ActionResult } from './result.ts'

/** The files that say, record by record, what a bulk change did. */
export function Reports({ result: { reports, reportsUntil } }: { result: ActionResult }) {
  const download = useDownloadReport()
  return (
    <Panel title="Report" about="Record by record: whether it was found and changed.">
      <div className="space-y-3">
        <FailureNotice failure={download.error} />
        <ul className="space-y-2">
          {reports.map((address, index) => (
            <li key={address} className="flex items-center justify-between gap-4">
              <span>
                {reports.length === 1 ? 'All records' : `Part ${index + 1}`}
                {reportsUntil && (
                  <span className="text-muted">
                    , kept until <Instant at={reportsUntil} withTime={false} />
                  </span>
                )}
              </span>
              <Button
                size="small"
                isBusy={download.isPending && download.variables === address}
                onClick={() => download.mutate(address)}
              >
                Download
              </Button>
            </li>
          ))}
        </ul>
      </div>
    </Panel>
  )
}
