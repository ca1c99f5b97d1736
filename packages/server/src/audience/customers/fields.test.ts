import { clockAt, compileFilter, filterOperators } from '@guerdon/engine'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ApiError } from '../../core/http/errors.ts'
import { newId } from '../../core/lib/ids.ts'
import { type Filter, filterSql, parseFilter } from '../../core/query/filter/filter.ts'
import { newProject } from '../../testing/app.ts'
import { asRequest } from '../../testing/background.ts'
import { scaled } from '../../testing/scale.ts'
import { customerFields, readField } from './fields.ts'
import { toFiltered } from './filtered.ts'

// A segment filter is evaluated in SQL for lists and in memory for the customer of a request. Both must give the same result.

const words = fc.constantFrom('', 'a', 'A', 'ab', 'a@corp.example', 'true', '5')
const numbers = fc.constantFrom(0, 1, 2, 5, 700, 1_001)
const days = fc.constantFrom('1990-03-01', '2024-02-29', '2025-02-26', '2025-02-27', '2025-01-27')
const moments = days.map((day) => `${day}T23:30:00.000Z`)
const scalars = fc.oneof(words, numbers, fc.boolean(), days, moments)
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 4 })

const anyCustomer = fc.record({
  source_id: maybe(fc.uuid()),
  name: maybe(words),
  description: maybe(words),
  email: maybe(fc.constantFrom('A@Corp.example', 'a@corp.example', 'b@x')),
  phone: maybe(words),
  birthdate: maybe(days),
  birthday: maybe(days),
  address: maybe(fc.record({ city: maybe(words), line_1: maybe(words) }, { requiredKeys: [] })),
  metadata: fc.dictionary(fc.constantFrom('k', 'constructor', 'a.b'), fc.oneof(scalars, fc.array(scalars, { maxLength: 2 })), { noNullPrototype: true }), // biome-ignore format: one value
  system_metadata: fc.dictionary(fc.constant('s'), words, { noNullPrototype: true }),
  orders_total_amount: numbers,
  orders_total_count: numbers,
  last_order_amount: maybe(numbers),
  last_order_date: maybe(moments),
  redemptions_succeeded: numbers,
  redemptions_failed: numbers,
  redemptions_rolled_back: numbers,
  rollbacks_succeeded: numbers,
  rollbacks_failed: numbers,
  gift_redeemed_amount: numbers,
  gift_amount_to_go: numbers,
  redeemed_points: numbers,
  loyalty: fc.record({
    points: numbers,
    referred_customers: numbers,
    campaigns: fc.dictionary(
      fc.constantFrom('Club', 'a.b'),
      fc.record({ points: numbers, referred_customers: numbers, loyalty_tier: fc.constantFrom('ltr_1', 'ltr_2') }),
      { noNullPrototype: true },
    ),
  }),
  referrals: fc.record({ total: numbers, campaigns: fc.constant([]) }),
  created_at: moments,
  updated_at: maybe(moments),
  events: fc.dictionary(
    fc.constantFrom('visit', 'a.b'),
    fc.record({ count: fc.integer({ min: 1, max: 3 }), first_at: moments, last_at: moments }),
    { noNullPrototype: true },
  ),
  publications: fc.array(
    fc.record({
      created_at: moments,
      voucher_ids: fc.uniqueArray(fc.constantFrom('a', 'A', 'ab', 'true', '5'), { minLength: 1, maxLength: 2 }),
      result: fc.constantFrom('SUCCESS', 'SUCCESS', 'FAILURE'),
    }),
    { maxLength: 3 },
  ),
})

const fields = [
  ...Object.keys(customerFields('')).filter((name) => !name.includes('*')),
  ...['k', 'constructor', 'a.b', 'none'].map((key) => `metadata.${key}`),
  ...['system_metadata.s', 'events.visit.count', 'events.a.b.last', 'events.none.first', 'events.none.count'],
  ...['loyalty.campaigns.Club.points', 'loyalty.campaigns.a.b.loyalty_tier', 'loyalty_points.campaigns.Club.points'],
  ...['loyalty_tier.Club', 'loyalty_tier.None', 'loyalty.campaigns.constructor.points'],
]
const conditions = fc
  .tuple(fc.constantFrom(...Object.keys(filterOperators)), fc.array(scalars, { minLength: 1, maxLength: 2 }))
  .map(([operator, given]) => ({ conditions: { [operator]: given } }))
