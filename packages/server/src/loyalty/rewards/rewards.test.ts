import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { newId } from '../../core/lib/ids.ts'
import { newProject, type Shop, uniqueName } from '../../testing/app.ts'
import { newCampaign, runCampaignJobs } from '../../testing/campaigns.ts'
import { newProduct } from '../../testing/checkout.ts'
import { type HeldCard, insertRow, newHeldCard } from '../../testing/member-rows.ts'
import { ok } from '../../testing/orders.ts'
import { expectStablePaging } from '../../testing/paging.ts'

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const coin = { exchange_ratio: 0.01, points_ratio: 5 }

const newReward = (shop: Shop, parameters: object, more: object = {}) =>
  ok(shop, 'POST', '/v1/rewards', { name: 'Reward', parameters, ...more })

const update = (shop: Shop, id: string, body: object) => shop.call('PUT', `/v1/rewards/${id}`, body)

const coupons = (shop: Shop) => newCampaign(shop, uniqueName('Coupons'))
const gifts = (shop: Shop) =>
  newCampaign(shop, uniqueName('Gifts'), { voucher: { type: 'GIFT_VOUCHER', gift: { amount: 0 } } })
const program = (shop: Shop) =>
  newCampaign(shop, uniqueName('Club'), {
    type: 'AUTO_UPDATE',
    voucher: { type: 'LOYALTY_CARD', loyalty_card: { points: 100 } },
  })
const promotion = (shop: Shop) =>
  newCampaign(shop, uniqueName('Promotion'), { campaign_type: 'PROMOTION', voucher: undefined })
const referral = (shop: Shop) =>
  newCampaign(shop, uniqueName('Friends'), {
    campaign_type: 'REFERRAL_PROGRAM',
    referral_program: { conversion_event_type: 'redemption' },
  })

const newSku = (shop: Shop, product: string, sku: string) => ok(shop, 'POST', `/v1/products/${product}/skus`, { sku })

const assign = (shop: Shop, reward: string, campaign: string, points?: number) =>
  ok(shop, 'POST', `/v1/rewards/${reward}/assignments`, {
    campaign,
    ...(points === undefined ? {} : { parameters: { loyalty: { points } } }),
  })

