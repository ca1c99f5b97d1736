import { expect, test } from 'vitest'
import { newId } from '../../core/lib/ids.ts'
import { newProject, type Shop } from '../../testing/app.ts'
import { newCampaign } from '../../testing/campaigns.ts'
import { followExport, readExport, workOnExports } from '../../testing/exports.ts'
import { type HeldCard, insertRow, newCardCampaign, newHeldCard } from '../../testing/member-rows.ts'
import { expectStablePaging } from '../../testing/paging.ts'

/** Noon of a day in May 2031. */
async function insertTransaction(shop: Shop, card: HeldCard, day: number, row: Record<string, unknown> = {}) {
  const createdAt = new Date(Date.UTC(2031, 4, day, 12)).toISOString()
  const id = newId('transaction', Date.parse(createdAt))
  const balance = {
    type: 'loyalty_card',
    total: day,
    object: 'balance',
    points: day,
    balance: day,
    operation_type: 'MANUAL',
    related_object: { id: card.id, type: 'voucher' },
  }
  await insertRow(shop, 'voucher_transactions', {
    id,
    voucher_id: card.id,
    campaign_id: card.campaign_id,
    type: 'POINTS_ADDITION',
    amount: day,
    balance: day,
    details: { balance, holder_loyalty_tier: { id: 'ltr_1', name: 'Silver' } },
    created_at: createdAt,
    ...row,
  })
  return id
}

/** Shared by all tests that only read. */
const threeDays = () => (cachedDays ??= makeThreeDays())
let cachedDays: ReturnType<typeof makeThreeDays> | undefined

async function makeThreeDays() {
  const shop = await newProject()
  const program = await newCardCampaign(shop)
  const [card, neighbour] = [await newHeldCard(shop, program), await newHeldCard(shop, program)]
  const ids = [
    await insertTransaction(shop, card, 1),
    await insertTransaction(shop, neighbour, 2),
    await insertTransaction(shop, card, 3, { source_id: 'till-7', reason: 'sorry', source: 'API' }),
  ] as const
  await insertTransaction(shop, await newHeldCard(shop, await newCardCampaign(shop)), 4)
  const paths = {
    program: `/v1/loyalties/${program.id}/transactions`,
    both: `/v1/loyalties/${program.id}/members/${card.code}/transactions`,
    member: `/v1/loyalties/members/${card.code}/transactions`,
  }
  return { shop, program, card, neighbour, ids, paths }
}

const idsIn = (body: { data: Array<{ id: string }> }) => body.data.map(({ id }) => id)

test('lists transactions of a card or a program, the newest first', async () => {
  const { shop, program, card, ids, paths } = await threeDays()
  const { body } = await shop.call('GET', `${paths.member}?limit=1`)
  expect(body).toEqual({
    object: 'list',
    data_ref: 'data',
    data: [
      {
        id: ids[2],
        source_id: 'till-7',
        voucher_id: card.id,
        campaign_id: program.id,
        source: 'API',
        reason: 'sorry',
        type: 'POINTS_ADDITION',
        details: {
          balance: expect.objectContaining({ type: 'loyalty_card', points: 3, operation_type: 'MANUAL' }),
          holder_loyalty_tier: { id: 'ltr_1', name: 'Silver' },
        },
        related_transaction_id: null,
        created_at: '2031-05-03T12:00:00.000Z',
      },
    ],
    has_more: true,
    more_starting_after: ids[2],
  })
  expect(idsIn((await shop.call('GET', `${paths.both}?order=id`)).body)).toEqual([ids[0], ids[2]])
  expect(idsIn((await shop.call('GET', paths.program)).body)).toEqual(ids.toReversed())
})

test('filters transactions', async () => {
  const { shop, neighbour, ids, paths } = await threeDays()
  const [first, second, third] = ids
  const cases: Array<[path: string, filters: string, found: readonly string[]]> = [
    [
      paths.program,
      `filters[id][conditions][$in][0]=${first}&filters[id][conditions][$in][1]=${second}`,
      [second, first],
    ],
    [paths.program, `filters[id][conditions][$is_not]=${first}`, [third, second]],
    [paths.program, `filters[id][conditions][$ends_with]=${second.slice(-6)}`, [second]],
    [paths.program, `filters[voucher_id][conditions][$is]=${neighbour.id}`, [second]],
    [
      paths.program,
      `filters[junction]=or&filters[voucher_id][conditions][$is]=${neighbour.id}&filters[id][conditions][$is]=${first}`,
      [second, first],
    ],
    [paths.program, `filters[voucher_id][conditions][$is]=${neighbour.id}&filters[id][conditions][$is]=${first}`, []],
    [paths.member, 'filters[created_at][conditions][$after]=2031-05-02', [third]],
    [paths.both, 'filters[created_at][conditions][$before]=2031-05-02', [first]],
    [paths.member, 'filters[created_at][conditions][$has_value]=true', [third, first]],
    [paths.member, `filters[id][conditions][$is]=${second}`, []], // of another card
  ]
  for (const [path, filters, found] of cases)
    expect(idsIn((await shop.call('GET', `${path}?${filters}`)).body), filters).toEqual(found)
})

test.each<[path: 'program' | 'both' | 'member', filters: string]>([
  ['program', 'filters[created_at][conditions][$after]=2031-05-02'],
  ['member', 'filters[voucher_id][conditions][$is]=v_1'],
  ['both', 'filters[id][conditions][$nonsense]=1'],
])('%s refuses ?%s', async (path, filters) => {
  const { shop, paths } = await threeDays()
  expect(await shop.call('GET', `${paths[path]}?${filters}`)).toMatchObject({
    status: 400,
    body: { key: 'invalid_query_params' },
  })
})

