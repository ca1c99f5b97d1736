import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { tablesWithProjects } from '../../account/projects/purge.ts'
import { assignUser, findUserOfProject, insertUser, type UserRecord } from '../../account/users/store.ts'
import type { Db } from '../../core/db/database.ts'
import { newestMigration } from '../../core/db/migrate.ts'
import { toInstant } from '../../core/lib/instant.ts'
import { newProject, type Shop, send, uniqueName } from '../../testing/app.ts'
import { amountOff, newDiscount, newGiftCard } from '../../testing/checkout.ts'
import { exportedText, importText } from '../../testing/move.ts'
import { ok } from '../../testing/orders.ts'
import { newWebhook } from '../../testing/webhooks.ts'
import type { Target } from './claim.ts'
import { importProject } from './import.ts'

const dbOf = ({ service }: Shop): Db => service.runtime.database.db

async function smallShop(): Promise<{ shop: Shop; db: Db; text: string }> {
  const shop = await newProject()
  await newDiscount(shop, 'TEN', amountOff(1_000))
  await newGiftCard(shop, 'GIFT', 5_000)
  await ok(shop, 'POST', '/v1/customers', { source_id: 'ann', name: 'Ann' })
  await newWebhook(shop, 'https://receiver.example/hook', ['voucher.created'])
  return { shop, db: dbOf(shop), text: await exportedText(dbOf(shop), shop.project_id) }
}

let shared: ReturnType<typeof smallShop> | undefined

/** A shop, and its file, for tests that leave it as it is. */
function unchangedShop(): ReturnType<typeof smallShop> {
  shared ??= smallShop()
  return shared
}

/** An id for a copy in the same database. */
const copyId = () => uniqueName('proj_copy').replaceAll('-', '')

let tables: ReturnType<typeof tablesWithProjects> | undefined

/** How many rows each table has of a project, without empty ones. */
async function rowCounts(db: Db, id: string): Promise<Record<string, number>> {
  const countOf = (name: string, key: 'id' | 'project_id') =>
    sql`select ${name}::text as name, count(*)::int as count from ${sql.table(name)} where ${sql.ref(key)} = ${id}`
  tables ??= tablesWithProjects(db)
  const counts = (await tables).map(({ name }) => countOf(name, 'project_id'))
  const { rows } = await sql<{ name: string; count: number }>`
    ${sql.join([...counts, countOf('projects', 'id')], sql` union all `)}`.execute(db)
  return Object.fromEntries(rows.flatMap(({ name, count }) => (count === 0 ? [] : [[name, count]])))
}

test('a copy beside its original has no keys, does not send, and signs and proves customers with secrets of its own', async () => {
  const { shop, db, text } = await unchangedShop()
  const id = copyId()
  expect(await importText(db, text, { kind: 'copy', id })).toMatchObject({ project_id: id, is_copy: true })
  const { rows } = await sql`
    select (select count(*)::int from api_keys where project_id = p.id) as keys,
      (select count(*)::int from webhooks where project_id = p.id and active) as sending,
      (select count(*)::int from webhook_sendouts where project_id = p.id) as sendouts,
      (select count(*)::int from vouchers where project_id = p.id) as codes,
      p.webhook_token <> o.webhook_token as has_own_token, p.tracking_secret <> o.tracking_secret as has_own_proofs
    from projects p cross join projects o where p.id = ${id} and o.id = ${shop.project_id}`.execute(db)
  expect(rows).toEqual([{ keys: 0, sending: 0, sendouts: 0, codes: 2, has_own_token: true, has_own_proofs: true }])
})

