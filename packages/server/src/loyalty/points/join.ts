import { ApiError } from '../../core/http/errors.ts'
import { publishCodes } from '../../incentives/publications/publish.ts'
import { asOfMoment, type Card, cardIn, type LoyaltyUnitOfWork, type Moment } from './card.ts'
import { inSavepointOrNull } from './savepoint.ts'
import { flushAndReload } from './unit-of-work.ts'

/**
 * Publishes a card of a program to a customer (docs/reference/earning-rules.md#when-a-rule-fires: auto-join); undefined if no
 * card is available. It is a regular publication: it is stored and its events are emitted, also on failure, and it may put the
 * customer into a tier.
 */
export async function joinProgram(
  work: LoyaltyUnitOfWork,
  customerId: string,
  campaignId: string,
  moment: Moment,
): Promise<Card | undefined> {
  const ctx = asOfMoment(work.ctx, moment)
  const request = { customer: { id: customerId }, campaign: { name: campaignId } }
  const published = await flushAndReload(work, () =>
    inSavepointOrNull(ctx, () => publishCodes(ctx, request, { cascade: work.cascade })),
  )
  return published === null || published instanceof ApiError ? undefined : cardIn(work, customerId, campaignId)
}
