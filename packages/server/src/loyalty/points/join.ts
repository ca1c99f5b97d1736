import { ApiError } from '../../core/http/errors.ts'
import { publishCodes } from '../../incentives/publications/publish.ts'
import { turnPage } from './books.ts'
import { type Books, type Card, cardIn, type Moment, madeUpFor } from './card.ts'
import { unlessRefused } from './unless-refused.ts'

/**
 * Gives a customer a card of a program (docs/reference/earning-rules.md#when-a-rule-fires: auto-join), or undefined where there
 * is none to give. The publication is like any other: it is remembered and told, also when it fails, and the customer may win a
 * tier by it.
 */
export async function joinProgram(
  books: Books,
  customer_id: string,
  campaign_id: string,
  moment: Moment,
): Promise<Card | undefined> {
  const ctx = madeUpFor(books.ctx, moment)
  const request = { customer: { id: customer_id }, campaign: { name: campaign_id } }
  const published = await turnPage(books, () =>
    unlessRefused(ctx, () => publishCodes(ctx, request, { chain: books.chain })),
  )
  return published === null || published instanceof ApiError ? undefined : cardIn(books, customer_id, campaign_id)
}
