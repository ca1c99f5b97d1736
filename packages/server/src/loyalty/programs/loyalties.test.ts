import { describe, expect, test } from 'vitest'
import { newProject, type Shop } from '../../testing/app.ts'
import { eventsOf, newCampaign, runCampaignJobs } from '../../testing/campaigns.ts'
import {
  assign,
  emittedEvents,
  fixed,
  newEarningRules,
  newMaterial,
  newMember,
  newProgram,
  newTiers,
  onDrop,
  tierLasting,
  tierOf,
} from '../../testing/loyalty.ts'
import { ok } from '../../testing/orders.ts'
import { expectStablePaging } from '../../testing/paging.ts'

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const nothing = { object: 'list', data_ref: 'data', data: [], total: 0 }
const cardOf = (points: unknown, more: object = {}) => ({
  voucher: { type: 'LOYALTY_CARD', loyalty_card: { points, ...more } },
})
const byMonth = { period_type: 'MONTH', period_value: 3 }

const namesOf = ({ campaigns }: { campaigns: Array<{ name: string }> }) => campaigns.map(({ name }) => name)

describe('creating a program', () => {
  test('sets defaults for omitted members, and omits members without a value', async () => {
    const shop = await newProject()
    const body = await ok(shop, 'POST', '/v1/loyalties', { name: 'Green Club', ...cardOf(0) })
    expect(body).toEqual({
      id: expect.stringMatching(/^camp_/),
      name: 'Green Club',
      campaign_type: 'LOYALTY_PROGRAM',
      type: 'STATIC',
      voucher: {
        type: 'LOYALTY_CARD',
        loyalty_card: { points: 0 },
        redemption: { quantity: null },
        code_config: { length: 8, charset: expect.any(String), pattern: '########' },
        is_referral_code: false,
      },
      auto_join: false,
      join_once: true,
      use_voucher_metadata_schema: true,
      vouchers_count: 0,
      active: true,
      created_at: instant,
      category_id: null,
      categories: [],
      creation_status: 'DONE',
      vouchers_generation_status: 'DONE',
      protected: false,
      validation_rules_assignments: nothing,
      access_settings_assignments: nothing,
      object: 'campaign',
    })
    expect(await ok(shop, 'GET', '/v1/loyalties/Green%20Club')).toEqual(body)
    expect(await eventsOf(shop)).toEqual(['campaign.created'])
  })

  test('accepts all members of a program, and numbers as strings', async () => {
    const shop = await newProject()
    const { id: categoryId } = await ok(shop, 'POST', '/v1/categories', { name: 'Trees', hierarchy: 0 })
    const settings = {
      description: 'For friends of trees',
      campaign_type: 'LOYALTY_PROGRAM',
      type: 'AUTO_UPDATE',
      auto_join: true,
      start_date: '2026-01-01T00:00:00.000Z',
      expiration_date: '2027-01-01T00:00:00.000Z',
      validity_timeframe: { interval: 'P2D', duration: 'P1D' },
      validity_day_of_week: [1, 2],
      activity_duration_after_publishing: 'P30D',
      metadata: { colour: 'green' },
    }
    const tiers = {
      qualification_type: 'BALANCE',
      start_date: { type: 'IMMEDIATE' },
      expiration_date: {
        type: 'CUSTOM',
        extend: 'P3M',
        rounding: { type: 'CUSTOM', strategy: 'START', unit: 'MONTH', value: 0 },
      },
    }
    const program = await ok(shop, 'POST', '/v1/loyalties', {
      name: 'Club',
      ...settings,
      category_id: categoryId,
      vouchers_count: '1',
      voucher: {
        type: 'LOYALTY_CARD',
        loyalty_card: { points: '25', expiration_rules: { ...byMonth, period_value: '3', fixed_day: null, moon: 1 } },
        redemption: { quantity: '7' },
        code_config: { prefix: 'G-', length: 6 },
      },
      loyalty_tiers_expiration: tiers,
      validation_rules: ['val_unknown'],
      promotion: { tiers: [] },
      discount: 'nonsense',
    })
    expect(program).toMatchObject({
      ...settings,
      loyalty_tiers_expiration: tiers,
      vouchers_count: 1,
      category: 'Trees',
    })
    expect(program.categories).toMatchObject([{ id: categoryId }])
    expect(program.voucher).toMatchObject({
      loyalty_card: { points: 25, expiration_rules: byMonth },
      redemption: { quantity: 7 },
      code_config: { prefix: 'G-', length: 6, pattern: '######' },
      start_date: settings.start_date,
      expiration_date: settings.expiration_date,
      validity_timeframe: settings.validity_timeframe,
      validity_day_of_week: settings.validity_day_of_week,
    })
    const { vouchers } = await ok(shop, 'GET', '/v1/loyalties/Club/members')
    expect(vouchers).toMatchObject([
      { loyalty_card: { points: 25, balance: 25 }, redemption: { quantity: 7 }, metadata: { colour: 'green' } },
    ])
    expect(await eventsOf(shop)).toEqual(['campaign.created', 'campaign.vouchers.generation.completed'])
  })

  test('generates several cards in the background', async () => {
    const shop = await newProject()
    const program = await newProgram(shop, { points: 5, vouchers_count: 3 })
    expect(program).toMatchObject({ vouchers_count: 0, creation_status: 'IN_PROGRESS' })
    await runCampaignJobs(shop)
    expect(await ok(shop, 'GET', `/v1/loyalties/${program.id}`)).toMatchObject({
      vouchers_count: 3,
      vouchers_generation_status: 'DONE',
    })
    expect((await ok(shop, 'GET', `/v1/loyalties/${program.id}/members`)).total).toBe(3)
  })

  test.each<[body: object, status: number, key: string, details: RegExp]>([
    [{ ...cardOf(0) }, 400, 'invalid_payload', /'name'/],
    [{ name: 'C' }, 400, 'invalid_campaign', /'voucher'/],
    [{ name: 'C', voucher: { loyalty_card: { points: 1 } } }, 400, 'invalid_payload', /'type'/],
    [{ name: 'C', voucher: { type: 'LOYALTY_CARD' } }, 400, 'invalid_campaign', /'loyalty_card' is required/],
    [{ name: 'C', voucher: { type: 'LOYALTY_CARD', loyalty_card: {} } }, 400, 'invalid_payload', /'points'/],
    [{ name: 'C', ...cardOf(-1) }, 400, 'invalid_payload', /\.voucher\.loyalty_card\.points/],
    [{ name: 'C', ...cardOf('-1') }, 400, 'invalid_payload', /\.voucher\.loyalty_card\.points/],
    [{ name: 'C', ...cardOf(1.5) }, 400, 'invalid_payload', /\.points must be integer/],
    [{ name: 'C', voucher: { type: 'GIFT_VOUCHER', gift: { amount: 1 } } }, 400, 'invalid_campaign', /LOYALTY_CARD/],
    [{ name: 'C', ...cardOf(0), campaign_type: 'GIFT_VOUCHERS' }, 400, 'invalid_payload', /\.campaign_type/],
    [{ name: 'C', ...cardOf(0), type: 'STANDALONE' }, 400, 'invalid_campaign', /STANDALONE/],
    [{ name: 'C', ...cardOf(0), vouchers_count: -1 }, 400, 'invalid_payload', /\.vouchers_count/],
    [{ name: 'C', ...cardOf(0), category_id: 'cat_1' }, 404, 'not_found', /category/],
    [{ name: 'Taken', ...cardOf(0) }, 409, 'duplicate_found', /Taken/],
    [
      { name: 'C', voucher: { ...cardOf(0).voucher, code_config: { charset: '' } } },
      400,
      'invalid_code_config',
      /charset/,
    ],
    [
      { name: 'C', ...cardOf(0, { expiration_rules: { period_type: 'MONTH' } }) },
      400,
      'invalid_payload',
      /'period_value'/,
    ],
    [
      { name: 'C', ...cardOf(0, { expiration_rules: { ...byMonth, rounding_type: 'PARTICULAR_MONTH' } }) },
      400,
      'invalid_campaign',
      /'rounding_value'/,
    ],
    [
      {
        name: 'C',
        ...cardOf(0, { expiration_rules: { period_type: 'FIXED_DAY_OF_YEAR', fixed_month: 13, fixed_day: 1 } }),
      },
      400,
      'invalid_payload',
      /fixed_month/,
    ],
  ])('%j is refused', async (body, status, key, details) => {
    const shop = await newProject()
    await ok(shop, 'POST', '/v1/loyalties', { name: 'Taken', ...cardOf(0) })
    const answer = await shop.call('POST', '/v1/loyalties', body)
    expect(answer).toMatchObject({ status, body: { key, details: expect.stringMatching(details) } })
    expect((await ok(shop, 'GET', '/v1/loyalties')).total).toBe(1)
  })
})

