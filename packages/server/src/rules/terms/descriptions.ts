import type { Descriptions } from '../../core/http/openapi-descriptions.ts'

const formulaOf = (what: string) => `Formula for ${what}; the plain field counts where it gives nothing.`

/** Lifetime limits of discounted units, and their formulas. */
function unitLimits(): Record<string, string> {
  const limits = {
    product_campaign_quantity_limit: 'of this good in the campaign, by all customers together',
    product_customer_campaign_quantity_limit: 'of this good in the campaign, by one customer',
    product_promotion_tier_quantity_limit: 'of this good in the promotion tier, by all customers together',
    product_customer_promotion_tier_quantity_limit: 'of this good in the promotion tier, by one customer',
    product_in_collection_campaign_quantity_limit:
      'of each product of the collection in the campaign, by all customers together',
    product_in_collection_customer_campaign_quantity_limit:
      'of each product of the collection in the campaign, by one customer',
    product_in_collection_promotion_tier_quantity_limit:
      'of each product of the collection in the promotion tier, by all customers together',
    product_in_collection_customer_promotion_tier_quantity_limit:
      'of each product of the collection in the promotion tier, by one customer',
  }
  return Object.fromEntries(
    Object.entries(limits).flatMap(([name, scope]) => [
      [name, `The most units ${scope}, that are ever discounted. Absent: no limit.`],
      [`${name}_formula`, formulaOf(`\`${name}\``)],
    ]),
  )
}

