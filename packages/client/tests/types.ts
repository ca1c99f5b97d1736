/* What must compile and what must not: `npm run check` compiles this file, nothing runs it. */
import { createGuerdon, createGuerdonClientSide, GuerdonError, unwrap, verifyWebhook } from '../src/index.ts'

const guerdon = createGuerdon({ baseUrl: '', applicationId: '', secretKey: '' })
const clientSide = createGuerdonClientSide({ baseUrl: '', clientApplicationId: '', clientSecretKey: '' })

async function calls(): Promise<void> {
  const voucher = unwrap(await guerdon.getVoucher({ code: 'A' }))
  voucher.code satisfies string
  // @ts-expect-error: a voucher has no such member
  voucher.kode
  // @ts-expect-error: the path has a parameter
  guerdon.getVoucher()
  // @ts-expect-error: of another name
  guerdon.getVoucher({ voucherId: 'A' })

  guerdon.redeem({ redeemables: [{ object: 'voucher', id: 'A' }], order: { amount: 100 } })
  // @ts-expect-error: a redemption needs redeemables
  guerdon.redeem({ order: { amount: 100 } })
  // @ts-expect-error: no such kind of redeemable
  guerdon.redeem({ redeemables: [{ object: 'vouchers', id: 'A' }] })
  // @ts-expect-error: no such member of an order
  guerdon.redeem({ redeemables: [{ object: 'voucher', id: 'A' }], order: { ammount: 100 } })

  guerdon.listVouchers()
  guerdon.listVouchers({ limit: 5, created_at: { after: '2026-01-01' } }, { timeoutMs: 500 })
  // @ts-expect-error: no such order
  guerdon.listVouchers({ order: 'colour' })
  // @ts-expect-error: its query is required
  guerdon.searchProject()
  // @ts-expect-error: an operation without a query has none among its options
  guerdon.enableVoucher({ code: 'A' }, { query: {} })

  clientSide.redeemVoucherOnClient({ order: { amount: 100 } }, { query: { code: 'A' } })
  // @ts-expect-error: the code is in its query
  clientSide.redeemVoucherOnClient({ order: { amount: 100 } })
  // @ts-expect-error: a page has no operation of the server side
  clientSide.redeem({ redeemables: [] })

  for await (const row of guerdon.listVouchers.each({ limit: 5 })) row.code satisfies string
  // @ts-expect-error: no list
  guerdon.getVoucher.each({ code: 'A' })
}

