import { Type } from 'typebox'
import { Maybe, OneOf } from './common.ts'

/*
 * The two condition languages as the OpenAPI document shows them. The compilers of `rules/` and `filter/` check what is sent;
 * `vocabulary.test.ts` compares their tables with the words here.
 */

/** Every rule name and its older spellings (docs/reference/rules.md#rule-names). */
export const ruleNames = [
  'customer.segment',
  'customer.loyalty.tier',
  'customer.metadata',
  'order.amount',
  'order.initial_amount',
  'order.total_amount',
  'order.items.count',
  'order.items.price_any',
  'order.items.price_each',
  'order.items.metadata_any',
  'order.items.metadata_each',
  'order.metadata',
  'order.items.any',
  'order.items.every',
  'order.items.none',
  'order.items.cheapest',
  'order.items.most_expensive',
  'product.id',
  'sku.id',
  'product.metadata',
  'order.items.quantity',
  'order.items.price',
  'order.items.metadata',
  'order.items.aggregated_quantity',
  'order.items.aggregated_amount',
  'product.metadata.match_all',
  'product.metadata.discount_applicable',
  'campaign.orders.amount',
  'campaign.orders.amount_discounted',
  'campaign.redemptions.count',
  'campaign.redemptions.count.daily',
  'campaign.redemptions.count.weekly',
  'campaign.redemptions.count.monthly',
  'campaign.redemptions.customers_count',
  'campaign.redemptions.customers_count.daily',
  'campaign.redemptions.customers_count.weekly',
  'campaign.redemptions.customers_count.monthly',
  'redemption.count.daily',
  'redemption.count.weekly',
  'redemption.count.monthly',
  'redemption.count.per_customer',
  'redemption.count.per_customer.daily',
  'redemption.count.per_customer.weekly',
  'redemption.count.per_customer.monthly',
  'redemption.count.per_user',
  'redemption.count.per_api_key',
  'redemption.user.login',
  'redemption.api_key',
  'redemption.metadata',
  'redemption.gift.amount',
  'redemption.reward.pay_with_points.points_used',
  'publication.redeemable_by_linked_customer',
  'custom_event.metadata',
  'customer_segment',
  'customer.loyalty_tier',
  'product.price',
  'sku.price',
  'product.quantity',
  'sku.quantity',
  'product.metadata.aggregated_quantity',
  'product.metadata.aggregated_amount',
  'product.discount_applicable',
  'sku.discount_applicable',
] as const

/** A product, an SKU or a collection as the argument of a rule (docs/reference/rules.md#goods-in-the-order). */
export const GoodsReference = Type.Object({
  id: Maybe(Type.String()),
  source_id: Maybe(Type.String()),
  object: Maybe(OneOf(['product', 'sku', 'products_collection'])),
  type: Maybe(OneOf(['product_or_sku', 'products_collection'])),
})

type Plain = 'string' | 'number' | 'integer' | 'boolean'

const anything = { type: ['string', 'number', 'boolean'] as const }
const argumentsMax = 1_000

/** A list of arguments. */
const list = (items: object, more: object = { minItems: 1 }) =>
  Type.Optional(Type.Unsafe<unknown>({ type: 'array', items, ...more, maxItems: argumentsMax }))

/** A list of arguments, or one argument without a list. */
const listOrOne = (...types: readonly Plain[]) =>
  Type.Optional(
    Type.Unsafe<unknown>({ anyOf: [{ type: 'array', items: { type: types }, minItems: 1 }, { type: types }] }),
  )

const goodsOrValues = { anyOf: [anything, GoodsReference] }
/** The older names `product.id` and `sku.id` take one id without a list. */
const goodsOrId = (items: object) =>
  Type.Optional(
    Type.Unsafe<unknown>({
      anyOf: [{ type: 'array', items, minItems: 1, maxItems: argumentsMax }, { type: 'string' }],
    }),
  )

const plainList = list(anything)
const numberOrDate = listOrOne('number', 'string')
const dates = listOrOne('string')
const wholeNumbers = listOrOne('integer', 'string')
const texts = list({ type: 'string' })