describe('POST /v1/rewards', () => {
  test('returns the whole reward', async () => {
    const shop = await newProject()
    const reward = await newReward(shop, { coin }, { name: 'Pay with points', metadata: { color: 'green' } })
    expect(reward).toEqual({
      id: expect.stringMatching(/^rew_/),
      name: 'Pay with points',
      type: 'COIN',
      parameters: { coin },
      stock: null,
      redeemed: null,
      metadata: { color: 'green' },
      created_at: instant,
      updated_at: null,
      object: 'reward',
    })
    expect(await ok(shop, 'GET', `/v1/rewards/${reward.id}`)).toEqual(reward)
    expect(await shop.call('GET', '/v1/rewards/rew_0')).toMatchObject({
      status: 404,
      body: { details: 'Cannot find reward with id rew_0', resource_type: 'reward' },
    })
  })

  test('takes the type from the campaign, which is given by id or name', async () => {
    const shop = await newProject()
    const cases = [
      [await coupons(shop), { balance: 300, type: 'GIFT_VOUCHERS' }, { type: 'DISCOUNT_COUPONS' }],
      [await gifts(shop), { balance: 500 }, { balance: 500, type: 'GIFT_VOUCHERS' }],
      [await program(shop), { balance: '70' }, { balance: 70, type: 'LOYALTY_PROGRAM' }],
    ]
    for (const [campaign, sent, kept] of cases)
      for (const id of [campaign.id, campaign.name])
        expect(await newReward(shop, { campaign: { id, ...sent } })).toMatchObject({
          type: 'CAMPAIGN',
          parameters: { campaign: { id: campaign.id, ...kept } },
        })
    const { parameters } = await newReward(shop, { campaign: { id: cases[0]![0].id, balance: 5 } })
    expect(parameters.campaign).not.toHaveProperty('balance')
  })

  test('accepts a product or one of its SKUs, by id or source id', async () => {
    const shop = await newProject()
    const product = await newProduct(shop, 'Mug', { source_id: 'mug' })
    const sku = await newSku(shop, product.id, 'Large mug')
    const attributes = { image_url: 'https://shop.example/mug.png', description: 'Holds coffee' }
    expect(await newReward(shop, { product: { id: 'mug' } }, { stock: '12', attributes })).toMatchObject({
      type: 'MATERIAL',
      parameters: { product: { id: product.id, sku_id: null } },
      stock: 12,
      attributes,
    })
    expect(await newReward(shop, { product: { id: product.id, sku_id: sku.id } }, { stock: 0 })).toMatchObject({
      parameters: { product: { id: product.id, sku_id: sku.id } },
      stock: 0,
    })
    const other = await newProduct(shop, 'Plate')
    const body = { name: 'Reward', parameters: { product: { id: other.id, sku_id: sku.id } } }
    expect(await shop.call('POST', '/v1/rewards', body)).toMatchObject({
      status: 404,
      body: { resource_type: 'sku', resource_id: sku.id },
    })
  })

  test('numbers may be sent as strings, and points_ratio is 1 by default', async () => {
    const shop = await newProject()
    expect((await newReward(shop, { coin: { exchange_ratio: '0.5', points_ratio: '20' } })).parameters).toEqual({
      coin: { exchange_ratio: 0.5, points_ratio: 20 },
    })
    expect((await newReward(shop, { coin: { exchange_ratio: 3 } })).parameters.coin.points_ratio).toBe(1)
  })

  test.each<[about: string, body: object, key: string, details: string | RegExp]>([
    ['no name', { parameters: { coin } }, 'invalid_payload', "Payload should have required property 'name'"],
    ['no parameters', { name: 'R' }, 'missing_param', "Parameter 'parameters' is required"],
    ['empty parameters', { name: 'R', parameters: {} }, 'invalid_payload', /exactly one of .* campaign, coin, product/],
    [
      'two kinds of parameters',
      { name: 'R', parameters: { coin, product: { id: 'prod_0' } } },
      'invalid_payload',
      /exactly one of/,
    ],
    [
      'a type whose parameters are missing',
      { name: 'R', type: 'MATERIAL', parameters: {} },
      'missing_param',
      "Parameter 'parameters.product' is required",
    ],
    [
      'a type that contradicts the parameters',
      { name: 'R', type: 'CAMPAIGN', parameters: { coin } },
      'invalid_payload',
      /Property \.type must be COIN/,
    ],
    [
      'an exchange ratio of 0',
      { name: 'R', parameters: { coin: { exchange_ratio: 0 } } },
      'invalid_payload',
      'Property .parameters.coin.exchange_ratio must be > 0',
    ],
    [
      'an exchange ratio of 0 as a string',
      { name: 'R', parameters: { coin: { exchange_ratio: '0.0' } } },
      'invalid_payload',
      'Property .parameters.coin.exchange_ratio must be > 0',
    ],
    [
      'a points ratio of 0',
      { name: 'R', parameters: { coin: { exchange_ratio: 1, points_ratio: 0 } } },
      'invalid_payload',
      'Property .parameters.coin.points_ratio must be >= 1',
    ],
    [
      'a stock for a COIN reward',
      { name: 'R', parameters: { coin }, stock: 5 },
      'invalid_payload',
      'Property .stock is for MATERIAL rewards only',
    ],
    [
      'attributes for a COIN reward',
      { name: 'R', parameters: { coin }, attributes: { description: 'Money' } },
      'invalid_payload',
      'Property .attributes is for MATERIAL rewards only',
    ],
    [
      'an unknown campaign',
      { name: 'R', parameters: { campaign: { id: 'camp_0' } } },
      'not_found',
      'Cannot find campaign with id camp_0',
    ],
    [
      'an unknown product',
      { name: 'R', parameters: { product: { id: 'prod_0' } } },
      'not_found',
      'Cannot find product with id prod_0',
    ],
  ])('is refused with %s', async (_, body, key, details) => {
    const shop = await newProject()
    const answer = await shop.call('POST', '/v1/rewards', body)
    expect(answer.body).toMatchObject({ key })
    expect(answer.body.details).toMatch(details)
    expect((await ok(shop, 'GET', '/v1/rewards')).total).toBe(0)
  })

  test('a stock must be an integer of at least 0', async () => {
    const shop = await newProject()
    const { id } = await newProduct(shop, 'Mug')
    const body = { name: 'Mug', parameters: { product: { id } }, stock: -1 }
    expect(await shop.call('POST', '/v1/rewards', body)).toMatchObject({
      status: 400,
      body: { key: 'invalid_payload' },
    })
  })

  test('credits and points must be greater than 0', async () => {
    const shop = await newProject()
    for (const [campaign, type] of [
      [await gifts(shop), 'GIFT_VOUCHERS'],
      [await program(shop), 'LOYALTY_PROGRAM'],
    ])
      for (const balance of [undefined, null, 0, -5])
        expect(
          await shop.call('POST', '/v1/rewards', { name: 'R', parameters: { campaign: { id: campaign.id, balance } } }),
        ).toMatchObject({
          status: 400,
          body: {
            key: 'invalid_balance',
            message: "Property 'parameters.campaign.balance' is invalid",
            details: `Property 'parameters.campaign.balance' must be greater than zero for campaign type: ${type}`,
          },
        })
  })

  test('campaigns of other types are refused', async () => {
    const shop = await newProject()
    for (const { id } of [await promotion(shop), await referral(shop)])
      expect(
        await shop.call('POST', '/v1/rewards', { name: 'R', parameters: { campaign: { id, balance: 5 } } }),
      ).toMatchObject({ status: 400, body: { key: 'invalid_payload' } })
  })
})

