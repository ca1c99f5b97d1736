import { Link } from '@tanstack/react-router'
import { useRead } from '../../api/queries.ts'
import { useProject } from '../../api/session.ts'
import { Instant, useFormat } from '../../ui/format.tsx'
import { Notice } from '../../ui/state.tsx'
import { isRollback, type Redemption, type Rollback } from './entry.ts'

/** Above a redemption that was taken back: when, why, and the rollback itself. */
export function RolledBackNotice({ redemption }: { redemption: Redemption }) {
  const { id: project } = useProject()
  const rollback = redemption.related_redemptions?.rollbacks.at(-1)
  const { data } = useRead(
    'GET /v1/redemptions/{redemptionId}',
    { path: { redemptionId: rollback?.id ?? '' } },
    { enabled: rollback !== undefined },
  )
  if (rollback === undefined) return null
  const reason = data && isRollback(data) ? data.reason : undefined
  return (
    <Notice
      tone="info"
      title={
        <>
          Rolled back on <Instant at={rollback.date} />
          {reason ? `: ${reason}` : ''}
        </>
      }
    >
      {rollback.rollback_order_mode === 'WITHOUT_ORDER'
        ? 'The order kept its amounts and its state. '
        : 'The order was canceled and its discount removed. '}
      <Link
        to="/$project/redemptions/$redemption"
        params={{ project, redemption: rollback.id }}
        className="text-accent underline"
      >
        See the rollback
      </Link>
    </Notice>
  )
}

/** Above a rollback: what it took back and what that gave back. */
export function RollbackOfNotice({ rollback }: { rollback: Rollback }) {
  const { id: project } = useProject()
  const { money, number } = useFormat()
  const redemption = rollback.redemption
  return (
    <Notice tone="info" title={rollback.reason ? `Reason: ${rollback.reason}` : 'No reason was given.'}>
      {rollback.result === 'SUCCESS' && (
        <>
          {rollback.gift && `${money(Math.abs(rollback.gift.amount))} went back on the gift card. `}
          {rollback.loyalty_card && `${number(Math.abs(rollback.loyalty_card.points))} points went back on the card. `}
          {rollback.voucher && !rollback.gift && !rollback.loyalty_card && 'The code can be used once more. '}
        </>
      )}
      {redemption && (
        <Link to="/$project/redemptions/$redemption" params={{ project, redemption }} className="text-accent underline">
          {rollback.result === 'SUCCESS' ? 'See the redemption it took back' : 'See the redemption'}
        </Link>
      )}
    </Notice>
  )
}
