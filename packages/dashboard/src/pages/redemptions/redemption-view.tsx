import { Link } from '@tanstack/react-router'
import { FlaskConical } from 'lucide-react'
import { useProject } from '../../api/session.ts'
import { CopyCall } from '../../parts/copy-call.tsx'
import { buttonClasses } from '../../ui/button.tsx'
import { clockOf } from '../../ui/days.ts'
import { useFormat } from '../../ui/format.tsx'
import { Page } from '../../ui/page.tsx'
import { Notice } from '../../ui/state.tsx'
import { AllRedemptions } from './all-redemptions.tsx'
import { type Entry, isRollback, type Redemption } from './entry.ts'
import { FactsPanel } from './facts-panel.tsx'
import { FollowedPanel } from './followed-panel.tsx'
import { headlineOf, refusalOf } from './headline.ts'
import { OrderPanel } from './order-panel.tsx'
import type { Recalculation } from './recalculate.ts'
import { RollBackButton } from './roll-back.tsx'
import { RollbackOfNotice, RolledBackNotice } from './rollback-notice.tsx'
import { SentOrderPanel } from './sent-order-panel.tsx'
import { simulationOf } from './simulation.ts'
import { TogetherPanel } from './together-panel.tsx'
import { useParts, useRecalculation, useRequestEvents, useSentRequest } from './use-redemption.ts'
import { WhyPanel } from './why-panel.tsx'

/** What happened on the left, in the order one asks; the facts on the right. */
export function RedemptionView({ entry }: { entry: Entry }) {
  const format = useFormat()
  const { parent, parts, isLoading: isLoadingParts } = useParts(entry)
  const followed = useRequestEvents(entry)
  const { sent, isLoading: isLoadingSent } = useSentRequest(entry, followed.request)
  const ofThis = parts.filter(({ id }) => entry.id === parent || id === entry.id)
  const recalculation = useRecalculation(entry, ofThis, sent)
  const refusal = refusalOf(entry, format)
  return (
    <Page
      title={headlineOf(entry, format)}
      above={<AllRedemptions />}
      about={entry.voucher === null && sent?.redeemables && <SentCodes sent={sent} />}
      actions={
        <>
          <CopyCall
            name="GET /v1/redemptions/{redemptionId}"
            input={{ path: { redemptionId: entry.id } }}
            method="getRedemption"
          />
          {!isRollback(entry) && recalculation.mayValidate && <SimulateAgain entry={entry} body={recalculation.body} />}
          {!isRollback(entry) && entry.status === 'SUCCEEDED' && (
            <RollBackButton
              redemption={entry}
              parent={parent}
              parts={parts}
              mode={recalculation.data?.stacking_rules.redeemables_rollback_order_mode}
            />
          )}
        </>
      }
    >
      <div className="grid gap-4 lg:grid-cols-[minmax(0,1fr)_20rem] lg:items-start">
        <div className="min-w-0 space-y-4">
          {refusal && <Notice tone="bad" title={refusal} />}
          {isRollback(entry) ? <RollbackOfNotice rollback={entry} /> : <RolledBackNotice redemption={entry} />}
          {entry.order && <OrderPanel entry={entry} order={entry.order} />}
          {sent?.order && <SentOrderPanel order={sent.order} />}
          {parent && <TogetherPanel current={entry.id} parent={parent} parts={parts} isLoading={isLoadingParts} />}
          {!isRollback(entry) && (
            <WhyPanel
              redemption={entry}
              parts={ofThis}
              recalculation={recalculation}
              isWaiting={followed.isLoading || isLoadingSent}
            />
          )}
          <FollowedPanel entry={entry} followed={followed} />
        </div>
        <FactsPanel entry={entry} parent={parent} />
      </div>
    </Page>
  )
}

/** Opens the simulator with the same customer, order and codes, at the same moment. */
function SimulateAgain({ entry, body }: { entry: Redemption; body: Recalculation | undefined }) {
  const { id: project, timezone } = useProject()
  const search = body
    ? { cart: simulationOf(body, entry.order, clockOf(entry.date, timezone)) }
    : {
        ...(entry.voucher && { code: entry.voucher.code }),
        ...(entry.promotion_tier && { tier: entry.promotion_tier.id }),
        ...(entry.customer_id && { customer: entry.customer_id }),
      }
  return (
    <Link to="/$project/simulator" params={{ project }} search={search} className={buttonClasses()}>
      <FlaskConical aria-hidden="true" className="size-4" />
      Simulate this again
    </Link>
  )
}

/** An unknown code is only in the request. */
function SentCodes({ sent }: { sent: Partial<Recalculation> | undefined }) {
  const ids = sent?.redeemables?.map(({ id }) => id) ?? []
  if (ids.length === 0) return null
  return (
    <>
      The shop sent <span className="break-all font-mono text-ink">{ids.join(', ')}</span>.
    </>
  )
}