/** Discounts, covered goods and validity periods, which vouchers, campaigns and promotion tiers share. */
export const termsDescriptions: Descriptions = {
  '*': {
    start_date: 'Not valid before this moment; null or absent: no such bound.',
    expiration_date: 'Not valid after this moment; null or absent: no such bound.',
    validity_timeframe:
      'Valid only during a part of a repeating interval that begins at `start_date`; null or absent: always.',
    validity_day_of_week: 'Valid only on these weekdays, counted from Sunday, 0; null or absent: every day.',
    validity_hours:
      'Valid only at these hours of the day, in the time zone of the project; null or absent: at all hours.',
    category: 'Name of the category, which the stacking rules refer to; null or absent without one.',
    category_id: 'Id of the category, which the stacking rules refer to; null or absent without one.',
    categories: 'The category, as a list of none or one.',
    applicable_to: 'The goods that the discount covers, and the lines of the order on which they are.',
    inapplicable_to: 'The goods that the discount leaves out, and the lines of the order on which they are.',
    'product.id': 'Id of the product.',
    'product.source_id': 'Id of the product in the system of the shop.',
    'product.name': 'Name of the product.',
    'sku.id': 'Id of the SKU.',
    'sku.source_id': 'Id of the SKU in the system of the shop.',
    'sku.sku': 'Name of the SKU.',
    product_id: 'Id of the product.',
    sku_id: 'Id of the SKU.',
  },
  ValidityTimeframe: {
    $: 'A part of a repeating interval, counted from `start_date`: the first two days (`P2D`) of every week (`P7D`).',
    interval: 'How often it begins again.',
    duration: 'How long it is valid each time.',
  },
  ValidityTimeframeBody: {
    $: 'A part of a repeating interval, counted from `start_date`, which is required beside it.',
    interval: 'How often it begins again; required.',
    duration: 'How long it is valid each time; required.',
  },
  ValidityHoursBody: { $like: 'ValidityHours' },
  ValidityHours: {
    $: 'Hours of the day at which something is valid; cannot be combined with a timeframe or weekdays beside it.',
    daily: 'Ranges of hours that do not overlap; an empty list means all hours.',
    'daily.days_of_week': 'Weekdays of this range, counted from Sunday, 0; absent: every day.',
  },
  Discount: { $: 'What is taken off the order or given in addition; `type` says how.' },
  AmountDiscount: {
    $: 'An amount off the order, its lines or units.',
    amount_off: 'What is taken off, in minor units; required, also beside a formula. Decimals are rounded.',
    amount_off_formula: formulaOf('`amount_off`'),
    aggregated_amount_limit: 'The most that is taken off the whole order, in minor units.',
    effect:
      'What it is taken from: the order, each covered line, each unit, or spread over lines by amount or quantity. Default: items if a rule names goods, otherwise the order.',
  },
  PercentDiscount: {
    $: 'A share of the order or of its lines.',
    percent_off: 'The share in percent, 0 to 100, decimals allowed; required, also beside a formula.',
    percent_off_formula: formulaOf('`percent_off`'),
    amount_limit: 'The most that is taken off the order, or off each line with `APPLY_TO_ITEMS`, in minor units.',
    aggregated_amount_limit: 'The most that is taken off the whole order, in minor units.',
    effect: 'Of what the share is taken. Default: items if a rule names goods, otherwise the order.',
  },
  FixedDiscount: {
    $: 'A new price of the order or of each covered unit.',
    fixed_amount:
      'The new total of the order, or the new price of a unit, in minor units; required, also beside a formula.',
    fixed_amount_formula: formulaOf('`fixed_amount`'),
    effect: 'What gets the new price. Default: items if a rule names goods, otherwise the order.',
  },
  UnitDiscount: {
    $: 'Units that are free, added or exchanged.',
    unit_off: 'How many units; may be left to its formula.',
    unit_off_formula: formulaOf('`unit_off`'),
    unit_type: 'Id or source id of the product or SKU; for `ADD_SAME_ITEMS` of a collection.',
    units: 'Several kinds of units at once, for `ADD_MANY_ITEMS`; at most 100.',
    effect:
      'How the units are given: those in the order become free and missing ones are added (default), always added, several kinds, more of the same, or in exchange for others.',
    product: 'The product of the units, from the catalogue; only in answers.',
    sku: 'The SKU of the units, from the catalogue; only in answers.',
  },
  FreeUnits: {
    $like: 'UnitDiscount',
    $: 'One kind of units among several.',
    unit_type: 'Id or source id of the product or SKU.',
    effect: 'Whether units that are in the order count (`ADD_MISSING_ITEMS`) or new ones are always added; required.',
  },
  AppliedDiscount: {
    $: 'A discount as it was applied: with the values that were used, without formulas.',
    type: 'The kind of discount.',
    effect: 'The effect that was used, also where it was left to the default.',
    amount_off: 'The amount that was used, in minor units; of `AMOUNT`.',
    percent_off: 'The percentage that was used; of `PERCENT`.',
    fixed_amount: 'The price that was used, in minor units; of `FIXED`.',
    unit_off: 'How many units; of `UNIT`.',
    unit_type: 'Id of the product, SKU or collection; of `UNIT`.',
    units: 'The kinds of units; of `ADD_MANY_ITEMS`.',
    'units.unit_off': 'How many units of this kind.',
    'units.unit_type': 'Id of the product or SKU.',
    'units.effect': 'How units of this kind are given.',
    'units.product': 'The product of the units.',
    'units.sku': 'The SKU of the units.',
    product: 'The product of the units.',
    sku: 'The SKU of the units.',
    amount_limit: 'The limit of the order or of each line, in minor units.',
    aggregated_amount_limit: 'The limit of the whole order, in minor units.',
    is_dynamic: 'Whether a formula has produced the value.',
  },
  ApplicableTo: {
    $: 'Goods that a discount covers or leaves out.',
    included: 'Goods that are covered; with none, and without `included_all`, everything that is not excluded.',
    excluded: 'Goods that are left out; they take precedence over those included.',
    included_all: 'Whether all goods are covered, apart from those excluded.',
  },
  ApplicableEntry: {
    $: 'A product, SKU or collection, and how a discount covers it.',
    object: 'What `id` is the id of.',
    id: 'Id or, of a product or SKU, source id; either it or `source_id` is required.',
    source_id: 'Source id of the product or SKU; null for collections.',
    product_id: 'Of an SKU: the id of its product, from the catalogue.',
    product_source_id: 'Of an SKU: the source id of its product, from the catalogue.',
    strict: 'Whether lines with an SKU of the product are left out. Default false.',
    effect:
      'Which of the lines or units get the discount: every one (default), only the cheapest or the most expensive, or from there on.',
    target: 'What is counted and picked: whole lines (`ITEM`, the default) or single units.',
    skip_initially: 'How many lines or units are skipped at the start. Default 0.',
    repeat: 'Every how many lines or units get the discount. Default 1, all of them.',
    price: 'New price of a unit for `FIXED` discounts, in minor units.',
    price_formula: formulaOf('`price`'),
    quantity_limit: 'The most discounted units of one line.',
    aggregated_quantity_limit: 'The most discounted units over all lines of this entry.',
    amount_limit: 'The most taken off one line, in minor units.',
    aggregated_amount_limit: 'The most taken off all lines of this entry, in minor units.',
    ...unitLimits(),
  },
  CoveredEntry: {
    $like: 'ApplicableEntry',
    $: 'A product, SKU or collection that a rule names, with the lines of the order on which it is.',
    order_item_indices:
      'The lines of the order, counted from 0, in the order of application; absent if there are none.',
    order_item_units: 'The units of those lines; absent if there are none.',
    'order_item_units.index': 'The line, counted from 0.',
    'order_item_units.units': 'The units of the line, counted from 1; absent in orders of more than 1,000 units.',
    'order_item_units.units_limit_exceeded': 'True instead of `units` in orders of more than 1,000 units.',
  },
  CoveredEntries: {
    $: 'Goods that rules name, with the lines of the order on which they are; empty if no rule names goods.',
    data: 'The goods.',
    total: 'How many entries `data` has.',
  },
}