test.each<[of: 'program' | 'both' | 'member']>([['program'], ['both'], ['member']])(
  'pages are stable while transactions are added, %s',
  async (of) => {
    const { shop, card, paths } = await makeThreeDays()
    await expectStablePaging({
      shop,
      path: paths[of],
      orders: ['-id', 'id'],
      data_ref: 'data',
      create: (n) => insertTransaction(shop, card, 5 + (n % 20)),
    })
  },
)

test('a campaign without points is accepted, but has no transactions', async () => {
  const shop = await newProject()
  const { id } = await newCampaign(shop, 'Coupons')
  expect(await shop.call('GET', `/v1/loyalties/${id}/transactions`)).toMatchObject({
    status: 200,
    body: { object: 'list', data_ref: 'data', data: [], total: 0 },
  })
  expect(await shop.call('POST', '/v1/loyalties/Coupons/transactions/export', {})).toMatchObject({
    status: 403,
    body: { key: 'forbidden', details: 'Transactions are allowed only for loyalty or gift campaigns' },
  })
  expect(await shop.call('GET', '/v1/loyalties/nowhere/transactions')).toMatchObject({ status: 404 })
})

async function exportTo(shop: Shop, path: string, body?: object) {
  const answer = await shop.call('POST', `${path}/export`, body)
  expect(answer).toMatchObject({ status: 200, body: { exported_object: 'voucher_transactions', result: null } })
  await workOnExports(shop)
  const { result } = await readExport(shop, answer.body.id)
  return { parameters: answer.body.parameters, csv: (await followExport(shop, result?.url ?? '')).body }
}

test('an export without a body is limited only by its path', async () => {
  const { shop, program, card, paths, ids } = await threeDays()
  const ofProgram = await exportTo(shop, paths.program)
  expect(ofProgram.parameters).toEqual({ filters: { campaign_id: { conditions: { $in: [program.id] } } } })
  const [header, ...rows] = ofProgram.csv.trimEnd().split('\n')
  expect(header).toBe('ID,Type,Source ID,Reason,Source,Balance,Amount,Created At')
  expect(rows.map((row) => row.slice(0, row.indexOf(',')))).toEqual(ids.toReversed())
  expect(rows[0]).toBe(`${ids[2]},POINTS_ADDITION,till-7,sorry,API,3,3,2031-05-03T12:00:00.000Z`)
  for (const [path, key] of [
    [paths.both, card.code],
    [paths.member, card.code],
    [`/v1/loyalties/members/${card.id}/transactions`, card.id],
  ] as const) {
    const { parameters, csv } = await exportTo(shop, path)
    expect(parameters).toEqual({ filters: { voucher_id: { conditions: { $in: [key] } } } })
    expect(csv.split('\n'), path).toHaveLength(1 + 2 + 1)
  }
})

test('an export applies its parameters within the limits of its path', async () => {
  const { shop, program, neighbour, paths } = await threeDays()
  const filters = { junction: 'or', voucher_id: { conditions: { $is: neighbour.id } } }
  const asked = { order: 'created_at', fields: ['amount', 'voucher_id'], filters }
  const ofProgram = await exportTo(shop, paths.program, { parameters: asked })
  expect(ofProgram.parameters).toEqual({
    ...asked,
    filters: { ...filters, campaign_id: { conditions: { $in: [program.id] } } },
  })
  expect(ofProgram.csv).toBe(`Amount,Voucher ID\n2,${neighbour.id}\n`)
  const ofMember = await exportTo(shop, paths.member, { parameters: { ...asked, fields: ['amount'] } })
  expect(ofMember.csv).toBe('Amount\n') // a card of another customer
  const byDate = {
    created_at: { conditions: { $after: '2031-05-02' } },
    campaign_id: { conditions: { $is: program.id } },
  }
  expect((await exportTo(shop, paths.member, { parameters: { fields: ['amount'], filters: byDate } })).csv).toBe(
    'Amount\n3\n',
  )
})

test('exports include gift cards', async () => {
  const shop = await newProject()
  const campaign = await newCardCampaign(shop, { type: 'GIFT_VOUCHER', gift: { amount: 500 } })
  const { code } = await newHeldCard(shop, campaign)
  await shop.call('POST', `/v1/vouchers/${code}/balance`, { amount: -200 })
  const { csv } = await exportTo(shop, `/v1/loyalties/${campaign.id}/transactions`, {
    parameters: { fields: ['type', 'amount', 'balance'] },
  })
  expect(csv).toBe('Type,Amount,Balance\nCREDITS_REMOVAL,-200,300\n')
})

test.each<[parameters: object, key: string]>([
  [{ fields: ['points'] }, 'invalid_export_fields'],
  [{ order: 'amount' }, 'invalid_payload'],
  [{ filters: { type: { conditions: { $is: 'POINTS_REMOVAL' } } } }, 'invalid_payload'],
])('an export of %o is refused', async (parameters, key) => {
  const { shop, paths } = await threeDays()
  for (const path of Object.values(paths))
    expect(await shop.call('POST', `${path}/export`, { parameters })).toMatchObject({ status: 400, body: { key } })
})

test('relative days are in the time zone of the project', async () => {
  const { shop, ids, paths } = await threeDays()
  shop.service.clock.set('2031-05-05T10:00:00Z')
  const ago = async (operator: string, days: number) =>
    idsIn((await shop.call('GET', `${paths.member}?filters[created_at][conditions][${operator}]=${days}`)).body)
  expect(await ago('$more_than', 3)).toEqual([ids[0]])
  expect(await ago('$less_than', 3)).toEqual([ids[2]])
})
