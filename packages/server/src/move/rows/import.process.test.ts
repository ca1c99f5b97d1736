import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { findProjectOrOnly } from '../../account/projects/store.ts'
import type { Db } from '../../core/db/database.ts'
import { newClock, newProjectOn, type Shop } from '../../testing/app.ts'
import { amountOff, newDiscount } from '../../testing/checkout.ts'
import { backendOf, untilOthersWait } from '../../testing/lock-waits.ts'
import { exportedText, importText } from '../../testing/move.ts'
import { openNode, ownDatabase } from '../../testing/nodes.ts'
import { ok } from '../../testing/orders.ts'
import { runGuerdon } from '../../testing/process.ts'
import { exportProject } from './export.ts'
import { writeText } from './files.ts'
import { importProject } from './import.ts'

/** Five batches; an import is held in the third. */
const customersCount = 5_000
const heldAt = 'many-12500'

async function newShop(): Promise<{ shop: Shop; db: Db; url: string }> {
  const { database, url } = await ownDatabase()
  const shop = await newProjectOn({ ...(await openNode(database)), clock: newClock() })
  return { shop, db: database.db, url: url as string }
}

/** A shop whose import takes several batches; the tests only read it. */
const largeShop = () => {
  large ??= newLargeShop()
  return large
}
let large: ReturnType<typeof newLargeShop> | undefined

async function newLargeShop() {
  const made = await newShop()
  const { shop, db } = made
  await ok(shop, 'POST', '/v1/customers', { source_id: 'ann', name: 'Ann' })
  await sql`insert into customers
    select (jsonb_populate_record(c, jsonb_build_object('id', 'cust_many' || n, 'source_id', 'many-' || n))).*
    from customers c, generate_series(10002, ${10_000 + customersCount}::int) n where c.project_id = ${shop.project_id}`.execute(
    db,
  )
  return made
}

