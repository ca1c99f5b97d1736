import type { LimitStep, StepView, Words } from './step.ts'
import { counted, plain, stateOf, times, upperFirst, valueText } from './values.ts'

interface LimitTexts {
  text: (allowed: number, words: Words) => string
  detail: (used: number, allowed: number, words: Words) => string
  because: (used: number, allowed: number, words: Words) => string
}

const ofNumber = (used: number, allowed: number, { format }: Words) =>
  `${format.number(used)} of ${format.number(allowed)}`

const stacking = (what: string): LimitTexts => ({
  text: (allowed, words) => `At most ${words.format.number(allowed)} ${what} in one order`,
  detail: (used, allowed, words) => `${ofNumber(used, allowed, words)} already applied`,
  because: (used, allowed, words) => `${ofNumber(used, allowed, words)} ${what} are already applied`,
})

const units = (what: string): LimitTexts => ({
  text: (allowed, words) => `At most ${counted(allowed, 'unit', words)} ${what}`,
  detail: (used, allowed, words) => `${ofNumber(used, allowed, words)} used`,
  because: (used, allowed, words) => `${ofNumber(used, allowed, words)} units ${what} are used up`,
})

const limits: Record<string, LimitTexts> = {
  'redemption.quantity': {
    text: (allowed, words) => `Can be used ${times(allowed, words)}`,
    detail: (used, allowed, words) => `used ${ofNumber(used, allowed, words)} times`,
    because: (used, allowed, words) => `it has been used ${ofNumber(used, allowed, words)} times`,
  },
  'gift.balance': {
    text: (allowed, { format }) => `The card has ${format.money(allowed)}`,
    detail: (used, _, { format }) => `${format.money(used)} asked for`,
    because: (used, allowed, { format }) =>
      `${format.money(used)} is asked for, and the card has ${format.money(allowed)}`,
  },
  'loyalty_card.balance': {
    text: (allowed, words) => `The card has ${valueText(allowed, 'points', words)}`,
    detail: (used, _, words) => `${valueText(used, 'points', words)} needed`,
    because: (used, allowed, words) =>
      `it takes ${valueText(used, 'points', words)}, and the card has ${valueText(allowed, 'points', words)}`,
  },
  'reward.stock': {
    text: (allowed, words) => `The reward is in stock (${words.format.number(allowed)} in all)`,
    detail: (used, allowed, words) => `${ofNumber(used, allowed, words)} given away`,
    because: (used, allowed, words) => `${ofNumber(used, allowed, words)} of the reward are given away`,
  },
  quantity_limit: units('of each line'),
  aggregated_quantity_limit: units('over all lines'),
  applicable_redeemables_limit: stacking('discounts'),
  applicable_redeemables_per_category_limit: stacking('discounts of its category'),
  applicable_exclusive_redeemables_limit: stacking('exclusive discounts'),
  applicable_exclusive_redeemables_per_category_limit: stacking('exclusive discounts of its category'),
}
for (const goods of ['', '_in_collection']) {
  for (const customer of ['', '_customer']) {
    for (const of of ['_campaign', '_promotion_tier']) {
      const what = `${goods === '' ? 'of the product' : 'of each product of the collection'}${customer === '' ? '' : ' per customer'}, over all uses of the ${of === '_campaign' ? 'campaign' : 'promotion'}`
      limits[`product${goods}${customer}${of}_quantity_limit`] = units(what)
    }
  }
}

export const knownLimits = Object.keys(limits)

/** Something that can be used up, with how much of it is. */
export function limitView({ limit, used, allowed, passed }: LimitStep, words: Words): StepView {
  const { text, detail, because } = textsOf(limit)
  return {
    state: stateOf(passed),
    text: text(allowed, words),
    detail: detail(used, allowed, words),
    because: because(used, allowed, words),
    bar: { used, allowed },
  }
}

function textsOf(limit: string): LimitTexts {
  const own = Object.hasOwn(limits, limit) ? limits[limit] : undefined
  return (
    own ?? {
      text: (allowed, words) => `${upperFirst(plain(limit))}: at most ${words.format.number(allowed)}`,
      detail: (used, allowed, words) => `${ofNumber(used, allowed, words)} used`,
      because: (used, allowed, words) => `${plain(limit)}: ${ofNumber(used, allowed, words)} used`,
    }
  )
}

/** The name of a limit that a formula gives. */
export const limitName = (limit: string): string | undefined =>
  Object.hasOwn(limits, limit) && limit.startsWith('product') ? 'Most units' : undefined