describe('reading programs', () => {
  test('returns 404 for campaigns of another type', async () => {
    const shop = await newProject()
    await newCampaign(shop, 'Coupons')
    const { id } = await newProgram(shop)
    for (const key of ['Coupons', 'camp_1'])
      for (const [method, path] of [
        ['GET', ''],
        ['PUT', ''],
        ['DELETE', ''],
        ['GET', '/members'],
        ['POST', '/members'],
        ['GET', '/members/X'],
      ] as const)
        expect(await shop.call(method, `/v1/loyalties/${key}${path}`, method === 'GET' ? undefined : {})).toMatchObject(
          {
            status: 404,
            body: { key: 'not_found', resource_type: 'campaign', details: `Cannot find campaign with id ${key}` },
          },
        )
    expect(await ok(shop, 'GET', '/v1/loyalties')).toMatchObject({ total: 1, campaigns: [{ id }] })
  })

  test('lists the category only on request, and never the rules', async () => {
    const shop = await newProject()
    await newProgram(shop, { category: 'Trees' })
    const listed = async (query: string) => (await ok(shop, 'GET', `/v1/loyalties${query}`)).campaigns[0]
    for (const query of ['', '?expand=access_settings_assignments'])
      expect(await listed(query)).toMatchObject({
        category: 'Trees',
        categories: [],
        access_settings_assignments: nothing,
      })
    expect(await listed('?expand=category')).toMatchObject({ category: 'Trees', categories: [{ name: 'Trees' }] })
    expect(await listed('')).not.toHaveProperty('validation_rules_assignments')
    expect(await ok(shop, 'GET', '/v1/loyalties?filters[campaigns][conditions][$is]=X')).toMatchObject({ total: 1 })
    expect(await shop.call('GET', '/v1/loyalties?expand=moon')).toMatchObject({
      status: 400,
      body: { key: 'invalid_query_params' },
    })
  })

  test('pages are stable while programs are created', async () => {
    const shop = await newProject()
    await newCampaign(shop, 'Coupons')
    await expectStablePaging({
      shop,
      path: '/v1/loyalties',
      orders: ['created_at', '-created_at', 'updated_at', '-updated_at'],
      data_ref: 'campaigns',
      async create(n) {
        const { id } = await newProgram(shop)
        if (n % 2 === 0) await ok(shop, 'PUT', `/v1/loyalties/${id}`, { description: `No. ${n}` })
        return id
      },
    })
    const [first, second] = [
      await ok(shop, 'GET', '/v1/loyalties?limit=2'),
      await ok(shop, 'GET', '/v1/loyalties?limit=2&page=2'),
    ]
    expect(new Set([...namesOf(first), ...namesOf(second)]).size).toBe(4)
    expect(namesOf(first)).not.toContain('Coupons')
  })
})

