import type { Schemas } from '../../api/client.ts'
import { becauseOf, failsWithAnyOrder } from './explain.ts'
import type { Step, StepView, Words } from './step.ts'
import { counted, listText, lowerFirst, valueText } from './values.ts'

type ExplanationView = Schemas['ExplanationView']

/** Refusals that are said best by their key; the others by the step that failed. */
const reasons: Record<string, string> = {
  missing_customer: 'it depends on who the customer is, and nobody is chosen',
  missing_order: 'it needs an order, and there is none',
  missing_amount: 'it needs an order with an amount',
  missing_order_items: 'it needs an order with lines',
  missing_order_items_amount: 'the order has no line that it may pay for',
  missing_reward: 'no reward is chosen to spend the points on',
  invalid_customer: 'the card belongs to somebody else',
  invalid_amount: 'the amounts are too large to be calculated exactly',
  invalid_payload: 'the points are less than one unit of the reward',
  no_effect: 'it would change nothing in this order',
  exclusion_rules_not_met: 'an exclusive discount is applied and keeps this one out',
  preceding_validation_failed: 'one before it is refused, and the project applies all or none',
  not_published: 'it has not been given to a customer yet',
  referrer_not_permitted_to_redeem: 'it cannot be used by the customer who refers others with it',
}

/** Where the step that failed says the number or the date, and this only that it failed. */
const withoutSteps: Record<string, string> = {
  voucher_disabled: 'it is switched off',
  voucher_not_active: 'it has not started yet',
  voucher_not_active_now: 'it is not valid at this hour or on this day',
  voucher_expired: 'it has expired',
  quantity_exceeded: 'it has been used as often as it may be',
  gift_amount_exceeded: 'the card does not have enough left',
  loyalty_card_points_exceeded: 'the card does not have enough points',
  reward_out_of_stock: 'the reward is out of stock',
  customer_rules_violated: 'the customer does not fulfil its rules',
  order_rules_violated: 'the order does not fulfil its rules',
  redemption_rules_violated: 'its rules are not fulfilled',
  promotion_inactive: 'the promotion is switched off, has not started or has ended',
  promotion_not_active_now: 'the promotion is not valid at this hour or on this day',
  applicable_redeemables_limit_exceeded: 'as many discounts as may be are already applied',
  applicable_redeemables_per_category_limit_exceeded: 'as many discounts of its category as may be are already applied',
  applicable_exclusive_redeemables_limit_exceeded: 'as many exclusive discounts as may be are already applied',
  applicable_exclusive_redeemables_per_category_limit_exceeded:
    'as many exclusive discounts of its category as may be are already applied',
}

const orderReasons = new Set(['missing_order', 'missing_amount', 'missing_order_items'])

export const knownReasons = [...Object.keys(reasons), ...Object.keys(withoutSteps), 'not_found']

/** Why it was refused or skipped, as the rest of a sentence. */
export function causeOf(
  explanation: Pick<ExplanationView, 'reason' | 'steps' | 'object'>,
  views: readonly StepView[],
): string {
  const { key = '', message = 'no reason is given' } = explanation.reason ?? {}
  if (key === 'not_found') return notFoundText(explanation)
  // Somebody asks for a customer and a code alone: what no order could change is the answer, not that there is none.
  if (orderReasons.has(key)) return becauseOf(views, failsWithAnyOrder) ?? reasons[key] ?? lowerFirst(message)
  return reasons[key] ?? becauseOf(views) ?? withoutSteps[key] ?? lowerFirst(message)
}

/** What passed a check exists: then it is something that it gives that does not. */
function notFoundText({ object, steps }: Pick<ExplanationView, 'object' | 'steps'>): string {
  if (steps.length > 1) return 'something that it gives does not exist any more'
  return object === 'voucher' ? 'there is no such code' : 'there is no such promotion'
}

/** The whole in one sentence: what it did, or why not. `subject` is the code or the name of the promotion. */
export function headlineOf(
  explanation: ExplanationView,
  views: readonly StepView[],
  subject: string,
  words: Words,
): string {
  if (explanation.status === 'APPLICABLE') return `${subject} ${effectText(explanation, words)}`
  const verb = explanation.status === 'SKIPPED' ? 'is left out' : 'is refused'
  return `${subject} ${verb}: ${causeOf(explanation, views)}`
}

/** `takes €5.00 off`, or `gives 1 unit of Mug for free (worth €12.50)`. */
function effectText({ amount = 0, steps }: Pick<ExplanationView, 'amount' | 'steps'>, words: Words): string {
  const all = steps as Step[]
  const points = all.find((step) => step.step === 'limit' && step.limit === 'loyalty_card.balance')
  const spent = points?.step === 'limit' ? ` for ${valueText(points.used, 'points', words)}` : ''
  const given = all.flatMap((step) => (step.step === 'units' && step.how === 'added' ? [step] : []))
  const others = all.some((step) => step.step === 'amount' || (step.step === 'units' && step.how !== 'added'))
  if (given.length > 0 && !others) {
    const what = given.map(({ quantity, line }) => `${counted(quantity, 'unit', words)} of ${words.lineOf(line)}`)
    const worth = amount > 0 ? ` (worth ${words.format.money(amount)})` : ''
    return `gives ${listText(what, 'and')} for free${worth}`
  }
  if (amount > 0) return `takes ${words.format.money(amount)} off${spent}`
  return spent === '' && !words.isWithoutOrder ? 'can be used, and takes nothing off' : `can be used${spent}`
}
