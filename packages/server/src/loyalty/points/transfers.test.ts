import { describe, expect, test } from 'vitest'
import { newProject, type Shop, send } from '../../testing/app.ts'
import { newVoucher } from '../../testing/campaigns.ts'
import {
  addPoints,
  balanceOf,
  card,
  emittedEvents,
  movements,
  newMember,
  newProgram,
  newTiers,
  tierChanges,
  transactions,
} from '../../testing/loyalty.ts'
import { ok } from '../../testing/orders.ts'

/* Manual adjustments and transfers of points: docs/reference/loyalty-cards.md#adjust-the-balance. */

describe('manual adjustments', () => {
  test('add and remove points, with reason and source id', async () => {
    const shop = await newProject()
    const program = await newProgram(shop)
    const { id, code } = await newMember(shop, program, 'ann')
    const balance = (points: number, after: number) => ({
      points,
      total: after,
      balance: after,
      type: 'loyalty_card',
      object: 'balance',
      related_object: { type: 'voucher', id },
      operation_type: 'MANUAL',
    })
    const byCampaign = `/v1/loyalties/${program.id}/members/${code}/balance`
    expect(await ok(shop, 'POST', byCampaign, { points: 100, reason: 'sorry', source_id: 's1' })).toEqual(
      balance(100, 100),
    )
    expect(await addPoints(shop, code, -30, { reason: 'oops', source_id: 's2' })).toEqual(balance(-30, 70))
    expect(await transactions(shop, code)).toEqual([
      {
        id: expect.stringMatching(/^vtx_[0-9a-f]{18}$/),
        source_id: 's1',
        voucher_id: id,
        campaign_id: program.id,
        source: null,
        reason: 'sorry',
        type: 'POINTS_ADDITION',
        details: { balance: { ...balance(100, 100), related_object: { id, type: 'voucher' } } },
        related_transaction_id: null,
        created_at: expect.any(String),
      },
      expect.objectContaining({ type: 'POINTS_REMOVAL', source: null, source_id: 's2', reason: 'oops' }),
    ])
    const added = await emittedEvents(shop, '%points_added')
    expect(added.map(({ type, data }) => `${type} ${data.balance.points}`).sort()).toEqual([
      'customer.voucher.loyalty_card.points_added -30',
      'customer.voucher.loyalty_card.points_added 100',
      'voucher.loyalty_card.points_added -30',
      'voucher.loyalty_card.points_added 100',
    ])
    expect(await emittedEvents(shop, 'voucher.loyalty_card.transaction.created')).toHaveLength(2)
    expect((await card(shop, code)).updated_at).not.toBeNull()
  })

  test('are refused for 0, beyond the balance, for a repeated source id, without a holder, and on other vouchers', async () => {
    const shop = await newProject()
    const program = await newProgram(shop, { points: 50, type: 'STATIC', vouchers_count: 1 })
    const other = await newProgram(shop)
    const { vouchers } = await ok(shop, 'GET', `/v1/loyalties/${program.id}/members`)
    const { code } = vouchers[0]
    await newVoucher(shop, 'COUPON')
    const add = (body: object, path = `members/${code}`) => shop.call('POST', `/v1/loyalties/${path}/balance`, body)
    const refused = (status: number, key: string, more: object = {}) => ({ status, body: { key, ...more } })
    expect(await add({ points: 5 })).toMatchObject(refused(400, 'not_published'))
    await newMember(shop, program, 'ann')
    expect(await add({ points: 0 })).toMatchObject(refused(400, 'invalid_amount'))
    expect(await add({})).toMatchObject({ status: 400 })
    expect(await add({ points: 1.5 })).toMatchObject(refused(400, 'invalid_payload'))
    expect(await add({ points: -51 })).toMatchObject(refused(400, 'loyalty_card_points_exceeded'))
    expect(await add({ points: '5', source_id: 'once' })).toMatchObject({ status: 200, body: { points: 5 } })
    expect(await add({ points: 5, source_id: 'once' })).toMatchObject(
      refused(400, 'duplicate_source_id', {
        message: 'Duplicate source_id',
        details: "Transaction with source_id: 'once' already exists",
      }),
    )
    const noCard = { resource_type: 'voucher' }
    expect(await add({ points: 5 }, 'members/NONE')).toMatchObject(refused(404, 'not_found', noCard))
    expect(await add({ points: 5 }, 'members/COUPON')).toMatchObject(refused(404, 'not_found', noCard))
    expect(await add({ points: 5 }, `${other.id}/members/${code}`)).toMatchObject(refused(404, 'not_found', noCard))
    expect(await add({ points: 5 }, `camp_none/members/${code}`)).toMatchObject(
      refused(404, 'not_found', { resource_type: 'campaign' }),
    )
    expect(await balanceOf(shop, code)).toBe(55)
  })

  test('work through the voucher endpoint by amount, with source API', async () => {
    const shop = await newProject()
    const program = await newProgram(shop)
    await newTiers(shop, program, { Silver: [100] })
    const { code } = await newMember(shop, program, 'ann')
    const answer = await ok(shop, 'POST', `/v1/vouchers/${code}/balance`, { amount: 100, source_id: 's' })
    expect(answer).toMatchObject({ amount: 100, points: 100, balance: 100, total: 100, type: 'loyalty_card' })
    expect(await transactions(shop, code)).toMatchObject([{ type: 'POINTS_ADDITION', source: 'API', source_id: 's' }])
    expect(await shop.call('POST', `/v1/vouchers/${code}/balance`, { amount: 0 })).toMatchObject({
      status: 400,
      body: { key: 'invalid_add_balance_params' },
    })
    expect(await tierChanges(shop)).toEqual(['joined Silver'])
    expect((await ok(shop, 'GET', '/v1/customers/ann')).loyalty.points).toBe(100)
    const till = { ...shop.headers, 'x-voucherify-channel': 'Till 7' }
    await send(shop.service.app, 'POST', `/v1/vouchers/${code}/balance`, { amount: 5 }, till)
    expect((await transactions(shop, code)).map(({ source }) => source)).toContain('Till 7')
  })

  test('in parallel never take more than the balance', async () => {
    const shop = await newProject()
    const program = await newProgram(shop, { points: 100 })
    const { code } = await newMember(shop, program, 'ann')
    const take = () => shop.call('POST', `/v1/loyalties/members/${code}/balance`, { points: -30 })
    const answers = await Promise.all([take(), take(), take(), take(), take()])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 400, 400])
    expect(await balanceOf(shop, code)).toBe(10)
  })
})

