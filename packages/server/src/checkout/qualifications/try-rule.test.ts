import { expect, test } from 'vitest'
import { newProject, type Shop } from '../../testing/app.ts'
import { ok } from '../../testing/orders.ts'

const rule = async (shop: Shop, body: object): Promise<string> =>
  (await ok(shop, 'POST', '/v1/validation-rules', body)).id
const tried = (shop: Shop, id: string, body: object) => ok(shop, 'POST', `/v1/validation-rules/${id}/validation`, body)
const over = (amount: number) => ({ '1': { name: 'order.amount', conditions: { $more_than: [amount] } } })
const nothing = { data: [], total: 0, data_ref: 'data', object: 'list' }

test('a rule alone holds or not for the order and the customer of a request, which says why', async () => {
  const shop = await newProject()
  const id = await rule(shop, { rules: over(1_000) })
  const [large, small] = [{ order: { amount: 1_001 } }, { order: { amount: 1_000 } }]
  expect(await tried(shop, id, large)).toEqual({
    ...{ valid: true, rule_id: id, applicable_to: nothing, inapplicable_to: nothing },
  })
  expect(await tried(shop, id, small)).toMatchObject({
    ...{ valid: false, rule_id: id, applicable_to: nothing, inapplicable_to: nothing },
    reason: 'order does not match validation rules',
    error: { code: 400, key: 'order_rules_violated' },
  })
  expect(await tried(shop, id, {})).toMatchObject({ valid: false, error: { key: 'missing_order' } })

  const named = await rule(shop, { rules: over(1_000), error: { message: 'Buy more' } })
  expect(await tried(shop, named, small)).toMatchObject({ valid: false, reason: 'Buy more' })

  const members = { '1': { name: 'customer.metadata', property: 'member', conditions: { $is: [true] } } }
  const ofCustomer = await rule(shop, { rules: members })
  await ok(shop, 'POST', '/v1/customers', { source_id: 'ann', metadata: { member: true } })
  expect(await tried(shop, ofCustomer, { customer: { source_id: 'ann' } })).toMatchObject({ valid: true })
  expect(await tried(shop, ofCustomer, { customer: { source_id: 'bob' } })).toMatchObject({ valid: false })
})

test('the answer shows the lines that the rule covers', async () => {
  const shop = await newProject()
  const { id: product } = await ok(shop, 'POST', '/v1/products', { source_id: 'tea' })
  const id = await rule(shop, { applicable_to: { included: [{ object: 'product', id: product }] } })
  const items = [{ source_id: 'mug' }, { source_id: 'tea' }].map((line) => ({ ...line, quantity: 1, price: 500 }))
  expect(await tried(shop, id, { order: { items } })).toMatchObject({
    valid: true,
    applicable_to: { data: [{ id: product, order_item_indices: [1] }], total: 1 },
  })
})

test('what only a redemption can decide is not looked at', async () => {
  const shop = await newProject()
  const none = { '1': { name: 'redemption.count.daily', conditions: { $less_than: [0] } } }
  expect(await tried(shop, await rule(shop, { rules: none }), {})).toMatchObject({ valid: true })
})

test('trying a rule stores nothing: no customer, no order, no event', async () => {
  const shop = await newProject()
  const id = await rule(shop, { rules: over(1_000) })
  await tried(shop, id, { customer: { source_id: 'new' }, order: { source_id: 'o-1', amount: 5_000 } })
  expect(await ok(shop, 'GET', '/v1/customers')).toMatchObject({ total: 0 })
  expect(await ok(shop, 'GET', '/v1/orders')).toMatchObject({ total: 0 })
  const events = shop.service.runtime.database.db.selectFrom('events').where('project_id', '=', shop.project_id)
  expect(await events.select('type').execute()).toEqual([{ type: 'business_validation_rule.created' }])
})

test('an unknown rule is reported before the body is validated', async () => {
  const shop = await newProject()
  expect(await shop.call('POST', '/v1/validation-rules/val_none/validation', { order: 7 })).toMatchObject({
    status: 404,
    body: { key: 'not_found', resource_id: 'val_none', resource_type: 'validation_rules' },
  })
})
