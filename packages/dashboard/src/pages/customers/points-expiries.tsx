import type { Schemas } from '../../api/client.ts'
import { sentenceOf } from '../../api/failures.ts'
import { useRead } from '../../api/queries.ts'
import { Instant, useFormat } from '../../ui/format.tsx'
import { expiriesOf } from '../../words/expiries.ts'
import { pointsWords } from '../../words/gives.ts'

/** Which points expire when, the next first; and those that are still to come. */
export function PointsExpiries({ card, campaign }: { card: Schemas['Voucher']; campaign: string }) {
  const format = useFormat()
  const buckets = useRead('GET /v1/loyalties/{campaignId}/members/{memberId}/points-expiration', {
    path: { campaignId: campaign, memberId: card.id },
    query: { limit: 100 },
  })
  const pending = useRead(
    'GET /v1/loyalties/members/{memberId}/pending-points',
    { path: { memberId: card.id }, query: { limit: 1, order: 'id' } },
    { enabled: (card.loyalty_card?.pending_points ?? 0) > 0 },
  )
  const rows = expiriesOf(buckets.data?.data ?? [], format)
  const next = pending.data?.data[0]
  return (
    <div className="min-w-0">
      <h3 className="mb-1.5 text-muted text-xs">What expires when</h3>
      {buckets.isLoading && <div className="h-4 w-2/3 animate-pulse rounded bg-sunken" />}
      {buckets.error && <p className="text-bad">{sentenceOf(buckets.error)}</p>}
      {buckets.data && rows.length === 0 && <p className="text-muted">There are no points on the card.</p>}
      <ul className="divide-y divide-line">
        {rows.map(({ when, points }) => (
          <li key={when} className="flex justify-between gap-4 py-1.5 first:pt-0">
            <span>{when}</span>
            <span className="tabular-nums">{pointsWords(points, format)}</span>
          </li>
        ))}
        {next && (
          <li className="flex justify-between gap-4 py-1.5 text-muted">
            <span>
              Pending, next on <Instant at={next.activates_at} withTime={false} />
            </span>
            <span className="tabular-nums">+{pointsWords(next.points, format)}</span>
          </li>
        )}
      </ul>
    </div>
  )
}