const filters = fc
  .tuple(
    fc.constantFrom('and', 'or'),
    fc.dictionary(fc.constantFrom(...fields), conditions, { minKeys: 1, maxKeys: 2, noNullPrototype: true }),
  )
  .map(([junction, sets]) => ({ junction, ...sets }))

const moment = { now: '2025-02-26T12:00:00.000Z', timezone: 'Europe/Warsaw' }

test('every filter field gives the same result in SQL and in memory', async () => {
  const { service, project_id } = await newProject()
  const { db } = service.runtime.database
  const rows = fc.sample(anyCustomer, { numRuns: 100, seed: 7 })
  const inserted = rows.map(({ events, publications, ...row }) => ({
    events,
    publications,
    row,
    id: newId('customer'),
  }))
  await db
    .insertInto('customers')
    .values(
      inserted.map(({ id, row: { address, metadata, system_metadata, loyalty, referrals, ...columns } }) => ({
        project_id,
        id,
        ...columns,
        address: address === null ? null : JSON.stringify(address),
        metadata: JSON.stringify(metadata),
        system_metadata: JSON.stringify(system_metadata) as never,
        loyalty: JSON.stringify(loyalty) as never,
        referrals: JSON.stringify(referrals) as never,
      })),
    )
    .execute()
  await db
    .insertInto('custom_event_tallies')
    .values(
      inserted.flatMap(({ id, events }) =>
        Object.entries(events).map(([type, tally]) => ({ project_id, customer_id: id, type, ...tally })),
      ),
    )
    .execute()
  await db
    .insertInto('publications')
    .values(
      inserted.flatMap(({ id, publications }) =>
        publications.map((publication) => ({
          project_id,
          id: newId('publication'),
          customer_id: id,
          is_referral_code: false,
          channel: 'API' as const,
          metadata: '{}',
          ...publication,
        })),
      ),
    )
    .execute()
  const stored = await db
    .selectFrom('customers')
    .where('project_id', '=', project_id)
    .orderBy('id')
    .selectAll()
    .execute()
  const project = await db
    .selectFrom('projects')
    .where('id', '=', project_id as never)
    .selectAll()
    .executeTakeFirstOrThrow()
  const filtered = await asRequest(service.runtime, project, (ctx) => toFiltered(ctx, stored))
  const clock = clockAt(moment.now, moment.timezone)
  let matched = 0
  const decidesTheSame = async (raw: Record<string, unknown>) => {
    const parsed = parsedOrNull(raw, project_id)
    if (parsed === null) return
    const matchesInSql = await db
      .selectFrom('customers')
      .where('project_id', '=', project_id)
      .where(filterSql(parsed, moment))
      .orderBy('id')
      .select('id')
      .execute()
    const fits = compileFilter(raw, 'customer')
    const matchesInMemory = filtered.filter((customer) => fits((field) => readField(customer, field), clock, {}))
    expect([raw, matchesInMemory.map(({ customer }) => customer.id)]).toEqual([raw, matchesInSql.map(({ id }) => id)])
    matched += matchesInMemory.length
  }
  await fc.assert(fc.asyncProperty(filters, decidesTheSame), { numRuns: scaled(400, 150) })
  // Random cases rarely hit these two multi-valued fields, so they are tested with every operator.
  for (const field of ['publications.created_at', 'publications.related_object_id'])
    for (const operator of Object.keys(filterOperators))
      for (const given of [['a', '5'], [1], ['2025-02-26T23:30:00.000Z', '2024-02-29']])
        await decidesTheSame({ [field]: { conditions: { [operator]: given } } })
  expect(matched).toBeGreaterThan(1_000)
})

function parsedOrNull(raw: unknown, projectId: string): Filter | null {
  try {
    return parseFilter(raw, customerFields(projectId))
  } catch (error) {
    if (error instanceof ApiError) return null // the value cannot be compared with this field
    throw error
  }
}