function bodies(): void {
  const discount = { type: 'PERCENT', percent_off: 10, effect: 'APPLY_TO_ORDER' } as const
  guerdon.createVoucher({ type: 'DISCOUNT_VOUCHER', discount })
  guerdon.createVoucher({ type: 'DISCOUNT_VOUCHER', discount: { type: 'AMOUNT', amount_off: 500 } })
  guerdon.createVoucher({ type: 'GIFT_VOUCHER', gift: { amount: 5_000, effect: 'APPLY_TO_ITEMS' } })
  guerdon.createVoucher({ type: 'DISCOUNT_VOUCHER', code_config: { pattern: 'VIP-####' }, discount })
  // @ts-expect-error: no such kind of discount
  guerdon.createVoucher({ type: 'DISCOUNT_VOUCHER', discount: { type: 'PERCENTAGE', percent_off: 10 } })
  // @ts-expect-error: a discount has a type
  guerdon.createVoucher({ type: 'DISCOUNT_VOUCHER', discount: { percent_off: 10 } })
  // @ts-expect-error: no such member of a discount
  guerdon.createVoucher({ type: 'DISCOUNT_VOUCHER', discount: { type: 'PERCENT', percentage_off: 10 } })
  // @ts-expect-error: an amount is a number
  guerdon.updateVoucher({ code: 'A' }, { discount: { type: 'AMOUNT', amount_off: '5.00' } })
  // @ts-expect-error: no such effect of a percentage
  guerdon.updateCampaign({ campaignId: 'A' }, { discount: { ...discount, effect: 'APPLY_TO_ITEMS_BY_QUANTITY' } })
  // @ts-expect-error: the same in a promotion tier
  guerdon.createPromotionTier({ campaignId: 'A' }, { name: 'A', action: { discount: { type: 'FREE' } } })
  // @ts-expect-error: a new gift card has an amount
  guerdon.createVoucher({ type: 'GIFT_VOUCHER', gift: { effect: 'APPLY_TO_ITEMS' } })
  guerdon.updateCampaign({ campaignId: 'A' }, { gift: { effect: 'APPLY_TO_ITEMS' } })
  // @ts-expect-error: no such setting of codes
  guerdon.createVoucher({ type: 'DISCOUNT_VOUCHER', code_config: { suffix: 'A' }, discount })

  guerdon.createValidationRule({
    rules: {
      '1': { name: 'customer.segment', conditions: { $is: ['seg_1'] }, error: { message: 'Members only' } },
      '2': { name: 'order.amount', conditions: { $more_than_or_equal: 5_000 } },
      '3': {
        name: 'order.items.any',
        conditions: { $is: [{ id: 'pc_1', object: 'products_collection' }] },
        rules: { '1': { name: 'order.items.quantity', conditions: { $more_than: [1] } }, logic: '1' },
      },
      logic: '1 and (2 or 3)',
    },
    bundle_rules: { '1': { name: 'order.items.any', conditions: { $is: [{ id: 'prod_1' }] } }, limit: 2 },
  })
  // @ts-expect-error: no such rule
  guerdon.createValidationRule({ rules: { '1': { name: 'order.weather', conditions: { $is: ['sunny'] } } } })
  // @ts-expect-error: no such operator
  guerdon.createValidationRule({ rules: { '1': { name: 'order.amount', conditions: { $more: [1] } } } })
  // @ts-expect-error: the arguments are a list
  guerdon.createValidationRule({ rules: { '1': { name: 'customer.metadata', conditions: { $contains: 'gold' } } } })
  // @ts-expect-error: no such member of a rule
  guerdon.createValidationRule({ rules: { '1': { name: 'order.amount', condition: { $is: [1] } } } })
  // @ts-expect-error: logic is a text
  guerdon.createValidationRule({ rules: { '1': { name: 'order.amount' }, logic: ['1'] } })

  guerdon.createSegment({ name: 'A', filter: { junction: 'and', city: { conditions: { $is: ['Berlin'] } } } })
  // @ts-expect-error: a field has conditions
  guerdon.createSegment({ name: 'A', filter: { junction: 'and', city: 'Berlin' } })
  // @ts-expect-error: no such operator
  guerdon.createSegment({ name: 'A', filter: { junction: 'and', city: { conditions: { $equals: ['Berlin'] } } } })
  // @ts-expect-error: a segment says how its fields are joined
  guerdon.createSegment({ name: 'A', filter: { city: { conditions: { $is: ['Berlin'] } } } })
  guerdon.createExport({ exported_object: 'voucher', parameters: { filters: { active: { expired: true } } } })
  // @ts-expect-error: no such state
  guerdon.createExport({ exported_object: 'voucher', parameters: { filters: { active: { gone: true } } } })
}

async function results(): Promise<void> {
  const result = await guerdon.getVoucher({ code: 'A' })
  // @ts-expect-error: whether there are data is not known yet
  result.data
  if (result.ok) result.data.code satisfies string
  else if (result.error.kind === 'refused') result.error.resource_id satisfies string | undefined
  else result.error.cause satisfies unknown
  if (!result.ok) throw new GuerdonError(result.error)

  const verified = await verifyWebhook('', {}, '')
  if (verified.ok && verified.data.type === 'redemption.succeeded') verified.data.data.redemption.id satisfies string
  // @ts-expect-error: no such event
  if (verified.ok && verified.data.type === 'redemption.suceeded') return
}

// @ts-expect-error: no key at all
createGuerdon({ baseUrl: '' })
createGuerdon({ baseUrl: '', managementId: '', managementSecret: '' })

void [calls, bodies, results]