describe('changing a program', () => {
  test('changes the members sent, and skips unknown and immutable ones', async () => {
    const shop = await newProject()
    const { updated_at: _, ...before } = await newProgram(shop, { name: 'Club', points: 5, metadata: { a: 1, b: 2 } })
    const skipped = {
      name: 'Another',
      join_once: false,
      campaign_type: 'PROMOTION',
      discount: 'nonsense',
      gift: 7,
      default_voucher_redemption: { quantity: 3 },
      moon: {},
      vouchers_count: 9,
      active: false,
    }
    expect(await ok(shop, 'PUT', '/v1/loyalties/Club', skipped)).toEqual({
      ...before,
      updated_at: instant,
      warnings: expect.any(Array),
    })

    const changes = {
      description: 'New',
      type: 'STATIC',
      auto_join: true,
      category: 'Trees',
      start_date: '2026-01-01T00:00:00.000Z',
      validity_hours: { daily: [{ start_time: '08:00', days_of_week: [1], expiration_time: '12:00' }] },
      activity_duration_after_publishing: 'P1M',
    }
    const after = await ok(shop, 'PUT', '/v1/loyalties/Club', {
      ...changes,
      metadata: { b: 3, c: 4 },
      unset_metadata_fields: ['a'],
      loyalty_card: { points: '50', expiration_rules: byMonth },
    })
    expect(after).toMatchObject({ ...changes, metadata: { b: 3, c: 4 }, categories: [{ name: 'Trees' }] })
    expect(after.voucher).toMatchObject({ start_date: changes.start_date, validity_hours: changes.validity_hours })
    expect(after.voucher.loyalty_card).toEqual({ points: 50, expiration_rules: byMonth })
    expect(await ok(shop, 'GET', '/v1/loyalties/Club')).toEqual(after)

    const later = await ok(shop, 'PUT', '/v1/loyalties/Club', {
      unset_metadata_fields: null,
      description: null,
      category: null,
      loyalty_card: { points: 60 },
    })
    expect(later).toMatchObject({ type: 'STATIC', metadata: { b: 3, c: 4 }, categories: [] })
    expect(later).not.toHaveProperty('description')
    expect(later.voucher.loyalty_card).toEqual({ points: 60, expiration_rules: byMonth })
    expect(await shop.call('PUT', '/v1/loyalties/Club', { type: 'STANDALONE' })).toMatchObject({
      status: 400,
      body: { key: 'invalid_campaign' },
    })
    const { voucher } = await ok(shop, 'PUT', '/v1/loyalties/Club', { loyalty_card: { expiration_rules: null } })
    expect(voucher.loyalty_card).toEqual({ points: 60 })
    expect((await eventsOf(shop)).filter((type) => type === 'campaign.updated')).toHaveLength(4)
  })

  test.each<[body: object, key: string]>([
    [{ loyalty_card: { points: -1 } }, 'invalid_payload'],
    [{ loyalty_card: null }, 'invalid_payload'],
    [{ loyalty_card: { expiration_rules: { ...byMonth, rounding_type: 'PARTICULAR_MONTH' } } }, 'invalid_campaign'],
    [{ auto_join: null }, 'invalid_payload'],
    [{ expiration_date: 'soon' }, 'invalid_payload'],
    [{ start_date: '2026-01-02', expiration_date: '2026-01-01' }, 'invalid_campaign'],
    [{ options: { recalculate_tiers: 'yes' } }, 'invalid_payload'],
  ])('%j is refused', async (body, key) => {
    const shop = await newProject()
    const program = await newProgram(shop)
    expect(await shop.call('PUT', `/v1/loyalties/${program.id}`, body)).toMatchObject({ status: 400, body: { key } })
    expect(await ok(shop, 'GET', `/v1/loyalties/${program.id}`)).toEqual(program)
  })

  test.each(['loyalties', 'campaigns'])(
    'new initial points apply to unpublished cards, and the postings add up (/v1/%s)',
    async (tree) => {
      const shop = await newProject()
      const program = await newProgram(shop, { points: 30, vouchers_count: 2 })
      await runCampaignJobs(shop)
      const { code } = await newMember(shop, program, 'anna')
      await shop.call('POST', `/v1/campaigns/${program.id}/vouchers/EMPTY`, {})

      for (const points of [45, 10, 0, 20]) {
        const change = { loyalty_card: { points } }
        expect(await ok(shop, 'PUT', `/v1/${tree}/${program.id}`, change)).toMatchObject({
          creation_status: 'MODIFYING',
        })
        await runCampaignJobs(shop)
        const { vouchers } = await ok(shop, 'GET', `/v1/loyalties/${program.id}/members`)
        expect(vouchers).toHaveLength(3)
        for (const each of vouchers) {
          const expected = each.code === code ? 30 : points
          expect(each.loyalty_card).toEqual({ points: expected, balance: expected })
          expect(await ledgerOf(shop, each.id)).toEqual({ lots: { never: expected }, posted: expected })
        }
      }
      // Expiration rules are read when points are credited: no card has to be updated.
      const rules = { loyalty_card: { expiration_rules: byMonth } }
      expect(await ok(shop, 'PUT', `/v1/${tree}/${program.id}`, rules)).toMatchObject({ creation_status: 'DONE' })
    },
  )

  test('a card without initial points gets postings with its first points', async () => {
    const shop = await newProject()
    const program = await newProgram(shop, { points: 0, vouchers_count: 1 })
    const { vouchers } = await ok(shop, 'GET', `/v1/loyalties/${program.id}/members`)
    expect(await ledgerOf(shop, vouchers[0].id)).toEqual({ lots: {}, posted: 0 })
    await ok(shop, 'PUT', `/v1/loyalties/${program.id}`, { loyalty_card: { points: 8 } })
    await runCampaignJobs(shop)
    expect(await ledgerOf(shop, vouchers[0].id)).toEqual({ lots: { never: 8 }, posted: 8 })
  })

  test('a protected program can neither be changed nor deleted', async () => {
    const shop = await newProject()
    const { id } = await newProgram(shop)
    await shop.service.runtime.database.db
      .updateTable('campaigns')
      .set({ protected: true })
      .where('project_id', '=', shop.project_id)
      .execute()
    for (const method of ['PUT', 'DELETE'])
      expect(await shop.call(method, `/v1/loyalties/${id}`, method === 'PUT' ? {} : undefined)).toMatchObject({
        status: 400,
        body: { key: 'resource_protected' },
      })
  })
})