describe('PUT /v1/rewards/{rewardId}', () => {
  test('changes the members sent: metadata is merged, the others are replaced', async () => {
    const shop = await newProject()
    const product = await newProduct(shop, 'Mug')
    const sku = await newSku(shop, product.id, 'Large mug')
    const reward = await newReward(
      shop,
      { product: { id: product.id, sku_id: sku.id } },
      { stock: 5, attributes: { description: 'Old' }, metadata: { a: 1, b: 2 } },
    )
    const changed = await update(shop, reward.id, {
      name: 'Mug',
      attributes: { image_url: 'https://shop.example/new.png' },
      metadata: { b: 3 },
    })
    const after = {
      ...reward,
      name: 'Mug',
      attributes: { image_url: 'https://shop.example/new.png' },
      metadata: { a: 1, b: 3 },
      updated_at: instant,
    }
    expect(changed).toMatchObject({ status: 200, body: after })
    expect(await update(shop, reward.id, { stock: '7' })).toMatchObject({ body: { ...after, stock: 7 } })
    expect(await update(shop, reward.id, { stock: null, attributes: null, name: null })).toMatchObject({
      body: { name: 'Mug', stock: null },
    })
    const last = await update(shop, reward.id, { parameters: { product: { id: product.id } } })
    expect(last.body).toEqual({
      ...after,
      stock: null,
      attributes: undefined,
      parameters: { product: { id: product.id, sku_id: null } },
    })
    expect(await ok(shop, 'GET', `/v1/rewards/${reward.id}`)).toEqual(last.body)
  })

  test('the type of a reward cannot change', async () => {
    const shop = await newProject()
    const { id } = await newReward(shop, { coin })
    const product = await newProduct(shop, 'Mug')
    for (const body of [
      { parameters: { product: { id: product.id } } },
      { parameters: {} },
      { stock: 5 },
      { attributes: { description: 'Money' } },
    ])
      expect(await update(shop, id, body)).toMatchObject({ status: 400, body: { key: 'invalid_payload' } })
    expect(await ok(shop, 'GET', `/v1/rewards/${id}`)).toMatchObject({ parameters: { coin }, updated_at: null })
  })

  test('another campaign sets its own type', async () => {
    const shop = await newProject()
    const { id } = await newReward(shop, { campaign: { id: (await coupons(shop)).id } })
    const gift = await gifts(shop)
    expect(await update(shop, id, { parameters: { campaign: { id: gift.id } } })).toMatchObject({
      status: 400,
      body: {
        key: 'invalid_balance',
        details: "Property 'parameters.campaign.balance' must be greater than zero for campaign type: GIFT_VOUCHERS",
      },
    })
    expect(await update(shop, id, { parameters: { campaign: { id: gift.id, balance: 900 } } })).toMatchObject({
      body: { parameters: { campaign: { id: gift.id, balance: 900, type: 'GIFT_VOUCHERS' } } },
    })
  })

  test('a reward cannot be changed to credit points of a program that offers it', async () => {
    const shop = await newProject()
    const [club, other] = [await program(shop), await program(shop)]
    const { id } = await newReward(shop, { campaign: { id: other.id, balance: 5 } })
    await assign(shop, id, club.id, 10)
    expect(await update(shop, id, { parameters: { campaign: { id: club.id, balance: 5 } } })).toMatchObject({
      status: 400,
      body: { key: 'invalid_payload' },
    })
    expect(await update(shop, id, { parameters: { campaign: { id: other.id, balance: 6 } } })).toMatchObject({
      status: 200,
    })
  })

  test('returns 404 for an unknown reward, whatever the body', async () => {
    const shop = await newProject()
    expect(await update(shop, 'rew_0', { stock: 'many' })).toMatchObject({
      status: 404,
      body: { resource_type: 'reward' },
    })
  })
})

