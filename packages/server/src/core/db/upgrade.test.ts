import { beforeAll, describe, expect, test } from 'vitest'
import { send } from '../../testing/app.ts'
import { definitionsIn, definitionsOfFiles } from '../../testing/functions.ts'
import { openNode, ownDatabase } from '../../testing/nodes.ts'
import { pastReleases, recordingOf, restoreRelease } from '../../testing/past-releases.ts'
import type { Database } from './database.ts'
import { migrate } from './migrate.ts'

/**
 * A response without the members that 0.2.0 shows only where they say something: empty metadata, missing parts of an address,
 * initial values that did not change; and without `has_more` and `initial_sync_status`, which it added.
 */
function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable)
  if (typeof value !== 'object' || value === null) return value
  const { amount, quantity, ...members } = value as Record<string, unknown>
  const isSilent = (name: string, member: unknown) =>
    ['has_more', 'initial_sync_status'].includes(name) ||
    (['metadata', 'attributes'].includes(name) && Object.keys(member ?? {}).length === 0) ||
    (name === 'initial_amount' && member === amount) ||
    (name === 'initial_quantity' && member === quantity)
  const shown = Object.entries(members)
    .filter(([name, member]) => !isSilent(name, member))
    .map(([name, member]) => [name, name === 'address' ? partsOf(member) : comparable(member)])
  return { amount, quantity, ...Object.fromEntries(shown) }
}

const partsOf = (address: unknown): unknown =>
  address === null ? null : Object.fromEntries(Object.entries(address as object).filter(([, part]) => part !== null))

describe.each(pastReleases)('a database of %s', (release) => {
  let database: Database

  beforeAll(async () => {
    database = (await ownDatabase({ migrated: false })).database
    await restoreRelease(database, release)
  })

  test('gets the functions of this release', async () => {
    const { functions } = await migrate(database.db, async () => {})
    expect(functions).toContain('checkout_save_all')
    expect(await definitionsIn(database)).toEqual(await definitionsOfFiles(database))
    expect(await migrate(database.db, async () => {})).toMatchObject({ applied: [], functions: [] })
  })

  test('is served as before, and a code can be redeemed', async () => {
    const { base_url, recorded_at, app, answers } = recordingOf(release)
    const node = await openNode(database, {
      env: { AUTH_MODE: 'either', BASE_URL: base_url },
      now: () => Date.parse(recorded_at),
    })
    const pair = { 'x-app-id': app[0], 'x-app-token': app[1] }
    expect(answers.length).toBeGreaterThan(40)
    for (const { path, body } of answers) {
      const answer = await send(node.app, 'GET', path, undefined, pair)
      expect({ path, status: answer.status, body: comparable(answer.body) }).toEqual({
        path,
        status: 200,
        body: comparable(body),
      })
    }
    const cart = { redeemables: [{ object: 'voucher', id: 'SPRING' }], order: { amount: 3_000 } }
    expect(await send(node.app, 'POST', '/v1/redemptions', cart, pair)).toMatchObject({
      status: 200,
      body: { order: { total_discount_amount: 375 } }, // 12.5 % of 30.00
    })
  })
})

const preparedIndexes = [
  {
    name: 'events_position',
    column: 'alter table event_rows add column position bigint not null default 0',
    index: 'create index events_position on event_rows (project_id, position) where position > 0',
    /** Of the partition that the table becomes. */
    afterwards: 'event_rows_before_position',
  },
  ...['email', 'name'].map((column) => ({
    name: `customers_${column}_start`,
    column: 'select',
    index: `create index customers_${column}_start on customers (project_id, lower(${column}) text_pattern_ops) where deleted_at is null`,
    afterwards: `customers_${column}_start`,
  })),
]

test.each(preparedIndexes)(
  'the index $name that was prepared is kept, and created anew if its creation was cancelled',
  async (prepared) => {
    for (const isValid of [true, false]) {
      const { database } = await ownDatabase({ migrated: false })
      await restoreRelease(database, pastReleases[0] as string)
      await database.execute(prepared.column)
      await database.execute(prepared.index)
      // What a cancelled `create index concurrently` leaves behind.
      await database.execute('update pg_index set indisvalid = $1 where indexrelid = $2::regclass', [
        isValid,
        prepared.name,
      ])
      const index = async (name: string) =>
        (
          await database.execute(
            'select indexrelid::int as id, indisvalid as is_valid from pg_index where indexrelid = $1::regclass',
            [name],
          )
        ).rows[0] as { id: number; is_valid: boolean }
      const before = await index(prepared.name)
      await migrate(database.db, async () => {})
      const { id, is_valid } = await index(prepared.afterwards)
      expect({ is_valid, is_kept: id === before.id }).toEqual({ is_valid: true, is_kept: isValid })
    }
  },
)

test('users of a past release have their login in lower case, unless another user has that one', async () => {
  const { database } = await ownDatabase({ migrated: false })
  await restoreRelease(database, pastReleases[0] as string)
  // The last two are different for a database whose locale knows only the letters of ASCII.
  const emails = ['Ann@Shop.test', 'ÄNN@shop.test', 'änn@shop.test']
  const { rows: found } = await database.execute(`select lower('Ä') = 'Ä' as is_ascii`)
  const isAscii = (found[0] as { is_ascii: boolean }).is_ascii
  const made = isAscii ? emails : emails.slice(0, 2)
  for (const [n, email] of made.entries())
    await database.execute(
      `insert into users (id, login, email, first_name, last_name, is_owner, created_at) values ($1, $2, $2, '', '', false, now())`,
      [`user_${n}`, email],
    )
  await migrate(database.db, async () => {})
  const { rows } = await database.execute(`select login, email from users where id like 'user__' order by id`)
  expect(rows).toEqual([
    { login: 'ann@shop.test', email: 'Ann@Shop.test' },
    ...(isAscii
      ? [
          { login: 'ÄNN@shop.test', email: 'ÄNN@shop.test' },
          { login: 'änn@shop.test', email: 'änn@shop.test' },
        ]
      : [{ login: 'änn@shop.test', email: 'ÄNN@shop.test' }]),
  ])
})
