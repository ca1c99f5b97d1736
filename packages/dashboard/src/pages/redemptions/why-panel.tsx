import { Link } from '@tanstack/react-router'
import { useProject } from '../../api/session.ts'
import { CopyCall } from '../../parts/copy-call.tsx'
import { Explanation } from '../../parts/explanation.tsx'
import { Instant } from '../../ui/format.tsx'
import { Panel } from '../../ui/page.tsx'
import { FailureView, Loading } from '../../ui/state.tsx'
import { customerName, type Redemption } from './entry.ts'
import type { useRecalculation } from './use-redemption.ts'

interface WhyPanelProps {
  redemption: Redemption
  parts: readonly Redemption[]
  recalculation: ReturnType<typeof useRecalculation>
  /** The request that was sent is still being looked for. */
  isWaiting: boolean
}

/** Why it was given or refused, calculated again as of that moment. */
export function WhyPanel({ redemption, parts, recalculation, isWaiting }: WhyPanelProps) {
  const { body, data, error, isLoading, mayValidate, retry } = recalculation
  // Nobody kept the order of a refusal: what is accepted without it explains nothing.
  const isWithoutOrder = redemption.result === 'FAILURE' && body?.order === undefined
  const explains = data !== undefined && !(isWithoutOrder && data.valid)
  return (
    <Panel
      title="Why"
      about={
        explains && (
          <>
            Recalculated as of <Instant at={redemption.date} />{' '}
            {isWithoutOrder
              ? 'without the order: it is not kept when a code is refused.'
              : 'with the rules, uses and balances of now.'}
          </>
        )
      }
      actions={
        body &&
        mayValidate && (
          <CopyCall
            name="POST /v1/validations"
            input={{ body }}
            method="validateRedeemables"
            look="quiet"
            size="small"
          />
        )
      }
    >
      {isWaiting || isLoading ? (
        <Loading lines={3} />
      ) : !mayValidate ? (
        <p className="text-muted">
          An explanation is recalculated by validating the order again. Your role may look, not validate: ask a user of
          the project.
        </p>
      ) : error ? (
        <FailureView failure={error} retry={retry} />
      ) : explains ? (
        <Explained redemption={redemption} parts={parts} validation={data} />
      ) : (
        <NotExplained redemption={redemption} />
      )}
    </Panel>
  )
}

type Validation = NonNullable<ReturnType<typeof useRecalculation>['data']>

interface ExplainedProps {
  redemption: Redemption
  parts: readonly Redemption[]
  validation: Validation
}

function Explained({ redemption, parts, validation }: ExplainedProps) {
  const results = [
    ...(validation.inapplicable_redeemables ?? []),
    ...validation.redeemables,
    ...(validation.skipped_redeemables ?? []),
  ]
  const lines = (validation.order?.items ?? []).map(
    ({ product, sku, source_id }, index) => product?.name ?? sku?.sku ?? source_id ?? `line ${index + 1}`,
  )
  const tiers = new Map([redemption, ...parts].map(({ promotion_tier: tier }) => [tier?.id, tier?.name]))
  // A refused validation lists what was refused in both.
  const explanations = [...new Map(results.map(({ id, explanation }) => [id, explanation])).values()].filter(
    (explanation) => explanation !== undefined,
  )
  const all = (
    <div className="space-y-5">
      {explanations.map((explanation) => (
        <Explanation
          key={explanation.id}
          explanation={explanation}
          subject={tiers.get(explanation.id)}
          customer={customerName(redemption.customer)}
          lines={lines}
        />
      ))}
    </div>
  )
  if (validation.valid === (redemption.result === 'SUCCESS')) return all
  return (
    <>
      <p>
        {redemption.result === 'SUCCESS'
          ? 'It was accepted then. The same would be refused today: uses, balances or rules have changed since.'
          : 'It was refused then. The same would be accepted today: uses, balances or rules have changed since.'}
      </p>
      <details className="mt-2">
        <summary className="w-fit text-accent hover:underline">What would be said today</summary>
        <div className="mt-3 border-line border-l-2 pl-4">{all}</div>
      </details>
    </>
  )
}

/** A refusal whose order nobody kept. */
function NotExplained({ redemption }: { redemption: Redemption }) {
  const { id: project } = useProject()
  return (
    <div className="max-w-2xl space-y-2 text-muted">
      <p>
        The reason is stored, the order of a refusal is not. Administrators find the request in the audit log as long as
        it is kept.
      </p>
      {redemption.voucher && (
        <p>
          <Link
            to="/$project/simulator"
            params={{ project }}
            search={{
              code: redemption.voucher.code,
              ...(redemption.customer_id && { customer: redemption.customer_id }),
            }}
            className="text-accent underline"
          >
            Put the order into the simulator
          </Link>{' '}
          with this code to see each condition with its numbers.
        </p>
      )}
    </div>
  )
}