describe('a transfer', () => {
  const newCards = async (shop: Shop) => {
    const program = await newProgram(shop, { points: 100 })
    const [a, b, c] = [
      await newMember(shop, program, 'a'),
      await newMember(shop, program, 'b'),
      await newMember(shop, program, 'c'),
    ]
    const move = (body: unknown, to: string = c.code) =>
      shop.call('POST', `/v1/loyalties/${program.id}/members/${to}/transfers`, body)
    return { program, a, b, c, move }
  }

  test('creates two transactions that refer to each other, and an event for each holder', async () => {
    const shop = await newProject()
    const { program, a, c, move } = await newCards(shop)
    await newTiers(shop, program, { Low: [0, 99], Mid: [100, 199], High: [200] })
    expect(await move([{ code: a.code, points: 40, reason: 'gift', source_id: 's1' }])).toMatchObject({
      status: 200,
      body: { code: c.code, loyalty_card: { points: 140, balance: 140 }, object: 'voucher' },
    })
    const [out] = await transactions(shop, a.code)
    const [into] = await transactions(shop, c.code)
    expect(out).toMatchObject({
      type: 'POINTS_TRANSFER_OUT',
      source: 'API',
      source_id: 's1',
      reason: 'gift',
      related_transaction_id: into.id,
      details: {
        balance: { points: -40, total: 60, balance: 60, operation_type: 'MANUAL' },
        destination_voucher: { id: c.id, code: c.code },
      },
    })
    expect(into).toMatchObject({
      type: 'POINTS_TRANSFER_IN',
      source: 'API',
      source_id: null,
      reason: 'gift',
      related_transaction_id: out.id,
      details: {
        balance: { points: 40, total: 140, balance: 140, operation_type: 'MANUAL' },
        source_voucher: { id: a.id, code: a.code },
      },
    })
    const heard = await emittedEvents(shop, 'customer.voucher.loyalty_card.points_transferred')
    expect(heard.map(({ entity_id }) => entity_id).sort()).toEqual([a.holder_id, c.holder_id].sort())
    expect(await emittedEvents(shop, 'voucher.loyalty_card.transaction.created')).toHaveLength(2)
    expect((await tierChanges(shop, 'a')).at(-1)).toBe('downgraded Mid → Low')
    expect(await emittedEvents(shop, '%points_added')).toEqual([])
  })

  test('with the same card twice takes both amounts', async () => {
    const shop = await newProject()
    const { a, b, c, move } = await newCards(shop)
    const parts = (...points: number[]) => points.map((part) => ({ code: a.code, points: part }))
    expect(await move(parts(60, 41))).toMatchObject({ status: 400, body: { key: 'loyalty_card_points_exceeded' } })
    expect(await balanceOf(shop, a.code)).toBe(100)
    expect(await move([...parts(60, 40), { code: b.code, points: 1 }])).toMatchObject({ status: 200 })
    expect(await balanceOf(shop, c.code)).toBe(201)
    expect(await movements(shop, a.code)).toEqual(['POINTS_TRANSFER_OUT -60', 'POINTS_TRANSFER_OUT -40'])
  })

  test('is all or nothing', async () => {
    const shop = await newProject()
    const { program, a, b, c, move } = await newCards(shop)
    const pool = await newProgram(shop, { points: 100, type: 'STATIC', vouchers_count: 1 })
    const { vouchers } = await ok(shop, 'GET', `/v1/loyalties/${pool.id}/members`)
    await newVoucher(shop, 'COUPON')
    const first = { code: a.code, points: 10 }
    const cases: Array<[string, unknown, number, string]> = [
      ['nothing', [], 400, 'invalid_payload'],
      ['no points', [first, { code: b.code, points: 0 }], 400, 'invalid_payload'],
      ['fewer than none', [first, { code: b.code, points: -5 }], 400, 'invalid_payload'],
      ['itself', [first, { code: c.code, points: 5 }], 400, 'invalid_payload'],
      ['itself by id', [first, { code: c.id, points: 5 }], 400, 'invalid_payload'],
      ['too many', Array.from({ length: 101 }, () => ({ code: a.code, points: 1 })), 400, 'invalid_payload'],
      ['no list', first, 400, 'invalid_payload'],
      ['an unknown card', [first, { code: 'NONE', points: 5 }], 404, 'not_found'],
      ['no card at all', [first, { code: 'COUPON', points: 5 }], 404, 'not_found'],
      ['a card without a holder', [first, { code: vouchers[0].code, points: 5 }], 400, 'not_published'],
      ['more than there is', [first, { code: b.code, points: 101 }], 400, 'loyalty_card_points_exceeded'],
      [
        'a source twice',
        [
          { ...first, source_id: 's' },
          { ...first, source_id: 's' },
        ],
        400,
        'duplicate_source_id',
      ],
    ]
    for (const [name, body, status, key] of cases)
      expect(await move(body), name).toMatchObject({ status, body: { key } })
    expect(await move([first], 'NONE')).toMatchObject({ status: 404, body: { resource_type: 'voucher' } })
    const path = `/v1/loyalties/${pool.id}/members/${vouchers[0].code}/transfers`
    expect(await shop.call('POST', path, [first])).toMatchObject({ status: 400, body: { key: 'not_published' } })
    expect(await shop.call('POST', `/v1/loyalties/${pool.id}/members/${c.code}/transfers`, [first])).toMatchObject({
      status: 404,
    })
    for (const { code } of [a, b, c]) expect(await movements(shop, code)).toEqual([])
    expect((await ok(shop, 'GET', `/v1/loyalties/${program.id}/transactions`)).data).toEqual([])
  })

  test('accepts a source id used on another card', async () => {
    const shop = await newProject()
    const { a, b, c, move } = await newCards(shop)
    const body = [
      { code: a.code, points: 1, source_id: 's' },
      { code: b.code, points: 1, source_id: 's' },
    ]
    expect(await move(body)).toMatchObject({ status: 200 })
    expect(await balanceOf(shop, c.code)).toBe(102)
  })

  test('in both directions concurrently loses nothing', async () => {
    const shop = await newProject()
    const { a, b, c, move } = await newCards(shop)
    const answers = await Promise.all(
      [1, 2, 3].flatMap((points) => [
        move(
          [
            { code: a.code, points },
            { code: b.code, points },
          ],
          c.code,
        ),
        move(
          [
            { code: c.code, points },
            { code: b.code, points },
          ],
          a.code,
        ),
      ]),
    )
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    const balances = [await balanceOf(shop, a.code), await balanceOf(shop, b.code), await balanceOf(shop, c.code)]
    expect(balances).toEqual([106, 88, 106])
  })
})
