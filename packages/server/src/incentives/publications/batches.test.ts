import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { newProject, type Shop } from '../../testing/app.ts'
import { statementsSentBy } from '../../testing/sent-statements.ts'

const discount = { type: 'DISCOUNT_VOUCHER', discount: { type: 'AMOUNT', amount_off: 700 } }

async function called(shop: Shop, method: string, path: string, body?: unknown, headers?: Record<string, string>) {
  const answer = await shop.call(method, path, body, headers)
  expect(answer.status, `${method} ${path}: ${JSON.stringify(answer.body)}`).toBe(200)
  return answer.body
}

async function newCampaign(shop: Shop, name: string, codes: readonly string[], more: object = {}): Promise<void> {
  await called(shop, 'POST', '/v1/campaigns', { name, voucher: discount, ...more })
  for (const code of codes) await called(shop, 'POST', `/v1/campaigns/${name}/vouchers/${code}`, {})
}

/** A shop with all that a publication shows. */
async function newShop(): Promise<Shop> {
  const shop = await newProject()
  const { id: category } = await called(shop, 'POST', '/v1/categories', { name: 'Outlet', hierarchy: 1 })
  const rule = { name: 'All', rules: { '1': { name: 'order.amount', conditions: { $more_than: [100] } }, logic: '1' } }
  const { id: ruleId } = await called(shop, 'POST', '/v1/validation-rules', rule)
  await newCampaign(shop, 'Autumn', ['A1', 'A2', 'A3', 'A4', 'A5', 'A6'], {
    category_id: category,
    metadata: { season: 'autumn' },
    activity_duration_after_publishing: 'P10D',
  })
  await newCampaign(shop, 'Friends', ['F1', 'F2'], {
    campaign_type: 'REFERRAL_PROGRAM',
    join_once: true,
    referral_program: { conversion_event: { type: 'redemption' } },
  })
  await newCampaign(shop, 'Gifts', ['G1', 'G2'], { voucher: { type: 'GIFT_VOUCHER', gift: { amount: 500 } } })
  const { id: autumn } = await called(shop, 'GET', '/v1/campaigns/Autumn')
  await called(shop, 'POST', '/v1/vouchers/ALONE', { ...discount, category_id: category, metadata: { kind: 'single' } })
  const { id: alone } = await called(shop, 'GET', '/v1/vouchers/ALONE')
  for (const assigned of [
    { campaign: autumn },
    { voucher: alone },
    { voucher: (await called(shop, 'GET', '/v1/vouchers/A6')).id },
  ])
    await called(shop, 'POST', `/v1/validation-rules/${ruleId}/assignments`, assigned)
  await called(shop, 'POST', '/v1/customers', { source_id: 'anna', name: 'Anna', metadata: { shoe: 39 } })
  return shop
}

const requests: Array<[what: string, body: Record<string, unknown>, query?: string]> = [
  ['a known customer', { campaign: { name: 'Autumn', count: 1 }, customer: { source_id: 'anna' } }],
  ['a customer as text', { campaign: 'Autumn', customer: 'anna', metadata: { mail: 7, at: 'noon' }, channel: 'Mail' }],
  ['a new customer', { campaign: 'Autumn', customer: { source_id: 'bob' } }],
  [
    'a new customer with data',
    {
      campaign: 'Autumn',
      customer: {
        source_id: 'cleo',
        name: 'Cleo',
        birthdate: '2000-02-29',
        address: { city: 'Rome' },
        metadata: { a: 1 },
      },
    },
  ],
  [
    'new data of a known customer',
    { voucher: 'A6', customer: { source_id: 'anna', email: 'a@x.y', metadata: { b: 2 } } },
  ],
  ['the same data again', { campaign: 'Gifts', customer: { source_id: 'anna', email: 'a@x.y' } }],
  ['a named voucher with a rule', { voucher: 'ALONE', customer: 'anna' }],
  ['a referral code', { campaign: 'Friends', customer: 'anna' }],
  ['a customer that has joined', { campaign: 'Friends', customer: 'anna' }],
  ['another referral code', { voucher: 'F2', customer: 'bob' }, '?join_once=true'],
  ['a source id', { campaign: 'Autumn', customer: 'anna', source_id: 'mail-1' }],
  ['the same source id', { campaign: 'Autumn', customer: 'anna', source_id: 'mail-1' }],
]

/** Replaces what is different in every project: ids by the order in which they appear, moments and secrets of URLs. */
function normalise(texts: readonly string[]): string[] {
  const names = new Map<string, string>()
  return texts.map((text) =>
    text
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'MOMENT')
      .replace(/"position":\d+/g, 'TRANSACTION')
      .replace(/"url":"[^"]*images[^"]*"|"(?:qr|barcode)":\{[^}]*\}/g, 'IMAGE')
      .replace(/\b[a-z]+(?:_[a-z]+)?_[0-9A-Za-z]{12,}\b/g, (id) => {
        const name = names.get(id) ?? `${id.slice(0, id.lastIndexOf('_'))}#${names.size}`
        names.set(id, name)
        return name
      }),
  )
}

