import type { DiscountVouchersTypesEnum } from '@voucherify/sdk'
import { expect, test } from 'vitest'
import { clientOf } from './client.ts'

const client = clientOf('validation-rules')

test('a rule is created, assigned, applied, changed and deleted', async () => {
  const { validationRules, vouchers, validations } = (await client()).library
  const made = await validationRules.create({
    name: 'At least a hundred',
    error: { message: 'Buy more' },
    rules: { '1': { name: 'order.amount', conditions: { $more_than_or_equal: [10_000] } }, logic: '1' },
  })
  expect(made).toMatchObject({
    id: expect.stringMatching(/^val_/),
    name: 'At least a hundred',
    error: { message: 'Buy more' },
    rules: { '1': { conditions: { $more_than_or_equal: [10_000] } }, logic: '1' },
    object: 'validation_rules',
  })
  const discount = { type: 'PERCENT' as DiscountVouchersTypesEnum.PERCENT, percent_off: 10 }
  const { id: voucher } = await vouchers.create({ code: 'RULED', type: 'DISCOUNT_VOUCHER', discount })
  const assignment = await validationRules.createAssignment(made.id, { voucher: 'RULED' })
  expect(assignment).toMatchObject({
    id: expect.stringMatching(/^asgm_/),
    rule_id: made.id,
    related_object_id: voucher,
    related_object_type: 'voucher',
  })
  const isValid = async (amount: number) => (await validations.validateVoucher('RULED', { order: { amount } })).valid
  expect([await isValid(9_999), await isValid(10_000)]).toEqual([false, true])

  const tried = (amount: number) => validationRules.validate(made.id, { order: { amount } })
  expect(await tried(10_000)).toMatchObject({ valid: true, rule_id: made.id, applicable_to: { data: [], total: 0 } })
  expect(await tried(9_999)).toMatchObject({ valid: false, rule_id: made.id, reason: 'Buy more' })

  const rules = { '1': { name: 'order.amount', conditions: { $more_than_or_equal: [5_000] } }, logic: '1' }
  expect(await validationRules.update({ id: made.id, name: 'At least fifty', rules })).toMatchObject({
    id: made.id,
    name: 'At least fifty',
    rules,
  })
  expect([await isValid(4_999), await isValid(9_999)]).toEqual([false, true])
  expect(await validationRules.get(made.id)).toMatchObject({ name: 'At least fifty', assignments_count: 1 })
  expect(await validationRules.list({ limit: 10, page: 1 })).toMatchObject({
    object: 'list',
    total: 1,
    data: [{ id: made.id }],
  })
  expect(await validationRules.listAssignments(made.id, { limit: 10 })).toMatchObject({
    total: 1,
    data: [{ id: assignment.id }],
  })
  const ofVoucher = { rule: made.id, related_object_id: voucher, order: '-created_at' as const }
  expect(await validationRules.listRulesAssignments(ofVoucher)).toMatchObject({
    total: 1,
    data: [{ id: assignment.id }],
  })

  await validationRules.deleteAssignment(made.id, assignment.id)
  expect(await isValid(1)).toBe(true)
  await validationRules.delete(made.id)
  await expect(validationRules.get(made.id)).rejects.toMatchObject({ code: 404, resource_id: made.id })
})

test('every method of these objects was called', async () => (await client()).expectAllMethodsCalled())
