import type { EarningEvent } from '@guerdon/engine/schema'
import type { Goods } from '../../catalogue/products/goods.ts'
import type { ConfiguredEarningRule } from '../../core/configuration/configuration.ts'
import type { CustomEvent, SimpleEvent, SimpleSegment } from '../../core/events/shapes.ts'
import type { StoredOrder } from '../../orders/order.ts'
import { autoRedeem } from './auto-redeem.ts'
import { type Books, cardIn, cardNamed, type Moment } from './books.ts'
import { joinProgram } from './join.ts'
import { firing, judge } from './judge.ts'
import { canHold } from './ledger.ts'
import { hold, pay } from './pay.ts'
import { reviewTier, type TierChange } from './tiers.ts'

/** Something that happened to a customer and may pay. */
export interface Cause {
  /** In the words of earning rules. */
  event: EarningEvent
  /** The event that told of it, as transactions name it. */
  told: SimpleEvent
  order?: StoredOrder
  /** What the catalogue knows of its lines, where that was looked up already. */
  goods?: Goods
  custom_event?: { event: CustomEvent; schema: { id: string; name: string } }
  segment?: SimpleSegment
  /** Only this card may earn. */
  only_card?: string
}

/**
 * Pays what a customer earns by something that happened (docs/reference/earning-rules.md#from-event-to-points): all rules are
 * judged first, as everything was when it happened; then points are credited or promised, and what follows from that is followed.
 */
export async function earnBy(books: Books, customer_id: string, cause: Cause, moment: Moment): Promise<void> {
  const paid = await judge(books, customer_id, cause, moment)
  const credited: string[] = []
  for (const { program, accruals } of paid) {
    const campaign_id = program.campaign.id
    const card = cardIn(books, customer_id, campaign_id) ?? (await joinProgram(books, customer_id, campaign_id, moment))
    if (card === undefined) continue
    for (const accrual of accruals) {
      const fired = firing(customer_id, accrual.earning_rule_id)
      // To join may have set it off already.
      if (books.chain.fired.has(fired) || !canHold(card, accrual.points)) continue
      books.chain.fired.add(fired)
      const rule = books.configuration.earning_rules.get(accrual.earning_rule_id) as ConfiguredEarningRule
      if (accrual.activates_at === null) pay(books, card, rule, accrual, cause, moment)
      else hold(books, card, rule, accrual, cause, moment)
      if (cause.order !== undefined)
        books.written.earnings.push({
          order_id: cause.order.id,
          voucher_id: card.voucher.id,
          earning_rule_id: rule.id,
          created_at: moment.at,
        })
    }
    if (accruals.some(({ activates_at }) => activates_at === null)) credited.push(card.voucher.id)
  }
  await followBalances(books, credited, moment, { isIncreased: true })
}

/**
 * What a changed balance means: points that are redeemed by themselves, then the tier, then what rules pay for a change of tier
 * (docs/reference/earning-rules.md#from-event-to-points, steps 4 and 5). It ends because a rule pays once for one cause.
 */
export async function followBalances(
  books: Books,
  voucher_ids: readonly string[],
  moment: Moment,
  { isIncreased }: { isIncreased: boolean },
): Promise<void> {
  for (const id of voucher_ids) {
    if (isIncreased) await autoRedeem(books, id, moment)
    const card = cardNamed(books, id)
    if (card !== undefined) await followTiers(books, reviewTier(books, card, moment), moment)
  }
}

/** What rules pay for changes of a tier; a tier of one program may pay in another. */
export async function followTiers(books: Books, changes: readonly TierChange[], moment: Moment): Promise<void> {
  for (const { event_id, type, tier_id, card } of changes) {
    if (type === 'customer.loyalty.tier.expiration.changed') continue
    const { person, program } = card
    const cause: Cause = {
      event: { event: type, tier: { id: tier_id, campaign_id: program.campaign.id } },
      told: simpleEvent(books, event_id, type, person.customer.id),
    }
    await earnBy(books, person.customer.id, cause, moment)
  }
}

export const simpleEvent = ({ ctx }: Pick<Books, 'ctx'>, id: string, type: string, entity_id: string): SimpleEvent => ({
  id,
  type,
  category: 'EFFECT',
  entity_id,
  created_at: ctx.now,
  group_id: ctx.request_id,
})
