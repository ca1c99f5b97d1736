import { useMemo } from 'react'
import type { Schemas } from '../../api/client.ts'
import { useReads } from '../../api/queries.ts'
import { useMayChange } from '../../api/session.ts'
import { useExplained } from '../../words/explanation/use-views.ts'

type Qualified = Schemas['QualifiedRedeemable']

/**
 * Why an offer that qualifies cannot be used on this cart after all. Qualifications leave out rules about the amount of the order and
 * about counts, and limits of uses, so each offer is validated by itself. A campaign has no code yet, and a loyalty card needs a reward
 * that somebody chooses: these are not tried, and neither is anything for viewers, who may not validate.
 */
export function useRefusedOffers(
  offers: readonly Qualified[],
  question: Schemas['QualificationBody'] | undefined,
  customer: string | undefined,
): (offer: Qualified) => string | undefined {
  const mayValidate = useMayChange()
  const now = useMemo(() => (question === undefined ? '' : new Date().toISOString()), [question])
  const tried = mayValidate && question !== undefined ? offers.filter(canBeTried) : []
  const replies = useReads(
    'POST /v1/validations',
    tried.map(({ object, id }) => ({
      body: {
        redeemables: [{ object, id }],
        ...(question?.customer && { customer: question.customer }),
        ...(question?.order && { order: question.order }),
        ...(question?.metadata && { metadata: question.metadata }),
        options: { explain: true, as_of: question?.options?.as_of ?? now },
      } as Schemas['ValidationBody'],
    })),
  )
  const refusals = replies.flatMap((reply, index) => {
    const result = reply?.valid === false ? reply.redeemables[0] : undefined
    return result?.explanation ? [{ offer: tried[index] as Qualified, explanation: result.explanation }] : []
  })
  const explained = useExplained(
    refusals.map(({ explanation }) => explanation),
    refusals.map(() => ({ customer })),
  )
  return (offer) => explained[refusals.findIndex((refusal) => refusal.offer === offer)]?.cause
}

const canBeTried = ({ object, result }: Qualified) =>
  (object === 'voucher' || object === 'promotion_tier' || object === 'promotion_stack') && !('loyalty_card' in result)