/** All events in the order in which they were emitted, as webhooks show them. */
async function eventTexts(shop: Shop): Promise<string[]> {
  const { rows } = await sql<{ text: string }>`
    select e.type || ' ' || e.entity_id || ' ' || coalesce(e.campaign_id, '') || ' ' || coalesce(e.voucher_id, '')
      || ' ' || event_text(e.data, p.parts) as text
    from event_rows e left join event_parts p on p.project_id = e.project_id and p.id = e.parts_id
    where e.project_id = ${shop.project_id} order by right(e.id, 18)`.execute(shop.service.runtime.database.db)
  return rows.map(({ text }) => text)
}

async function rowsOf(shop: Shop): Promise<string[]> {
  const { db } = shop.service.runtime.database
  const ordered = [
    sql`select to_jsonb(v) - '{asset_id,project_id,terms_id,config_version}'::text[] as row from vouchers v
      where project_id = ${shop.project_id} order by v.id`,
    sql`select to_jsonb(p) - 'project_id' as row from publications p where project_id = ${shop.project_id} order by p.id`,
    sql`select to_jsonb(h) - '{project_id,id}'::text[] as row from holders h
      where project_id = ${shop.project_id} order by h.voucher_id`,
    sql`select to_jsonb(c) - 'project_id' as row from customers c where project_id = ${shop.project_id} order by c.id`,
    sql`select to_jsonb(t) as row from (select name, sum(delta) as sum from tallies where project_id = ${shop.project_id}
      group by name order by name) t`,
  ]
  const rows: string[] = []
  for (const query of ordered)
    rows.push(...(await query.execute(db)).rows.map((row) => JSON.stringify((row as { row: object }).row)))
  return rows.map((row) => row.replace(/\d{4}-\d\d-\d\dT[\d:.]+\+00:00/g, 'MOMENT'))
}

/** With an Idempotency-Key, a request always runs in a transaction of its own. */
async function publishAll(shop: Shop, { alone }: { alone: boolean }): Promise<string[]> {
  const answers: string[] = []
  for (const [what, body, query = ''] of requests) {
    const headers: Record<string, string> = alone ? { 'idempotency-key': what } : {}
    answers.push(`${what}: ${JSON.stringify(await called(shop, 'POST', `/v1/publications${query}`, body, headers))}`)
  }
  return answers
}

test('a publication in a batch answers, emits and stores exactly the same as one in a transaction of its own', async () => {
  const [alone, batched] = [await newShop(), await newShop()]
  const results: string[][] = []
  for (const shop of [alone, batched]) {
    const answers = await publishAll(shop, { alone: shop === alone })
    results.push(normalise([...answers, ...(await eventTexts(shop)), ...(await rowsOf(shop))]))
  }
  expect(results[1]).toEqual(results[0])
})