test('metadata is validated by the schema of rewards', async () => {
  const shop = await newProject()
  await ok(shop, 'POST', '/v1/metadata-schemas', {
    related_object: 'reward',
    properties: { size: { type: 'number', array: false, optional: true } },
    allow_defined_only: true,
  })
  const { id } = await newReward(shop, { coin }, { metadata: { size: 5 } })
  const refused = { status: 400, body: { key: 'metadata_validation_failed' } }
  const body = { name: 'R', parameters: { coin }, metadata: { size: 'large' } }
  expect(await shop.call('POST', '/v1/rewards', body)).toMatchObject(refused)
  expect(await update(shop, id, { metadata: { weight: 5 } })).toMatchObject(refused)
  expect(await ok(shop, 'GET', `/v1/rewards/${id}`)).toMatchObject({ metadata: { size: 5 } })
})

describe('DELETE /v1/rewards/{rewardId}', () => {
  test('is refused while the reward is assigned, and lists the assignments', async () => {
    const shop = await newProject()
    const { id } = await newReward(shop, { coin })
    const assignments = [
      await assign(shop, id, (await program(shop)).id),
      await assign(shop, id, (await program(shop)).id),
    ]
    const ids = assignments.map((assignment) => assignment.id).sort()
    expect(await shop.call('DELETE', `/v1/rewards/${id}`)).toMatchObject({
      status: 400,
      body: {
        key: 'resource_in_use',
        resource_id: id,
        resource_type: 'reward',
        related_object_ids: ids,
        related_object_type: 'reward_assignment',
        related_object_total: 2,
      },
    })
    for (const assignment of ids)
      expect(await shop.call('DELETE', `/v1/rewards/${id}/assignments/${assignment}`)).toMatchObject({ status: 204 })
    expect(await shop.call('DELETE', `/v1/rewards/${id}`)).toMatchObject({ status: 204 })
    expect(await shop.call('DELETE', `/v1/rewards/${id}`)).toMatchObject({ status: 404 })
    expect(await shop.call('GET', `/v1/rewards/${id}`)).toMatchObject({ status: 404 })
  })

  test('a deleted program no longer keeps its rewards in use', async () => {
    const shop = await newProject()
    const club = await program(shop)
    const { id } = await newReward(shop, { coin })
    await assign(shop, id, club.id)
    expect(await shop.call('DELETE', `/v1/campaigns/${club.id}`)).toMatchObject({ status: 202 })
    expect(await ok(shop, 'GET', `/v1/rewards/${id}/assignments`)).toMatchObject({ data: [], total: 0 })
    expect(await shop.call('DELETE', `/v1/rewards/${id}`)).toMatchObject({ status: 204 })
  })
})

test('a reward stays when its campaign is deleted', async () => {
  const shop = await newProject()
  const campaign = await coupons(shop)
  const reward = await newReward(shop, { campaign: { id: campaign.id } })
  expect(await shop.call('DELETE', `/v1/campaigns/${campaign.id}?force=true`)).toMatchObject({ status: 202 })
  await runCampaignJobs(shop)
  expect(await ok(shop, 'GET', `/v1/rewards/${reward.id}`)).toEqual(reward)
  expect(await update(shop, reward.id, { name: 'Nothing left' })).toMatchObject({ status: 200 })
  expect(await update(shop, reward.id, { parameters: reward.parameters })).toMatchObject({ status: 404 })
})

