import { describe, expect, test } from 'vitest'
import { newProject } from '../../testing/app.ts'

const redeemables = [{ object: 'voucher', id: 'A' }]
const order = {
  amount: 'many',
  items: [
    { price: 1, quantity: 1 },
    { price: 'x', quantity: -1, initial_quantity: 0, product: { price: 'y' } },
  ],
}
const payload = (path: string, message: string) => ({ path, details: `Property ${path} ${message}` })

describe('the faults of an order inside of a request are listed with the way from the root', () => {
  test.each([
    ['/v1/validations', { redeemables, order }],
    ['/v1/redemptions', { redeemables, order }],
    ['/v1/qualifications', { order }],
    ['/v1/vouchers/A/validate', { order }],
    ['/v1/vouchers/A/redemption', { order }],
    ['/v1/promotions/validation', { order }],
  ])('POST %s', async (path, body) => {
    const shop = await newProject()
    await shop.call('POST', '/v1/vouchers/A', {
      type: 'DISCOUNT_VOUCHER',
      discount: { type: 'PERCENT', percent_off: 10 },
    })
    const answer = await shop.call('POST', path, body)
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({
      key: 'invalid_payload',
      details: 'Property .order.amount must be integer',
      errors: [
        payload('.order.amount', 'must be integer'),
        payload('.order.items[1].quantity', 'must be >= 0'),
        payload('.order.items[1].initial_quantity', 'cannot be lower than 1'),
        payload('.order.items[1].price', 'must be integer'),
        payload('.order.items[1].product.price', 'must be integer'),
      ],
    })
  })

  test('faults of the shape are listed together, wherever they are', async () => {
    const shop = await newProject()
    const { body } = await shop.call('POST', '/v1/validations', {
      redeemables: [{ object: 'voucher' }],
      order: { items: [{ quantity: [] }] },
    })
    const missing = "Property .redeemables[0] should have required property 'id'"
    expect(body).toMatchObject({
      key: 'invalid_payload',
      details: missing,
      errors: [
        { path: '.redeemables[0].id', details: missing },
        payload('.order.items[0].quantity', 'must be integer,string,null'),
      ],
    })
  })

  test('the key is that of the first: an amount out of range has its own', async () => {
    const shop = await newProject()
    const answer = await shop.call('POST', '/v1/validations', {
      redeemables,
      order: { amount: -1, items: [{ price: -2 }, { quantity: -1 }] },
    })
    const details = 'Amount has to be a valid positive number'
    expect(answer.body).toMatchObject({
      key: 'invalid_amount',
      details,
      errors: [
        { path: '.order.amount', details },
        { path: '.order.items[0].price', details },
        payload('.order.items[1].quantity', 'must be >= 0'),
      ],
    })
  })

  test('an order that is the body itself has no `.order` before its fields', async () => {
    const shop = await newProject()
    const { body } = await shop.call('POST', '/v1/orders', order)
    expect(body.errors.map(({ path }: { path: string }) => path)).toEqual([
      '.amount',
      '.items[1].quantity',
      '.items[1].initial_quantity',
      '.items[1].price',
      '.items[1].product.price',
    ])
  })

  test('metadata that cannot be stored is named where it is', async () => {
    const shop = await newProject()
    const deep = { a: { b: { c: 1 } } }
    const fault = async (body: object) =>
      (await shop.call('POST', '/v1/validations', { redeemables, ...body })).body.details
    const message = 'must NOT hold objects within objects'
    expect(await fault({ metadata: deep })).toBe(`Property .metadata.a ${message}`)
    expect(await fault({ order: { metadata: deep } })).toBe(`Property .order.metadata.a ${message}`)
    expect(await fault({ customer: { source_id: 'c', metadata: deep } })).toBe(
      `Property .customer.metadata.a ${message}`,
    )
    expect(await fault({ order: { items: [{ metadata: deep }] } })).toBe(
      `Property .order.items[0].metadata.a ${message}`,
    )
  })
})

describe('what is checked after the schema is named from the root too', () => {
  test.each([
    [
      'POST /v1/campaigns',
      {
        name: 'Spring',
        campaign_type: 'DISCOUNT_COUPONS',
        voucher: { type: 'DISCOUNT_VOUCHER', discount: { type: 'PERCENT', percent_off: 101, amount_limit: -1 } },
      },
      ['.voucher.discount.percent_off', '.voucher.discount.amount_limit'],
    ],
    [
      'POST /v1/campaigns',
      {
        name: 'Cards',
        campaign_type: 'GIFT_VOUCHERS',
        voucher: { type: 'GIFT_VOUCHER', gift: { amount: 'x', effect: 'y' } },
      },
      ['.voucher.gift.amount', '.voucher.gift.effect'],
    ],
    [
      'POST /v1/campaigns',
      {
        name: 'Codes',
        campaign_type: 'DISCOUNT_COUPONS',
        voucher: {
          type: 'DISCOUNT_VOUCHER',
          discount: { type: 'PERCENT', percent_off: 10 },
          code_config: { length: -1 },
        },
      },
      ['.voucher.code_config.length'],
    ],
    [
      'POST /v1/campaigns',
      {
        name: 'Tiers',
        campaign_type: 'PROMOTION',
        promotion: {
          tiers: [
            { name: 'One', banner: 'one', action: { discount: { type: 'PERCENT', percent_off: 5 } } },
            { name: 'Two', banner: 'two', action: { discount: { type: 'PERCENT' } } },
          ],
        },
      },
      ['.promotion.tiers[1].action.discount.percent_off'],
    ],
    [
      'POST /v1/vouchers/B',
      { type: 'DISCOUNT_VOUCHER', discount: { type: 'AMOUNT', amount_off_formula: 'ORDER_AMUONT' } },
      ['.discount.amount_off_formula'],
    ],
    [
      'POST /v1/vouchers/import',
      [
        { code: 'C', discount: { type: 'PERCENT', percent_off: 5 } },
        { code: 'D', discount: { type: 'PERCENT', percent_off: 101 } },
      ],
      ['[1].discount.percent_off'],
    ],
  ])('%s %j', async (operation, body, paths) => {
    const shop = await newProject()
    const [method = '', path = ''] = operation.split(' ')
    const answer = await shop.call(method, path, body)
    expect(answer.status).toBe(400)
    expect(answer.body.errors.map((fault: { path: string }) => fault.path)).toEqual(paths)
    expect(answer.body.details).toBe(answer.body.errors[0].details)
    for (const { path, details } of answer.body.errors)
      expect(details.includes(path.replace(/^\[\d+\]/, '')) || details.includes('required property')).toBe(true)
  })

  test('all faults of a rule are listed, with suggestions', async () => {
    const shop = await newProject()
    const { body } = await shop.call('POST', '/v1/validation-rules', {
      rules: {
        '1': { name: 'order.amuont', conditions: { $is: [1] } },
        '2': { name: 'order.amount', conditions: { $moreThan: [1] } },
      },
    })
    expect(body).toMatchObject({
      key: 'invalid_validation_rules',
      details: "Rule 'order.amuont' is not a known rule. Did you mean 'order.amount'?",
      errors: [
        { path: '.rules', details: "Rule 'order.amuont' is not a known rule. Did you mean 'order.amount'?" },
        {
          path: '.rules',
          details: "Rule 'order.amount' has an unknown operator '$moreThan'. Did you mean '$more_than'?",
        },
      ],
    })
  })
})
