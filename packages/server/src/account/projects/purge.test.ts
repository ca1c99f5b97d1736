import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { Database, Db } from '../../core/db/database.ts'
import { untilRequestWaits } from '../../testing/lock-waits.ts'
import { ownDatabase } from '../../testing/nodes.ts'
import { insertProjectOf } from './create.ts'
import { purgeProject, tablesWithProjects } from './purge.ts'

let database: Database | undefined
const openDatabase = async () => {
  database ??= (await ownDatabase()).database
  return database
}

async function newProject(db: Db, { deleted }: { deleted: boolean }): Promise<string> {
  const now = new Date().toISOString()
  const body = { name: 'Shop', timezone: 'UTC', currency: 'USD', case_sensitive_codes: true }
  const { id } = await insertProjectOf(db, now, body, { auth_mode: 'strict' })
  if (deleted) await db.updateTable('projects').set({ deleted_at: now }).where('id', '=', id).execute()
  return id
}

const newGuards = (db: Db, projectId: string, count: number) =>
  sql`insert into guards (project_id, name, version, touched_at) select ${projectId}, 'guard ' || n, n, now() from generate_series(1, ${count}::int) n`.execute(
    db,
  )

async function insertRedemptionRows(db: Db, projectId: string, now: string): Promise<void> {
  await sql`insert into redemptions (project_id, id, object, result, status, related_object_type, related_object_id, channel_type, channel_id, created_at)
    values (${projectId}, 'r_1', 'redemption', 'SUCCESS', 'SUCCEEDED', 'voucher', 'v_1', 'API', 'app', ${now})`.execute(
    db,
  )
  await sql`insert into usage values (${projectId}, 'v_1', ${now}::date, false, 'r_1', 1, 0, 0, 0)`.execute(db)
  await sql`insert into holds values (${projectId}, 'ssn_1', 'v_1', 1, 0, ${now}, ${now})`.execute(db)
  await sql`insert into rewards (project_id, id, name, type, parameters, attributes, metadata, created_at, config_version)
    values (${projectId}, 'rew_1', 'A mug', 'MATERIAL', '{}', '{}', '{}', ${now}, 1)`.execute(db)
  await sql`insert into reward_assignments (project_id, id, reward_id, related_object_type, related_object_id, parameters, created_at, config_version)
    values (${projectId}, 'rewa_1', 'rew_1', 'campaign', 'camp_1', '{}', ${now}, 1)`.execute(db)
}

/** One row in every table of loyalty programs and referrals; rules and tiers reference their campaign. */
async function insertLoyaltyRows(db: Db, projectId: string, now: string): Promise<void> {
  const statements = [
    sql`campaigns (project_id, id, name, campaign_type, type, auto_join, join_once, use_voucher_metadata_schema, active, metadata, status, created_at, config_version)
      values (${projectId}, 'camp_1', 'Club', 'PROMOTION', 'STATIC', false, true, true, true, '{}', 'DONE', ${now}, 1)`,
    sql`earning_rules (project_id, id, campaign_id, automation_id, event, loyalty, active, metadata, created_at, config_version)
      values (${projectId}, 'ern_1', 'camp_1', 'auto_1', 'order.paid', '{}', true, '{}', ${now}, 1)`,
    sql`loyalty_tiers (project_id, id, campaign_id, name, earning_rules, rewards, metadata, created_at, config_version)
      values (${projectId}, 'ltr_1', 'camp_1', 'Gold', '{}', '{}', '{}', ${now}, 1)`,
    sql`referral_tiers (project_id, id, campaign_id, parameters, created_at, config_version)
      values (${projectId}, 'reft_1', 'camp_1', '{}', ${now}, 1)`,
    sql`loyalty_members (project_id, voucher_id, campaign_id, customer_id) values (${projectId}, 'v_1', 'camp_1', 'cust_1')`,
    sql`tier_walks (project_id, campaign_id, changed, walked_to, request_id, caller, started_at)
      values (${projectId}, 'camp_1', 'tiers', '', 'v-1', '{}', ${now})`,
    sql`pending_points (project_id, id, voucher_id, campaign_id, customer_id, order_id, points, activates_at, details, status, created_at)
      values (${projectId}, 'lopp_1', 'v_1', 'camp_1', 'cust_1', 'ord_1', 5, ${now}::date, '{}', 'PENDING', ${now})`,
    sql`earnings values (${projectId}, 'ord_1', 'v_1', 'ern_1', ${now})`,
    sql`reward_redemptions (project_id, id, state, voucher_id, campaign_id, customer_id, reward_id, reward_assignment_id, source_id, source_type, created_at)
      values (${projectId}, 'rewr_1', 'PENDING', 'v_1', 'camp_1', 'cust_1', 'rew_1', 'rewa_1', 'r_1', 'redemption', ${now})`,
    sql`referral_conversions values (${projectId}, 'camp_1', 'cust_1', 'cust_2', 'v_1', 'r_1', 'redemption', ${now}, null, '{}')`,
    sql`referral_grants values (${projectId}, 'reft_1', 'cust_1', ${now})`,
  ]
  for (const statement of statements) await sql`insert into ${statement}`.execute(db)
}

