import { type Static, Type } from 'typebox'
import { Amount, Int, Maybe, OneOf, variants } from './common.ts'

/** A formula (docs/reference/formulas.md); `compileFormula` checks its syntax. */
export const Formula = Type.String({ minLength: 1, maxLength: 5_000 })

/** Amounts of a discount may carry decimals; they are rounded to minor units before use. */
const DecimalAmount = Type.Number({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

export const AmountDiscount = Type.Object({
  type: Type.Literal('AMOUNT'),
  amount_off: Maybe(DecimalAmount),
  amount_off_formula: Maybe(Formula),
  aggregated_amount_limit: Maybe(DecimalAmount),
  effect: Maybe(
    OneOf([
      'APPLY_TO_ORDER',
      'APPLY_TO_ITEMS',
      'APPLY_TO_ITEMS_BY_QUANTITY',
      'APPLY_TO_ITEMS_PROPORTIONALLY',
      'APPLY_TO_ITEMS_PROPORTIONALLY_BY_QUANTITY',
    ]),
  ),
})
export type AmountDiscount = Static<typeof AmountDiscount>

export const PercentDiscount = Type.Object({
  type: Type.Literal('PERCENT'),
  percent_off: Maybe(Type.Number({ minimum: 0, maximum: 100 })),
  percent_off_formula: Maybe(Formula),
  amount_limit: Maybe(DecimalAmount),
  aggregated_amount_limit: Maybe(DecimalAmount),
  effect: Maybe(OneOf(['APPLY_TO_ORDER', 'APPLY_TO_ITEMS'])),
})
export type PercentDiscount = Static<typeof PercentDiscount>

/** The new total of the order, or the new price of a unit. */
export const FixedDiscount = Type.Object({
  type: Type.Literal('FIXED'),
  fixed_amount: Maybe(DecimalAmount),
  fixed_amount_formula: Maybe(Formula),
  effect: Maybe(OneOf(['APPLY_TO_ORDER', 'APPLY_TO_ITEMS'])),
})
export type FixedDiscount = Static<typeof FixedDiscount>

const UnitProduct = Type.Object({
  id: Maybe(Type.String()),
  source_id: Maybe(Type.String()),
  name: Maybe(Type.String()),
})
const UnitSku = Type.Object({
  id: Maybe(Type.String()),
  source_id: Maybe(Type.String()),
  sku: Maybe(Type.String()),
})

/** One kind of free unit; `unit_type` is a product or SKU id. */
export const FreeUnits = Type.Object({
  unit_off: Maybe(Int({ minimum: 0 })),
  unit_off_formula: Maybe(Formula),
  unit_type: Type.String({ minLength: 1 }),
  effect: Maybe(OneOf(['ADD_MISSING_ITEMS', 'ADD_NEW_ITEMS'])),
  product: Maybe(UnitProduct),
  sku: Maybe(UnitSku),
})
export type FreeUnits = Static<typeof FreeUnits>

export const UnitDiscount = Type.Object({
  type: Type.Literal('UNIT'),
  unit_off: Maybe(Int({ minimum: 0 })),
  unit_off_formula: Maybe(Formula),
  /** A product or SKU; for `ADD_SAME_ITEMS` a collection. */
  unit_type: Maybe(Type.String({ minLength: 1 })),
  units: Maybe(Type.Array(FreeUnits, { maxItems: 100 })),
  effect: Maybe(OneOf(['ADD_MISSING_ITEMS', 'ADD_NEW_ITEMS', 'ADD_MANY_ITEMS', 'ADD_SAME_ITEMS', 'REPLACE_ITEMS'])),
  product: Maybe(UnitProduct),
  sku: Maybe(UnitSku),
})
export type UnitDiscount = Static<typeof UnitDiscount>

/** The discount of a voucher or a promotion. */
export const Discount = variants('type', [AmountDiscount, PercentDiscount, FixedDiscount, UnitDiscount])
export type Discount = Static<typeof Discount>

/** A discount as applied: the chosen effect, the calculated value, no formulas. */
export const AppliedDiscount = Type.Object({
  type: OneOf(['AMOUNT', 'PERCENT', 'FIXED', 'UNIT']),
  effect: Type.String(),
  amount_off: Type.Optional(Amount),
  percent_off: Type.Optional(Type.Number()),
  fixed_amount: Type.Optional(Amount),
  unit_off: Type.Optional(Amount),
  unit_type: Type.Optional(Type.String()),
  units: Type.Optional(
    Type.Array(
      Type.Object({
        unit_off: Amount,
        unit_type: Type.String(),
        effect: Type.String(),
        product: Type.Optional(UnitProduct),
        sku: Type.Optional(UnitSku),
      }),
    ),
  ),
  product: Type.Optional(UnitProduct),
  sku: Type.Optional(UnitSku),
  amount_limit: Type.Optional(Amount),
  aggregated_amount_limit: Type.Optional(Amount),
  is_dynamic: Type.Boolean(),
})
export type AppliedDiscount = Static<typeof AppliedDiscount>

export const GiftEffect = OneOf(['APPLY_TO_ORDER', 'APPLY_TO_ITEMS'])
export type GiftEffect = Static<typeof GiftEffect>

/** Credits on a gift card; `balance` = `amount` − `subtracted_amount` − what was redeemed. */
export const Gift = Type.Object({
  amount: Amount,
  subtracted_amount: Maybe(Amount),
  balance: Amount,
  effect: Maybe(GiftEffect),
})
export type Gift = Static<typeof Gift>