describe('GET /v1/rewards', () => {
  test('lists the newest first, or only the reward of an assignment', async () => {
    const shop = await newProject()
    const club = await program(shop)
    const rewards = []
    for (const name of ['A', 'B', 'C']) rewards.push(await newReward(shop, { coin }, { name }))
    const list = await ok(shop, 'GET', '/v1/rewards?limit=2')
    expect(list).toEqual({ object: 'list', data_ref: 'data', data: [rewards[2], rewards[1]], total: 3 })
    expect((await ok(shop, 'GET', '/v1/rewards?limit=2&page=2')).data).toEqual([rewards[0]])

    const assignment = await assign(shop, rewards[1].id, club.id)
    expect(await ok(shop, 'GET', `/v1/rewards?assignment_id=${assignment.id}`)).toMatchObject({
      data: [rewards[1]],
      total: 1,
    })
    expect(await ok(shop, 'GET', '/v1/rewards?assignment_id=rewa_0')).toMatchObject({ data: [], total: 0 })
  })

  test('lists each reward once while others are added', async () => {
    const shop = await newProject()
    await expectStablePaging({
      shop,
      path: '/v1/rewards',
      orders: ['-created_at', 'created_at'],
      data_ref: 'data',
      create: async (n) => (await newReward(shop, { coin }, { name: `Reward ${n}` })).id,
    })
  })
})

test('redeemed is null before the first redemption', async () => {
  const shop = await newProject()
  const { id, redeemed } = await newReward(shop, { coin })
  expect(redeemed).toBeNull()
  await sql`update rewards set redeemed = 3 where project_id = ${shop.project_id} and id = ${id}`.execute(
    shop.service.runtime.database.db,
  )
  expect(await ok(shop, 'GET', `/v1/rewards/${id}`)).toMatchObject({ redeemed: 3 })
  expect((await update(shop, id, { name: 'New' })).body).toMatchObject({ redeemed: 3 })
})

test('every change increments the configuration version; a refusal does not', async () => {
  const shop = await newProject()
  const { db } = shop.service.runtime.database
  const versions = async () => {
    const { rows } = await sql<{ project: number; reward: number | null; gone: number }>`
      select config_version as project, (select max(config_version) from rewards where project_id = projects.id) as reward,
        (select count(*) from configuration_deletions where project_id = projects.id and object_type = 'reward') as gone
      from projects where id = ${shop.project_id}`.execute(db)
    return rows[0]
  }
  const { id } = await newReward(shop, { coin })
  expect(await versions()).toEqual({ project: 1, reward: 1, gone: 0 })
  await update(shop, id, { name: 'New' })
  expect(await versions()).toEqual({ project: 2, reward: 2, gone: 0 })
  await update(shop, id, { stock: 5 })
  await shop.call('POST', '/v1/rewards', { name: 'R', parameters: { campaign: { id: 'camp_0' } } })
  expect(await versions()).toEqual({ project: 2, reward: 2, gone: 0 })
  await shop.call('DELETE', `/v1/rewards/${id}`)
  expect(await versions()).toEqual({ project: 3, reward: null, gone: 1 })
})