/** The lots of a card by date, and the sum of its postings; each posting refers to its lot. */
async function ledgerOf({ service, project_id }: Shop, voucherId: string) {
  const { db } = service.runtime.database
  const lots = await db
    .selectFrom('lots')
    .where('project_id', '=', project_id)
    .where('voucher_id', '=', voucherId as `v_${string}`)
    .selectAll()
    .execute()
  const postings = await db
    .selectFrom('postings')
    .where('project_id', '=', project_id)
    .where('voucher_id', '=', voucherId as `v_${string}`)
    .selectAll()
    .execute()
  expect(postings.every(({ lot_id }) => lots.some(({ id }) => id === lot_id))).toBe(true)
  return {
    lots: Object.fromEntries(lots.map(({ expires_at, points }) => [expires_at ?? 'never', points])),
    posted: postings.reduce((sum, { destination, amount }) => sum + (destination === voucherId ? amount : -amount), 0),
  }
}

describe('tier settings', () => {
  const custom = { type: 'CUSTOM', extend: 'P3M' }
  const balance = (expirationDate: object, more: object = {}) => ({
    qualification_type: 'BALANCE',
    expiration_date: expirationDate,
    ...more,
  })
  const period = (expirationDate: object, more: object = {}) => ({
    qualification_type: 'POINTS_IN_PERIOD',
    qualification_period: 'QUARTER',
    start_date: { type: 'NEXT_PERIOD' },
    expiration_date: expirationDate,
    ...more,
  })

  /** Sends the settings to every endpoint that accepts them: the status of each response, and on 200 the stored settings. */
  async function inEachWay(settings: object): Promise<Array<{ status: number; key?: string; settings?: object }>> {
    const shop = await newProject()
    const { id } = await newProgram(shop, { name: 'Club' })
    const body = { name: 'Other', ...cardOf(0), loyalty_tiers_expiration: settings }
    const answers = [
      await shop.call('POST', '/v1/loyalties', body),
      await shop.call('POST', '/v1/campaigns', { ...body, name: 'Third' }),
      await shop.call('PUT', `/v1/loyalties/${id}`, { loyalty_tiers_expiration: settings }),
      await shop.call('PUT', `/v1/campaigns/${id}`, { loyalty_tiers_expiration: settings }),
    ]
    return answers.map(({ status, body }) =>
      status === 200
        ? { status, settings: body.loyalty_tiers_expiration }
        : { status, key: body.key, settings: body.details },
    )
  }

  test.each<[settings: object, stored?: object]>([
    [balance({ type: 'BALANCE_DROP' })],
    [balance({ type: 'BALANCE_DROP' }, { start_date: { type: 'IMMEDIATE' } })],
    [
      balance({ type: 'BALANCE_DROP', extend: null, rounding: null, moon: 1 }, { qualification_period: null }),
      balance({ type: 'BALANCE_DROP' }),
    ],
    [balance(custom)],
    [balance({ ...custom, extend: 'P0M' })],
    [
      balance({ ...custom, rounding: { type: 'QUARTER' } }),
      balance({ ...custom, rounding: { type: 'QUARTER', strategy: 'END' } }),
    ],
    [balance({ ...custom, rounding: { type: 'YEAR', strategy: 'START' } })],
    [
      balance({ ...custom, rounding: { type: 'CUSTOM', unit: 'MONTH', value: 11, strategy: null } }),
      balance({ ...custom, rounding: { type: 'CUSTOM', strategy: 'END', unit: 'MONTH', value: 11 } }),
    ],
    [period({ type: 'END_OF_PERIOD' })],
    [period({ type: 'END_OF_NEXT_PERIOD', extend: 'P10D' }, { start_date: { type: 'IMMEDIATE' } })],
  ])('%j', async (settings, stored = settings) => {
    for (const answer of await inEachWay(settings)) expect(answer).toEqual({ status: 200, settings: stored })
  })

  test.each<[settings: object, details: RegExp]>([
    [{}, /'qualification_type'/],
    [{ expiration_date: { type: 'BALANCE_DROP' } }, /'qualification_type'/],
    [{ qualification_type: 'MOON' }, /\.qualification_type/],
    [
      balance({ type: 'BALANCE_DROP' }, { qualification_period: 'MONTH' }),
      /\.qualification_period is not allowed for BALANCE/,
    ],
    [balance({ type: 'BALANCE_DROP' }, { start_date: { type: 'NEXT_PERIOD' } }), /\.start_date\.type/],
    [balance({ type: 'END_OF_PERIOD' }), /\.expiration_date\.type/],
    [balance({ type: 'END_OF_NEXT_PERIOD' }), /\.expiration_date\.type/],
    [balance({ type: 'BALANCE_DROP', extend: 'P3M' }), /\.extend is not allowed for BALANCE_DROP/],
    [balance({ type: 'BALANCE_DROP', rounding: { type: 'MONTH' } }), /\.rounding is not allowed for BALANCE_DROP/],
    [balance({ type: 'CUSTOM' }), /'extend'/],
    [balance({ ...custom, extend: 'PT3H' }), /\.extend/],
    [balance({ ...custom, extend: 'P999999999M' }), /\.extend is too long/],
    [balance({ ...custom, rounding: { type: 'WEEK' } }), /\.rounding\.type/],
    [balance({ ...custom, rounding: { type: 'MONTH', strategy: 'MIDDLE' } }), /\.rounding\.strategy/],
    [balance({ ...custom, rounding: { type: 'CUSTOM', unit: 'MONTH', value: 12 } }), /\.rounding\.value/],
    [balance({ ...custom, rounding: { type: 'CUSTOM', unit: 'MONTH' } }), /'value'/],
    [period({ type: 'END_OF_PERIOD' }, { qualification_period: undefined }), /'qualification_period'/],
    [period({ type: 'END_OF_PERIOD' }, { qualification_period: 'WEEK' }), /\.qualification_period/],
    [period({ type: 'BALANCE_DROP' }), /\.expiration_date\.type/],
    [period(custom), /\.expiration_date\.type/],
    [period({ type: 'END_OF_PERIOD', rounding: { type: 'MONTH' } }), /\.rounding is not allowed for END_OF_PERIOD/],
    [period({ type: 'END_OF_PERIOD', extend: 'P9999999D' }), /\.extend is too long/],
  ])('%j is refused', async (settings, details) => {
    for (const answer of await inEachWay(settings))
      expect(answer).toEqual({ status: 400, key: 'invalid_payload', settings: expect.stringMatching(details) })
  })
})