const loyaltyTables = [
  'campaigns',
  'earning_rules',
  'loyalty_tiers',
  'referral_tiers',
  'loyalty_members',
  'tier_walks',
  'pending_points',
  'earnings',
  'reward_redemptions',
  'referral_conversions',
  'referral_grants',
]

const countOf = async (db: Db, table: string, projectId: string): Promise<number> => {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from ${sql.table(table)} where ${sql.ref(table === 'projects' ? 'id' : 'project_id')} = ${projectId}`.execute(
    db,
  )
  return rows[0]!.count
}

test('deletes all rows of a deleted project and the project itself, and no rows of other projects', async () => {
  const { db } = await openDatabase()
  const [deletedProject, otherProject] = [
    await newProject(db, { deleted: true }),
    await newProject(db, { deleted: false }),
  ]
  for (const projectId of [deletedProject, otherProject]) {
    await newGuards(db, projectId, 3)
    const now = new Date().toISOString()
    await db
      .insertInto('categories')
      .values({
        project_id: projectId,
        id: 'cat_1',
        name: 'A',
        hierarchy: 0,
        created_at: now,
        updated_at: null,
        config_version: 1,
      })
      .execute()
    await db
      .insertInto('terms')
      .values({ project_id: projectId, id: 'terms_1', content: '{}', created_at: now })
      .execute()
    await insertRedemptionRows(db, projectId, now)
    await insertLoyaltyRows(db, projectId, now)
  }
  expect(await purgeProject(db, deletedProject)).toBeUndefined()
  for (const { name } of await tablesWithProjects(db))
    expect([name, await countOf(db, name, deletedProject)]).toEqual([name, 0])
  expect(await countOf(db, 'projects', deletedProject)).toBe(0)
  expect(await countOf(db, 'guards', otherProject)).toBe(3)
  expect(await countOf(db, 'categories', otherProject)).toBe(1)
  const tables = ['terms', 'redemptions', 'usage', 'holds', 'rewards', 'reward_assignments', ...loyaltyTables]
  for (const table of tables) expect([table, await countOf(db, table, otherProject)]).toEqual([table, 1])
  expect(await countOf(db, 'projects', otherProject)).toBe(1)
})

test('does nothing for a project that is not deleted or does not exist', async () => {
  const { db } = await openDatabase()
  const projectId = await newProject(db, { deleted: false })
  await newGuards(db, projectId, 3)
  await purgeProject(db, projectId)
  expect(await countOf(db, 'guards', projectId)).toBe(3)
  expect(await countOf(db, 'projects', projectId)).toBe(1)
  await purgeProject(db, 'proj_nowhere')
})

test('an aborted purge resumes after its last batch and deletes the project row only at the end', async () => {
  const { db } = await openDatabase()
  const projectId = await newProject(db, { deleted: true })
  await newGuards(db, projectId, 2_500)
  const tablesBefore = (await tablesWithProjects(db)).findIndex(({ name }) => name === 'guards')

  /** A signal that is aborted after this many reads; the purge reads it once before each batch. */
  const afterBatches = (batches: number): AbortSignal => {
    let reads = 0
    return { get aborted() { return ++reads > batches } } as AbortSignal // biome-ignore format: one thought
  }
  const remainingCounts = []
  for (let run = 1; run <= 3; run += 1) {
    expect(await purgeProject(db, projectId, afterBatches(tablesBefore + 1))).toBe('again')
    remainingCounts.push(await countOf(db, 'guards', projectId))
  }
  expect(remainingCounts).toEqual([1_500, 500, 0])
  expect(await countOf(db, 'projects', projectId)).toBe(1)
  expect(await purgeProject(db, projectId)).toBeUndefined()
  expect(await countOf(db, 'projects', projectId)).toBe(0)
})

test('two concurrent runs both succeed', async () => {
  const { db } = await openDatabase()
  const projectId = await newProject(db, { deleted: true })
  await newGuards(db, projectId, 2_500)
  await Promise.all([purgeProject(db, projectId), purgeProject(db, projectId)])
  expect(await countOf(db, 'guards', projectId)).toBe(0)
  expect(await countOf(db, 'projects', projectId)).toBe(0)
})

test('a run that waits for rows which another deletes goes on with the others', async () => {
  const database = await openDatabase()
  const { db } = database
  const projectId = await newProject(db, { deleted: true })
  await newGuards(db, projectId, 2_500)
  const waiting = await db.transaction().execute(async (trx) => {
    await sql`delete from guards where project_id = ${projectId} and version <= 2400`.execute(trx)
    const waiting = purgeProject(db, projectId)
    await untilRequestWaits(database, trx)
    return [waiting]
  })
  await Promise.all(waiting)
  expect(await countOf(db, 'guards', projectId)).toBe(0)
  expect(await countOf(db, 'projects', projectId)).toBe(0)
})

test('empties tables created later, and referenced tables after the tables that reference them', async () => {
  const { db } = await openDatabase()
  const [deletedProject, otherProject] = [
    await newProject(db, { deleted: true }),
    await newProject(db, { deleted: false }),
  ]
  const key = sql`project_id text not null, id text not null, primary key (project_id, id)`
  await sql`create table a_parent (${key})`.execute(db)
  await sql`create table b_child (${key}, foreign key (project_id, id) references a_parent)`.execute(db)
  for (const table of ['a_parent', 'b_child'])
    for (const projectId of [deletedProject, otherProject])
      await sql`insert into ${sql.table(table)} values (${projectId}, '1')`.execute(db)
  await purgeProject(db, deletedProject)
  for (const table of ['a_parent', 'b_child']) {
    expect(await countOf(db, table, deletedProject)).toBe(0)
    expect(await countOf(db, table, otherProject)).toBe(1)
  }
  await sql`drop table b_child, a_parent`.execute(db)
})

test('fails instead of skipping a table that cannot be emptied or has no primary key', async () => {
  const { db } = await openDatabase()
  const deletedProject = await newProject(db, { deleted: true })
  await sql`create table keepers (project text not null, id text not null, of_project text not null)`.execute(db)
  await sql`create table kept (project_id text not null, id text not null, primary key (project_id, id))`.execute(db)
  await sql`alter table keepers add foreign key (of_project, id) references kept`.execute(db)
  await sql`insert into kept values (${deletedProject}, '1')`.execute(db)
  await sql`insert into keepers values ('elsewhere', '1', ${deletedProject})`.execute(db)
  await expect(purgeProject(db, deletedProject)).rejects.toMatchObject({ code: '23503' })
  expect(await countOf(db, 'projects', deletedProject)).toBe(1)
  await sql`drop table keepers, kept`.execute(db)

  await sql`create table keyless (project_id text)`.execute(db)
  await expect(purgeProject(db, deletedProject)).rejects.toThrow('Table keyless has no primary key')
  await sql`drop table keyless`.execute(db)
  expect(await purgeProject(db, deletedProject)).toBeUndefined()
})