/** The operators of rules and their arguments (docs/reference/rules.md#condition-operators). */
export const RuleConditions = Type.Object(
  {
    $is: Type.Optional(
      Type.Unsafe<unknown>({
        anyOf: [{ type: 'array', items: goodsOrValues, minItems: 1, maxItems: argumentsMax }, anything],
      }),
    ),
    $is_not: goodsOrId(goodsOrValues),
    $in: goodsOrId(goodsOrValues),
    $not_in: goodsOrId(goodsOrValues),
    $not_intersect: plainList,
    $not_differ: list(anything, {}),
    $contains: plainList,
    $not_contain: plainList,
    $starts_with: plainList,
    $ends_with: plainList,
    $more_than: numberOrDate,
    $less_than: numberOrDate,
    $more_than_equal: numberOrDate,
    $less_than_equal: numberOrDate,
    $more_than_or_equal: numberOrDate,
    $less_than_or_equal: numberOrDate,
    $greater_than: numberOrDate,
    $greater_than_or_equal: numberOrDate,
    $after: dates,
    $before: dates,
    $count: wholeNumbers,
    $count_more: wholeNumbers,
    $count_less: wholeNumbers,
    $is_days_ago: wholeNumbers,
    $more_than_ago: wholeNumbers,
    $less_than_ago: wholeNumbers,
    $is_days_in_future: wholeNumbers,
    $more_than_future: wholeNumbers,
    $less_than_future: wholeNumbers,
    $dow: list({ type: ['integer', 'string'] }),
    $timeframe: texts,
    $timeframe_absolute: texts,
    $timeframe_daily_hours: texts,
    $from: goodsOrId({ anyOf: [{ type: 'string' }, GoodsReference] }),
  },
  { additionalProperties: false },
)

/** Joins the fields of a filter. */
export const Junction = Type.Unsafe<string>({
  ...OneOf(['and', 'or', 'AND', 'OR', 'And', 'Or']),
  description: '`and`: all fields must hold; `or`: one of them.',
})

const values = listOrOne('string', 'number', 'boolean')
/** Whatever is sent is not read. */
const nothing = Type.Optional(Type.Unsafe<unknown>({}))
/** True, or `false` as if the operator were not there; texts of them too. */
const flag = listOrOne('boolean', 'string')

/** The operators of filters and their arguments (docs/reference/filters.md#operators). */
export const FilterConditions = Type.Object(
  {
    $is: values,
    $is_not: values,
    $in: values,
    $not_in: values,
    $has_value: nothing,
    $is_unknown: nothing,
    $contains: values,
    $not_contain: values,
    $starts_with: values,
    $ends_with: values,
    $more_than: numberOrDate,
    $less_than: numberOrDate,
    $more_than_equal: numberOrDate,
    $less_than_equal: numberOrDate,
    $more_than_or_equal: numberOrDate,
    $less_than_or_equal: numberOrDate,
    $after: dates,
    $before: dates,
    $is_days_ago: wholeNumbers,
    $more_than_ago: wholeNumbers,
    $less_than_ago: wholeNumbers,
    $is_days_in_future: wholeNumbers,
    $more_than_future: wholeNumbers,
    $less_than_future: wholeNumbers,
    $count: wholeNumbers,
    $count_more: wholeNumbers,
    $count_less: wholeNumbers,
    $today: flag,
    $yesterday: flag,
    $tomorrow: flag,
    $this_week: flag,
    $last_week: flag,
    $next_week: flag,
    $this_month: flag,
    $last_month: flag,
    $next_month: flag,
    $this_year: flag,
    $last_year: flag,
    $next_year: flag,
    $is_day: wholeNumbers,
    $is_day_of_month: wholeNumbers,
    $is_month: wholeNumbers,
    $is_year: wholeNumbers,
    $is_years_ago: wholeNumbers,
    $today_md: flag,
    $yesterday_md: flag,
    $tomorrow_md: flag,
    $this_week_md: flag,
    $last_week_md: flag,
    $next_week_md: flag,
    $this_month_md: flag,
    $last_month_md: flag,
    $next_month_md: flag,
    $is_days_ago_md: wholeNumbers,
    $is_more_days_ago_md: wholeNumbers,
    $is_less_days_ago_md: wholeNumbers,
    $is_days_in_future_md: wholeNumbers,
    $is_more_days_in_future_md: wholeNumbers,
    $is_less_days_in_future_md: wholeNumbers,
    $in_location: values,
    $not_in_location: values,
    $active: flag,
    $expired: flag,
    $before_start: flag,
    $enabled: flag,
    $disabled: flag,
    $redeemed: flag,
    $redeemable: flag,
    $failed: flag,
    $in_progress: flag,
  },
  { additionalProperties: false },
)

/** What one field of a filter must be. */
export const FilterField = Type.Object({ conditions: FilterConditions }, { additionalProperties: false })