test('an empty project that exists keeps its name, keys and secrets, and nodes that have served it see the imported configuration', async () => {
  const { shop, db } = await smallShop()
  const campaign = await ok(shop, 'POST', '/v1/campaigns', {
    name: 'Spring',
    campaign_type: 'DISCOUNT_COUPONS',
    type: 'AUTO_UPDATE',
    voucher: { type: 'DISCOUNT_VOUCHER', discount: amountOff(1_000) },
  })
  await ok(shop, 'POST', `/v1/campaigns/${campaign.id}/vouchers/SPRING`, {})
  const text = await exportedText(db, shop.project_id)
  const target = await newProject({ project: { name: 'Staging' } })
  // The node has the project in its cache, after more changes of configuration than the file has.
  for (let change = 0; change < 5; change += 1) {
    const { id } = await ok(target, 'POST', '/v1/categories', { name: 'Gone', hierarchy: 1 })
    await target.call('DELETE', `/v1/categories/${id}`)
  }
  const validation = { redeemables: [{ object: 'voucher', id: 'SPRING' }], order: { amount: 5_000 } }
  expect((await target.call('POST', '/v1/validations', validation)).body).toMatchObject({ valid: false })
  const secrets = () =>
    sql`select name, webhook_token, tracking_secret from projects where id = ${target.project_id}`.execute(db)
  const before = (await secrets()).rows
  await importText(db, text, { kind: 'existing', id: target.project_id })
  await expect
    .poll(async () => (await target.call('POST', '/v1/validations', validation)).body, { timeout: 30_000 })
    .toMatchObject({ valid: true, order: { total_amount: 4_000 } })
  expect((await secrets()).rows).toEqual(before)
  expect(before).toMatchObject([{ name: 'Staging' }])
  await expect(importText(db, text, { kind: 'existing', id: target.project_id })).rejects.toThrow(
    /is not empty: it has rows in/,
  )
  expect((await target.call('POST', '/v1/validations', validation)).status).toBe(200)
})

test('what exists already, or does not exist, is refused', async () => {
  const { shop, db, text } = await smallShop()
  await expect(importText(db, text)).rejects.toThrow(`The project ${shop.project_id} exists already.`)
  await expect(importText(db, text, { kind: 'existing', id: 'proj_nowhere' })).rejects.toThrow(
    'There is no project proj_nowhere.',
  )
  await db
    .updateTable('projects')
    .set({ deleted_at: new Date().toISOString() })
    .where('id', '=', shop.project_id as never)
    .execute()
  await expect(importText(db, text)).rejects.toThrow('is being deleted')
})

test.each<[string, (lines: string[]) => string[], RegExp]>([
  ['is cut off', (lines) => lines.slice(0, -1), /incomplete: it ends after \d+ rows/],
  [
    'is cut off within a line',
    (lines) => [...lines.slice(0, -2), (lines.at(-2) as string).slice(0, 40)],
    /is not a row/,
  ],
  [
    'misses a row',
    (lines) => lines.filter((line) => !line.includes('"code":"TEN"')),
    /damaged: it has 1 rows of vouchers, and its last line says 2/,
  ],
  ['has another value', (lines) => lines.map((line) => line.replace('"code":"TEN"', '"code":"TWO"')), /SHA-256/],
  ['goes on', (lines) => [...lines, lines[1] as string], /goes on after its last line/],
  [
    'has another order',
    (lines) => [lines[0] as string, ...lines.slice(1, -1).reverse(), lines.at(-1) as string],
    /not expected here/,
  ],
  [
    'has an unknown table',
    ([head, ...lines]) => [head as string, '{"table":"users","row":{}}', ...lines],
    /Rows of users are not expected/,
  ],
  [
    'has a value that no column takes',
    (lines) => lines.map((line) => line.replace('"redeemed_quantity":0', '"redeemed_quantity":"many"')),
    /invalid input syntax/,
  ],
  [
    'has two rows in a line',
    (lines) =>
      lines.map((line) =>
        line.replace(
          /^(\{"table":"customers","row":)(\{.*\})\}$/,
          (_, start: string, row: string) =>
            `${start}${row},${row.replaceAll('ann', 'bob').replace('"cust_', '"cust_b')}}`,
        ),
      ),
    /lines of customers have more or less than one row each/,
  ],
  [
    'has settings that no operation can show',
    ([head, ...lines]) => [
      (head as string).replace(/"client_trusted_domains":\[\]/, '"client_trusted_domains":"nope"'),
      ...lines,
    ],
    /settings of the project in the file are damaged: \/client_trusted_domains must be array/,
  ],
])('a file that %s leaves nothing behind', async (_, damage, message) => {
  const { db, text } = await unchangedShop()
  const id = copyId()
  const damaged = `${damage(text.trimEnd().split('\n')).join('\n')}\n`
  await expect(importText(db, damaged, { kind: 'copy', id })).rejects.toThrow(message)
  expect(await rowCounts(db, id)).toEqual({})
})

