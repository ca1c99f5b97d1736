import { expect, test } from 'vitest'
import { clientOf } from './client.ts'

const client = clientOf('rewards')

test('a reward is created, read, changed and deleted', async () => {
  const { rewards, products } = (await client()).library
  const mug = await products.create({ name: 'Mug' })
  const made = await rewards.create({
    name: 'A mug',
    stock: 5,
    attributes: { description: 'White' },
    type: 'MATERIAL',
    parameters: { product: { id: mug.id } },
  })
  expect(made).toMatchObject({
    id: expect.stringMatching(/^rew_/),
    name: 'A mug',
    type: 'MATERIAL',
    stock: 5,
    parameters: { product: { id: mug.id } },
    attributes: { description: 'White' },
    object: 'reward',
  })
  expect(await rewards.get(made.id)).toMatchObject({ name: 'A mug', stock: 5 })
  const coin = await rewards.create({ name: 'Cash', type: 'COIN', parameters: { coin: { exchange_ratio: 2 } } })
  const renamed = await rewards.update({
    id: made.id,
    name: 'The mug',
    stock: 9,
    parameters: { product: { id: mug.id } },
  })
  expect(renamed).toMatchObject({ id: made.id, name: 'The mug', stock: 9 })
  const list = await rewards.list({ limit: 10, page: 1 })
  expect(list).toMatchObject({ object: 'list', data_ref: 'data', total: 2 })
  expect(list.data.map(({ id }) => id).toSorted()).toEqual([made.id, coin.id].toSorted())
  await rewards.delete(coin.id)
  await expect(rewards.get(coin.id)).rejects.toMatchObject({ code: 404, resource_type: 'reward' })
})

test('a reward is assigned to a program, and its price is changed', async () => {
  const { rewards, products, loyalties } = (await client()).library
  const { id: product } = await products.create({ name: 'Cup' })
  const { id: reward } = await rewards.create({
    name: 'A cup',
    type: 'MATERIAL',
    parameters: { product: { id: product } },
  })
  const { id: campaign } = await loyalties.create({
    name: 'Club',
    type: 'AUTO_UPDATE',
    voucher: { type: 'LOYALTY_CARD', loyalty_card: { points: 0 } },
  })
  const made = await rewards.createAssignment(reward, { campaign, parameters: { loyalty: { points: 100 } } })
  expect(made).toMatchObject({
    id: expect.stringMatching(/^rewa_/),
    reward_id: reward,
    related_object_id: campaign,
    related_object_type: 'campaign',
    parameters: { loyalty: { points: 100 } },
    object: 'reward_assignment',
  })
  expect(
    await rewards.updateAssignment(reward, { id: made.id, parameters: { loyalty: { points: 80 } } }),
  ).toMatchObject({
    id: made.id,
    parameters: { loyalty: { points: 80 } },
  })
  expect(await rewards.getAssignment(reward, made.id)).toMatchObject({ parameters: { loyalty: { points: 80 } } })
  expect(await rewards.listAssignments(reward, { limit: 10 })).toMatchObject({
    object: 'list',
    total: 1,
    data: [{ id: made.id }],
  })
  await rewards.deleteAssignment(reward, made.id)
  expect(await rewards.listAssignments(reward)).toMatchObject({ total: 0, data: [] })
})

test('every method of these objects was called', async () => (await client()).expectAllMethodsCalled())
