import { ApiError } from '../../core/http/errors.ts'
import { publishCodes } from '../../incentives/publications/publish.ts'
import { asOfMoment, type Card, cardIn, type LoyaltyUnitOfWork, type Moment } from './card.ts'
import { inSavepointOrNull } from './savepoint.ts'
import { flushAndReload } from './unit-of-work.ts'

/**
 * Gives a customer a card of a program (docs/reference/earning-rules.md#when-a-rule-fires: auto-join), or undefined where there
 * is none to give. The publication is like any other: it is remembered and told, also when it fails, and the customer may win a
 * tier by it.
 */
export async function joinProgram(
  books: LoyaltyUnitOfWork,
  customerId: string,
  campaignId: string,
  moment: Moment,
): Promise<Card | undefined> {
  const ctx = asOfMoment(books.ctx, moment)
  const request = { customer: { id: customerId }, campaign: { name: campaignId } }
  const published = await flushAndReload(books, () =>
    inSavepointOrNull(ctx, () => publishCodes(ctx, request, { chain: books.chain })),
  )
  return published === null || published instanceof ApiError ? undefined : cardIn(books, customerId, campaignId)
}