test('an import that fails after another one has filled the project deletes nothing of it', async () => {
  const { db, text } = await unchangedShop()
  const { project_id } = await newProject()
  const target = { kind: 'existing', id: project_id } as const
  const [head, ...rest] = text.trimEnd().split('\n') as [string, ...string[]]
  async function* slowly() {
    yield Buffer.from(head)
    for (const line of rest.slice(0, -1)) yield Buffer.from(line)
    await importText(db, text, target)
    yield Buffer.from('no row')
  }
  await expect(importProject(db, slowly(), { target, now: Date.now })).rejects.toThrow('is not a row')
  expect(await rowCounts(db, project_id)).toMatchObject({ vouchers: 2 })
})

test('an existing project is empty and open again after a damaged file', async () => {
  const { db, text } = await unchangedShop()
  const target = await newProject()
  // Other tests make owners meanwhile, who are users of every project.
  const withoutUsers = async () => {
    const { project_users: _, ...counts } = await rowCounts(db, target.project_id)
    return counts
  }
  const before = await withoutUsers()
  const cut = text.slice(0, text.lastIndexOf('{"end"'))
  await expect(importText(db, cut, { kind: 'existing', id: target.project_id })).rejects.toThrow(/incomplete/)
  expect(await withoutUsers()).toEqual(before)
  await expect.poll(async () => (await target.call('GET', '/v1/vouchers')).status, { timeout: 30_000 }).toBe(200)
})

/** An import that stops in the middle, as after `kill -9`: it never goes on, and nothing is undone. */
async function killedImport(db: Db, text: string, target: Target): Promise<void> {
  const lines = text.trimEnd().split('\n')
  await new Promise<void>((resolve, reject) => {
    async function* half() {
      // Before the last line everything is inserted but the last batch.
      for (const line of lines.slice(0, -1)) yield Buffer.from(line)
      resolve()
      await new Promise(() => {})
    }
    importProject(db, half(), { target, now: Date.now }).catch(reject)
  })
}

test('a project that existed before a killed import keeps its keys and users, whatever is imported next', async () => {
  const { shop, db, text } = await unchangedShop()
  const target = await newProject({ project: { name: 'Staging' } })
  const id = target.project_id
  const existing = { kind: 'existing', id } as const
  const names = { first_name: 'Ann', last_name: '', is_owner: false, created_at: toInstant(Date.now()) }
  const user = (await insertUser(db, { email: `${uniqueName('ann')}@shop.test`, ...names })) as UserRecord
  await assignUser(db, id, user.id, 'VIEWER')
  const kept = { api_keys: 2, projects: 1 }
  expect(await rowCounts(db, id)).toMatchObject(kept)
  await killedImport(db, text, existing)

  const renamed = text.replaceAll(shop.project_id, id)
  await expect(importText(db, text, { kind: 'copy', id })).rejects.toThrow(/existed before.*--project/)
  await expect(importText(db, renamed)).rejects.toThrow(/existed before.*--project/)
  expect(await rowCounts(db, id)).toMatchObject(kept)

  await importText(db, text, existing)
  const { rows } = await sql`select name from projects where id = ${id} and deleted_at is null`.execute(db)
  expect(rows).toEqual([{ name: 'Staging' }])
  expect(await rowCounts(db, id)).toMatchObject({ ...kept, vouchers: 2 })
  expect(await findUserOfProject(db, id, user.id, {})).toMatchObject({ projects: { [id]: 'VIEWER' } })
  await expect.poll(async () => (await target.call('GET', '/v1/vouchers')).status, { timeout: 30_000 }).toBe(200)
})

test('what a killed import left of a new project is no project to import into: the keys of the file are in it', async () => {
  const { db, text } = await unchangedShop()
  const id = copyId()
  await killedImport(db, text, { kind: 'copy', id })
  await expect(importText(db, text, { kind: 'existing', id })).rejects.toThrow(/There is no project .* interrupted/)
  await importText(db, text, { kind: 'copy', id })
  expect(await rowCounts(db, id)).toMatchObject({ vouchers: 2, projects: 1 })
})

