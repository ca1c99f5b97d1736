import { Link, useParams } from '@tanstack/react-router'
import type { Schemas } from '../../api/client.ts'
import { useRead } from '../../api/queries.ts'
import { Count, Instant, useFormat } from '../../ui/format.tsx'
import { Figure, Panel } from '../../ui/page.tsx'
import { Progress } from '../../ui/state.tsx'
import { wayToNext } from '../../words/tiers.ts'
import { PointsExpiries } from './points-expiries.tsx'

type Card = Schemas['Voucher']

/** A loyalty card: its points, when they expire, the tier and the way to the next. */
export function LoyaltyCardPanel({ card }: { card: Card }) {
  const { project = '' } = useParams({ strict: false })
  const points = card.loyalty_card ?? { balance: 0, points: 0 }
  return (
    <Panel
      title={card.campaign ?? 'Loyalty card'}
      actions={
        <Link
          to="/$project/codes/$code"
          params={{ project, code: card.code }}
          className="font-mono text-accent hover:underline"
        >
          {card.code}
        </Link>
      }
    >
      <div className="grid gap-5 sm:grid-cols-2">
        <div className="space-y-4">
          <div className="grid grid-cols-2 gap-4">
            <Figure name="Points" value={<Count value={points.balance} />} />
            <Figure name="Pending" value={<Count value={points.pending_points ?? 0} />} note="not counted yet" />
          </div>
          {card.campaign_id && <TierOfCard card={card} campaign={card.campaign_id} />}
        </div>
        {card.campaign_id && <PointsExpiries card={card} campaign={card.campaign_id} />}
      </div>
    </Panel>
  )
}

interface OfProgram {
  card: Card
  campaign: string
}

function TierOfCard({ card, campaign }: OfProgram) {
  const format = useFormat()
  const tiers = useRead('GET /v1/loyalties/{campaignId}/tiers', {
    path: { campaignId: campaign },
    query: { limit: 100 },
  })
  const own = useRead('GET /v1/loyalties/members/{memberId}/tiers', { path: { memberId: card.id } })
  const program = useRead('GET /v1/campaigns/{campaignId}', { path: { campaignId: campaign } })
  if (!tiers.data || !own.data || !program.data || tiers.data.data.length === 0) return null
  const current = own.data.data[0]
  const balance = card.loyalty_card?.balance ?? 0
  const way = wayToNext(tiers.data.data, current, balance, program.data.loyalty_tiers_expiration, format)
  const end = current?.expiration?.expiration_date
  return (
    <div>
      <p className="flex flex-wrap items-baseline justify-between gap-x-3">
        <span className="font-medium">{current?.name ?? 'No tier yet'}</span>
        {end && (
          <span className="text-muted text-xs">
            until <Instant at={end} withTime={false} />
          </span>
        )}
      </p>
      {way?.share !== undefined && (
        <div className="mt-1.5">
          <Progress value={way.share} label="The way to the next tier" />
        </div>
      )}
      {way && <p className="mt-1 text-muted text-xs">{way.words}</p>}
    </div>
  )
}