async function countCustomers(db: Db, projectId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from customers where project_id = ${projectId}`.execute(db)
  return rows[0]?.count as number
}

const isVisible = (db: Db, id: string): Promise<boolean> =>
  findProjectOrOnly(db, id).then(
    () => true,
    () => false,
  )

/** Lets an import into this database wait in the middle of the customers: it has written two batches. Returns what lets it go on. */
async function holdImport({
  database,
}: Shop['service']['runtime']): Promise<{ isHeld(): Promise<void>; release(): Promise<void> }> {
  const { db } = database
  await sql`create function hold() returns trigger language plpgsql as $$ begin perform pg_advisory_xact_lock(7); return new; end $$`.execute(
    db,
  )
  await sql`create trigger hold before insert on customers for each row
    when (new.source_id = ${sql.lit(heldAt)}) execute function hold()`.execute(db)
  const trx = await db.startTransaction().execute()
  await sql`select pg_advisory_xact_lock(7)`.execute(trx)
  onTestFinished(async () => {
    if (!trx.isCommitted) await trx.rollback().execute()
  })
  const holder = await backendOf(trx)
  return { isHeld: () => untilOthersWait(database, holder), release: () => trx.commit().execute() }
}

/** Why an import fails. */
const messageOf = (running: Promise<unknown>): Promise<string> =>
  running.then(
    () => 'completed',
    (error: Error) => error.message,
  )

test.each(['SIGINT', 'SIGTERM'] as const)('%s in the middle leaves nothing of the import', async (signal) => {
  const { shop, db } = await largeShop()
  const folder = mkdtempSync(join(tmpdir(), 'guerdon-move-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'shop.jsonl')
  await writeText(exportProject(db, await findProjectOrOnly(db, shop.project_id), Date.now()), {
    to: file,
    gzip: false,
  })

  const { shop: other, db: there, url } = await newShop()
  const { isHeld, release } = await holdImport(other.service.runtime)
  const { child, ended, output } = runGuerdon(['import', file], { DATABASE_URL: url })
  await isHeld()
  expect(await countCustomers(there, shop.project_id)).toBe(2_000)
  child.kill(signal)
  await release()
  expect(await ended).toBe(1)
  expect(output()).toContain('Interrupted: nothing is left of the import.\n')
  const { rows } = await sql`select from projects where id = ${shop.project_id}`.execute(there)
  expect([rows.length, await countCustomers(there, shop.project_id)]).toEqual([0, 0])
})

test('after kill -9 in the middle, nobody sees the project, and the same command starts over and completes', async () => {
  const { shop, db } = await largeShop()
  const folder = mkdtempSync(join(tmpdir(), 'guerdon-move-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'shop.jsonl.gz')
  await writeText(exportProject(db, await findProjectOrOnly(db, shop.project_id), Date.now()), { to: file, gzip: true })

  const { shop: other, db: there, url: urlThere } = await newShop()
  const { isHeld, release } = await holdImport(other.service.runtime)
  const run = () => runGuerdon(['import', file], { DATABASE_URL: urlThere })
  const killed = run()
  await isHeld()
  killed.child.kill('SIGKILL')
  await killed.ended
  await release()
  expect(await countCustomers(there, shop.project_id)).toBe(2_000)
  expect(await isVisible(there, shop.project_id)).toBe(false)

  const second = run()
  expect(await second.ended, second.output()).toBe(0)
  expect(second.output()).toContain(`Imported `)
  expect(await isVisible(there, shop.project_id)).toBe(true)
  expect(await countCustomers(there, shop.project_id)).toBe(customersCount)
  const linesOf = (text: string) => text.trimEnd().split('\n').slice(1, -1).sort()
  expect(linesOf(await exportedText(there, shop.project_id))).toEqual(linesOf(await exportedText(db, shop.project_id)))
})

test('of two imports of one project the later one completes, and the earlier one ends', async () => {
  const { shop, db } = await largeShop()
  const text = await exportedText(db, shop.project_id)
  const { db: there } = await newShop()
  const lines = text.trimEnd().split('\n')
  async function* held() {
    for (const line of lines) {
      if (line.includes(`"${heldAt}"`)) {
        expect(await countCustomers(there, shop.project_id)).toBe(2_000)
        await importText(there, text)
      }
      yield Buffer.from(line)
    }
  }
  const first = importProject(there, held(), { target: { kind: 'original' }, now: Date.now })
  expect(await messageOf(first)).toBe(`Another import fills the project ${shop.project_id}: this one ends.`)
  expect(await countCustomers(there, shop.project_id)).toBe(customersCount)
})

test('what is written while a project is claimed stays, and the project is given back', async () => {
  const { shop, db } = await newShop()
  await ok(shop, 'POST', '/v1/customers', { source_id: 'ann', name: 'Ann' })
  const text = await exportedText(db, shop.project_id)
  const target = await newProjectOn({ ...shop.service, clock: newClock() })
  const imported = await db.transaction().execute(async (trx) => {
    await sql`select from projects where id = ${target.project_id} for update`.execute(trx)
    const running = messageOf(importText(db, text, { kind: 'existing', id: target.project_id }))
    // It found the project empty, and waits to claim it.
    await untilOthersWait(shop.service.runtime.database, await backendOf(trx))
    await sql`insert into customers
      select (jsonb_populate_record(c, jsonb_build_object('project_id', ${target.project_id}::text))).*
      from customers c where c.project_id = ${shop.project_id}`.execute(trx)
    return { running }
  })
  expect(await imported.running).toBe(`The project ${target.project_id} is not empty: it has rows in customers.`)
  expect(await countCustomers(db, target.project_id)).toBe(1)
  expect(await isVisible(db, target.project_id)).toBe(true)
})

test('a project that another import completes, after it was seen unfinished, is not taken from it', async () => {
  const { shop, db } = await newShop()
  await ok(shop, 'POST', '/v1/customers', { source_id: 'ann', name: 'Ann' })
  const text = await exportedText(db, shop.project_id)
  // As an import leaves it before the statement that makes it usable.
  await sql`update projects set deleted_at = '1970-01-02' where id = ${shop.project_id}`.execute(db)
  const { running } = await db.transaction().execute(async (trx) => {
    await sql`update projects set deleted_at = null where id = ${shop.project_id}`.execute(trx)
    const running = messageOf(importText(db, text))
    await untilOthersWait(shop.service.runtime.database, await backendOf(trx))
    return { running }
  })
  expect(await running).toBe(`Another import fills the project ${shop.project_id}: this one ends.`)
  expect(await isVisible(db, shop.project_id)).toBe(true)
  expect(await countCustomers(db, shop.project_id)).toBe(1)
})

test('an import that cannot be undone says why it failed, and that the project is hidden', async () => {
  const { shop, db } = await newShop()
  await ok(shop, 'POST', '/v1/customers', { source_id: 'ann', name: 'Ann' })
  const text = (await exportedText(db, shop.project_id)).trimEnd().split('\n').slice(0, -1).join('\n')
  const { db: there } = await newShop()
  await sql`create function keep() returns trigger language plpgsql as $$ begin raise 'kept'; end $$`.execute(there)
  await sql`create trigger keep before delete on customers for each row execute function keep()`.execute(there)
  const failed = (await importText(there, `${text}\n`).catch((error: Error) => error)) as Error
  expect(failed.message).toMatch(/stays hidden.*\(kept\).*The file is incomplete/)
  expect((failed.cause as Error).message).toMatch(/^The file is incomplete/)
  expect(await isVisible(there, shop.project_id)).toBe(false)
})

test('an export is one snapshot: what is written meanwhile is not in it, and writers do not wait for it', async () => {
  const { shop, db } = await newShop()
  await newDiscount(shop, 'BEFORE', amountOff(100))
  const lines = exportProject(db, await findProjectOrOnly(db, shop.project_id), Date.now())
  let text = (await lines.next()).value as string
  await newDiscount(shop, 'MEANWHILE', amountOff(100))
  for await (const more of lines) text += more
  expect(text).toContain('BEFORE')
  expect(text).not.toContain('MEANWHILE')
})