test.each(['loyalties', 'campaigns'])(
  'new tier settings apply to members only if recalculation is requested (PUT /v1/%s)',
  async (tree) => {
    const shop = await newProject()
    const program = await newProgram(shop, { points: 120, ...onDrop })
    await newTiers(shop, program, { Bronze: [0, 99], Silver: [100] })
    const { code } = await newMember(shop, program, 'anna')
    const lastDay = async () => (await tierOf(shop, code)).expiration.expiration_date
    const moved = async () => (await emittedEvents(shop, 'customer.loyalty.tier.expiration.changed')).length
    expect(await lastDay()).toBeUndefined()

    const put = (body: object) => ok(shop, 'PUT', `/v1/${tree}/${program.id}`, body)
    for (const options of [undefined, null, {}, { recalculate_tiers: null }, { recalculate_tiers: false }])
      await put({ ...tierLasting('P2M'), options })
    await put({ options: { recalculate_tiers: true } })
    expect([await lastDay(), await moved()]).toEqual([undefined, 0])
    await put({ ...tierLasting('P2M'), options: { recalculate_tiers: true } })
    expect([await lastDay(), await moved()]).toEqual([expect.stringMatching(/^\d{4}-\d\d-\d\d$/), 1])
  },
)

describe('deleting a program', () => {
  test('deletes its cards too; its name stays taken unless the program is deleted for good', async () => {
    const shop = await newProject()
    const program = await newProgram(shop, { name: 'Club', points: 5 })
    const { code } = await newMember(shop, program, 'anna')
    const answer = await shop.call('DELETE', '/v1/loyalties/Club')
    expect(answer).toMatchObject({ status: 200, body: { async_action_id: expect.stringMatching(/^aa_/) } })
    for (const path of ['/v1/loyalties/Club', `/v1/loyalties/members/${code}`, '/v1/loyalties/Club/members'])
      expect((await shop.call('GET', path)).status).toBe(404)
    await runCampaignJobs(shop)
    expect(await shop.call('POST', '/v1/loyalties', { name: 'Club', ...cardOf(0) })).toMatchObject({ status: 409 })

    const other = await newProgram(shop, { name: 'Other', points: 5 })
    await newMember(shop, other, 'anna')
    expect((await shop.call('DELETE', '/v1/loyalties/Other?force=true')).status).toBe(200)
    await runCampaignJobs(shop)
    await ok(shop, 'POST', '/v1/loyalties', { name: 'Other', ...cardOf(0) })
    expect((await eventsOf(shop)).filter((type) => type.endsWith('.deleted'))).toEqual([
      'campaign.deleted',
      'campaign.deleted',
    ])
  })
  test('deletes its earning rules, tiers and reward assignments at once, and what they refer to can be deleted', async () => {
    const shop = await newProject()
    const program = await newProgram(shop, { name: 'Club' })
    const segment = await ok(shop, 'POST', '/v1/segments', { name: 'Friends', type: 'static', customers: [] })
    const rule = await ok(shop, 'POST', '/v1/validation-rules', { name: 'Rich', rules: { logic: '' } })
    await newEarningRules(
      shop,
      program,
      fixed(5, { event: 'customer.segment.entered', segment: { id: segment.id }, validation_rule_id: rule.id }),
    )
    await newTiers(shop, program, { Bronze: [0, 99], Silver: [100] })
    await assign(shop, program, await newMaterial(shop), 50)
    await newMember(shop, program, 'anna')
    const inUse = async () => (await shop.call('DELETE', `/v1/segments/${segment.id}`)).status
    expect(await inUse()).toBe(400)

    expect((await shop.call('DELETE', '/v1/loyalties/Club')).status).toBe(200)
    expect(await inUse()).toBe(204)
    expect((await ok(shop, 'GET', '/v1/validation-rules-assignments')).total).toBe(0)
    const { db } = shop.service.runtime.database
    for (const table of ['earning_rules', 'loyalty_tiers', 'reward_assignments'] as const)
      expect(await db.selectFrom(table).where('project_id', '=', shop.project_id).select('id').execute()).toEqual([])
    const gone = await db
      .selectFrom('configuration_deletions')
      .where('project_id', '=', shop.project_id)
      .select('object_type')
      .execute()
    expect(gone.map(({ object_type }) => object_type)).toEqual(
      expect.arrayContaining(['earning_rule', 'loyalty_tier', 'loyalty_tier', 'reward_assignment']),
    )
    await runCampaignJobs(shop)
  })
})