test('a file of another release is refused before anything is written, and the message names the release to use', async () => {
  const { db, text } = await unchangedShop()
  const of = (change: object) => {
    const [head, ...lines] = text.split('\n')
    return [JSON.stringify({ ...JSON.parse(head as string), ...change }), ...lines].join('\n')
  }
  const copy = { kind: 'copy', id: copyId() } as const
  await expect(importText(db, of({ release: '0.1.0', migration: '0003-codes' }), copy)).rejects.toThrow(
    /Guerdon 0\.1\.0 wrote this file .* Import it with Guerdon 0\.1\.0 into an empty database, then upgrade/,
  )
  await expect(importText(db, of({ release: '9.0.0', migration: '9999-future' }), copy)).rejects.toThrow(
    /Upgrade this instance to 9\.0\.0 first/,
  )
  await expect(importText(db, of({ release: '9.0.0', guerdon_export: 2 }), copy)).rejects.toThrow(
    /Upgrade this instance/,
  )
  await expect(importText(db, 'code,name\nTEN,Ten\n', copy)).rejects.toThrow(/not a file of guerdon export/)
  expect(JSON.parse(text.split('\n')[0] as string)).toMatchObject({ migration: newestMigration })
  expect(await rowCounts(db, copy.id)).toEqual({})
})

const note = 'line\u2028 "quoted" \\ \n\t 😀 \u0001'
let unusual: Promise<{ db: Db; original: string; copy: string }> | undefined

/** A shop with values that a detour could change, and its copy. */
function unusualShop(): NonNullable<typeof unusual> {
  unusual ??= (async () => {
    const { shop, db } = await smallShop()
    const original = shop.project_id
    // The sum of a day (its id is empty): a single row would be merged by the nodes of other test files, which share the database.
    await sql`insert into usage (project_id, scope_id, day, is_undone, id, redemptions, orders_amount, discounted_amount, credits)
      values (${original}, 'v_exact', '2024-02-29', false, '', 9007199254740993, 12345678901234567890123.45, 0.10, -0.5)`.execute(
      db,
    )
    await sql`update vouchers set metadata = '{"big": 9007199254740993, "tiny": 1e-30}', additional_info = ${note},
      start_date = '2024-02-29T23:59:59.999Z' where project_id = ${original} and code = 'TEN'`.execute(db)
    await sql`update customers set system_metadata = 'null' where project_id = ${original}`.execute(db)
    const copy = copyId()
    await importText(db, await exportedText(db, original), { kind: 'copy', id: copy })
    return { db, original, copy }
  })()
  return unusual
}

test('every value keeps all its digits: 64-bit numbers, decimals, bytes, days, moments, and texts of any characters', async () => {
  const { db, original, copy } = await unusualShop()
  const exact = async (projectId: string) =>
    (
      await sql`select u.redemptions::text, u.orders_amount::text, u.discounted_amount::text, u.credits::text, u.day::text,
          v.metadata::text, v.additional_info, v.start_date::text, v.asset_id::text
        from usage u join vouchers v on v.project_id = u.project_id and v.code = 'TEN'
        where u.project_id = ${projectId} and u.scope_id = 'v_exact'`.execute(db)
    ).rows
  expect(await exact(copy)).toEqual(await exact(original))
  expect(await exact(copy)).toMatchObject([
    { redemptions: '9007199254740993', orders_amount: '12345678901234567890123.45', additional_info: note },
  ])
})

test('a JSON null comes back as one where a column must have a value', async () => {
  const { db, copy } = await unusualShop()
  const { rows } = await sql`select system_metadata::text as value from customers where project_id = ${copy}`.execute(
    db,
  )
  expect(rows).toEqual([{ value: 'null' }])
})

test('a project with unfinished async actions is not exported', async () => {
  const { shop, db } = await smallShop()
  await shop.call('POST', '/v1/vouchers/bulk/async', [{ code: 'TEN', metadata: { seen: true } }])
  await expect(exportedText(db, shop.project_id)).rejects.toThrow(/unfinished async actions \(VOUCHERS/)
})

test('keys that exist in the database are not imported a second time', async () => {
  const { shop, db, text } = await unchangedShop()
  const renamed = shop.project_id.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'))
  const moved = text.replaceAll(shop.project_id, renamed)
  await expect(importText(db, moved)).rejects.toThrow('A key of the file exists in this database already.')
  expect(await rowCounts(db, renamed)).toEqual({})
  expect((await send(shop.service.app, 'GET', '/v1/vouchers', undefined, shop.headers)).status).toBe(200)
})