test('a publication takes four round trips: begin, take, save, commit', async () => {
  const shop = await newShop()
  await called(shop, 'POST', '/v1/publications', { campaign: 'Autumn', customer: 'anna' }) // reads the configuration
  const bodies = [
    { campaign: 'Autumn', customer: 'anna' },
    { campaign: 'Autumn', customer: { source_id: 'new' } },
    { campaign: 'Gifts', customer: 'anna', source_id: 'mail-1', metadata: { a: 1 } },
    { campaign: 'Friends', customer: 'anna' },
    { voucher: 'A4', customer: 'anna' },
  ]
  for (const body of bodies) {
    const { sent } = await statementsSentBy(() => called(shop, 'POST', '/v1/publications', body))
    expect(sent).toEqual([
      'begin',
      expect.stringMatching(/^select publication_lock\(/),
      expect.stringMatching(/^select publication_write\(/),
      'commit',
    ])
  }
})

test('publications of an auto-update campaign without free vouchers skip the batch', async () => {
  const shop = await newProject()
  await newCampaign(shop, 'Auto', [], { type: 'AUTO_UPDATE' })
  // For a second only, which may be over on a busy machine: then the next call tries again.
  for (let n = 0; ; n += 1) {
    const body = { campaign: 'Auto', customer: { source_id: `new-${n}` } }
    const { sent } = await statementsSentBy(() => called(shop, 'POST', '/v1/publications', body))
    if (!sent.some((text) => text.includes('publication_lock'))) break
  }
})

test('requests of one batch do not get the same voucher, and a customer joins once, however it is named', async () => {
  const shop = await newShop()
  const { id: anna } = await called(shop, 'GET', '/v1/customers/anna')
  const publish = (body: object) => shop.call('POST', '/v1/publications', body)
  await publish({ voucher: 'ALONE', customer: 'zoe' }) // reads the configuration
  const answers = await Promise.all([
    // The first two are batches of one; while they are in flight, the others gather.
    publish({ campaign: 'Gifts', customer: 'zoe' }),
    publish({ campaign: 'Gifts', customer: 'zed' }),
    publish({ campaign: 'Autumn', customer: 'anna' }),
    ...['anna', anna, { id: anna }, { source_id: 'anna' }].map((customer) =>
      publish({ campaign: 'Friends', customer }),
    ),
    ...['A1', 'A2', 'A3', 'A4', 'A5', 'A6'].map((voucher) => publish({ voucher, customer: 'bob' })),
    ...[1, 2, 3].map(() => publish({ campaign: 'Autumn', customer: 'dan' })),
  ])
  const got = answers.filter(({ status }) => status === 200).map(({ body }) => body)
  const friends = got.filter(({ voucher }) => voucher.campaign === 'Friends')
  expect(friends).toHaveLength(4)
  expect(new Set(friends.map(({ id }) => id)).size).toBe(1)
  const codes = got.flatMap(({ voucher }) => (voucher.campaign === 'Autumn' ? [voucher.code] : []))
  expect(codes.sort()).toEqual(['A1', 'A2', 'A3', 'A4', 'A5', 'A6'])
  const failed = answers.filter(({ status }) => status !== 200).map(({ body }) => body.key)
  expect(failed).toHaveLength(4)
  expect(new Set([...failed, 'voucher_already_published', 'no_voucher_suitable_for_publication']).size).toBe(2)
  expect((await called(shop, 'GET', '/v1/publications?result=FAILURE')).total).toBe(4)
  expect((await called(shop, 'GET', '/v1/customers/bob/activities?type=customer.created')).total).toBe(1)
})

test('a request of a batch is refused without the others', async () => {
  const shop = await newShop()
  const definition = { type: 'number', optional: true, array: false, deleted: false }
  for (const relatedObject of ['customer', 'publication'])
    await shop.manage('POST', '/metadata-schemas', { related_object: relatedObject, properties: { shoe: definition } })
  const publish = (body: object) => shop.call('POST', '/v1/publications', { campaign: 'Autumn', ...body })
  const wrong = { shoe: 'large' }
  const answers = await Promise.all([
    publish({ customer: 'c0' }),
    publish({ customer: 'c1' }),
    publish({ customer: { source_id: 'anna', metadata: wrong } }),
    publish({ customer: { source_id: 'new', metadata: wrong } }),
    publish({ customer: 'c2', metadata: wrong }),
    publish({ customer: 'c3', channel: '\u0000' }),
    publish({ customer: 'c4' }),
  ])
  expect(answers.map(({ status, body }) => (status === 200 ? status : body.key))).toEqual([
    200,
    200,
    ...Array(3).fill('metadata_validation_failed'),
    expect.any(String),
    200,
  ])
  expect((await called(shop, 'GET', '/v1/publications')).total).toBe(3)
  expect((await called(shop, 'GET', '/v1/customers')).total).toBe(4)
})

test('a change of the configuration by another node counts at once', async () => {
  const shop = await newProject()
  await newCampaign(shop, 'Autumn', ['A1', 'A2'])
  await called(shop, 'POST', '/v1/publications', { campaign: 'Autumn', customer: 'anna' })
  // As another node does: this one learns it from the version only.
  const { db } = shop.service.runtime.database
  await sql`with project as (update projects set config_version = config_version + 1 where id = ${shop.project_id} returning config_version)
    update campaigns set join_once = true, config_version = project.config_version from project
    where campaigns.project_id = ${shop.project_id} and campaigns.name = 'Autumn'`.execute(db)
  const again = await called(shop, 'POST', '/v1/publications', { campaign: 'Autumn', customer: 'anna' })
  expect(again.voucher.code).toBe('A1')
  expect((await called(shop, 'GET', '/v1/publications')).total).toBe(1)
})

test('free codes are found by their index, though the last statistics were collected when all codes were free', async () => {
  const shop = await newProject()
  await newCampaign(shop, 'Autumn', ['A1'])
  const { db } = shop.service.runtime.database
  await sql`
    insert into vouchers (project_id, id, code, code_key, type, campaign_id, terms_id, active, is_referral_code, asset_id, created_at)
    select project_id, left(id, 20) || lpad(n::text, 14, '0'), 'C' || n, 'C' || n, type, campaign_id, terms_id, active,
      is_referral_code, gen_random_uuid(), created_at
    from vouchers, generate_series(1, 3000) as n where project_id = ${shop.project_id} and code = 'A1'`.execute(db)
  await sql`analyze vouchers`.execute(db)
  await sql`update vouchers set publish_count = 1 where project_id = ${shop.project_id} and code like 'C%'`.execute(db)
  const { rows } = await db.transaction().execute(async (trx) => {
    await sql`set local enable_seqscan = off`.execute(trx)
    return sql<{ 'QUERY PLAN': string }>`explain select id from vouchers
      where project_id = ${sql.lit(shop.project_id)} and campaign_id = (select id from campaigns where name = 'Autumn' limit 1)
        and publish_count = 0 and deleted_at is null and active order by id limit 1 for update skip locked`.execute(trx)
  })
  expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('using vouchers_free')
})