describe('POST /v1/rewards/{rewardId}/redemptions/{rewardRedemptionId}/complete', () => {
  interface Given {
    card: HeldCard
    reward: { id: string; name: string }
    assignment: { id: string }
    product: { id: string }
    rewr: string
    path: string
  }

  async function given(shop: Shop, row: Record<string, unknown> = {}): Promise<Given> {
    const club = await program(shop)
    const card = await newHeldCard(shop, club)
    const product = await newProduct(shop, 'Mug')
    const reward = await newReward(shop, { product: { id: product.id } }, { name: 'Mug' })
    const assignment = await assign(shop, reward.id, club.id, 50)
    const rewr = newId('reward_redemption')
    await insertRow(shop, 'reward_redemptions', {
      id: rewr,
      state: 'PENDING',
      voucher_id: card.id,
      campaign_id: club.id,
      customer_id: card.customer_id,
      reward_id: reward.id,
      reward_assignment_id: assignment.id,
      source_id: 'r_1',
      source_type: 'redemption',
      created_at: '2031-05-10T09:00:00.000Z',
      ...row,
    })
    return { card, reward, assignment, product, rewr, path: `/v1/rewards/${reward.id}/redemptions/${rewr}/complete` }
  }

  const told = async ({ service, project_id }: Shop) =>
    service.runtime.database.db
      .selectFrom('events')
      .where('project_id', '=', project_id)
      .where('type', 'like', 'customer.reward_redemptions.%')
      .select(['type', 'entity_id', 'data'])
      .execute()

  test('completes the redemption and emits the event', async () => {
    const shop = await newProject()
    const { card, reward, assignment, product, rewr, path } = await given(shop)
    const rewardRedemption = {
      id: rewr,
      state: 'COMPLETED',
      created_at: '2031-05-10T09:00:00.000Z',
      updated_at: instant,
      voucher_id: card.id,
      campaign_id: card.campaign_id,
      customer_id: card.customer_id,
      reward_assignment_id: assignment.id,
      source_id: 'r_1',
      source_type: 'redemption',
    }
    expect(await ok(shop, 'POST', path)).toEqual(rewardRedemption)
    const events = await told(shop)
    expect(events).toEqual([
      { type: 'customer.reward_redemptions.completed', entity_id: card.customer_id, data: expect.anything() },
    ])
    const { data } = events[0] as { data: Record<string, object> }
    expect(Object.keys(data).sort()).toEqual([
      'balance',
      'campaign',
      'customer',
      'holder',
      'publication',
      'reward',
      'reward_assignment',
      'reward_redemption',
      'source',
      'voucher',
    ])
    expect(data).toMatchObject({
      customer: { id: card.customer_id, object: 'customer' },
      holder: { id: card.customer_id },
      voucher: { id: card.id, object: 'voucher' },
      campaign: { id: card.campaign_id },
      reward_redemption: rewardRedemption,
      reward: {
        id: reward.id,
        name: 'Mug',
        customer: { id: card.customer_id },
        assignment_id: assignment.id,
        product: { id: product.id, name: 'Mug' },
        sku: null,
        voucher: null,
        loyalty_tier_id: null,
        object: 'reward',
      },
      reward_assignment: assignment,
      source: { id: 'r_1', type: 'redemption' },
      balance: null,
      publication: null,
    })
  })

  test('works once, and only for pending redemptions', async () => {
    const shop = await newProject()
    const { path } = await given(shop)
    await ok(shop, 'POST', path)
    expect(await shop.call('POST', path)).toMatchObject({ status: 400, body: { key: 'invalid_payload' } })
    const takenBack = await given(shop, { state: 'ROLLEDBACK' })
    expect(await shop.call('POST', takenBack.path)).toMatchObject({ status: 400, body: { key: 'invalid_payload' } })
    expect(await told(shop)).toHaveLength(1)
  })

  test('returns 404 for an unknown redemption, one of another reward, and one of a deleted card', async () => {
    const shop = await newProject()
    const { reward, rewr, path, card } = await given(shop)
    const other = await newReward(shop, { coin })
    for (const [wrong, resourceType] of [
      [`/v1/rewards/rew_0/redemptions/${rewr}/complete`, 'reward'],
      [`/v1/rewards/${reward.id}/redemptions/rewr_0/complete`, 'reward_redemption'],
      [`/v1/rewards/${other.id}/redemptions/${rewr}/complete`, 'reward_redemption'],
    ] as const)
      expect(await shop.call('POST', wrong)).toMatchObject({ status: 404, body: { resource_type: resourceType } })
    await shop.call('DELETE', `/v1/vouchers/${card.code}`)
    expect(await shop.call('POST', path)).toMatchObject({ status: 404, body: { resource_type: 'reward_redemption' } })
  })

  test('an assignment deleted since is shown by its id', async () => {
    const shop = await newProject()
    const { reward, assignment, path } = await given(shop)
    await shop.call('DELETE', `/v1/rewards/${reward.id}/assignments/${assignment.id}`)
    await ok(shop, 'POST', path)
    expect((await told(shop))[0]?.data).toMatchObject({
      reward_assignment: { id: assignment.id, object: 'reward_assignment' },
    })
  })
})
