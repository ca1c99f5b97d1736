import { expect, test } from 'vitest'
import { definitionsIn, definitionsOfFiles, functionFiles } from '../../testing/functions.ts'
import { ownDatabase } from '../../testing/nodes.ts'
import type { Database } from './database.ts'
import { migrate } from './migrate.ts'
import { syncFunctions } from './sync-functions.ts'
import { inTransaction } from './transaction.ts'

const twice = (by: number) =>
  `create or replace function twice(n integer) returns integer language sql as $$ select n * ${by} $$;`

const fileOf = (text: string, name = 'twice') => ({ name, text, sha256: `sha256 of ${text}` })

const sync = ({ db }: Database, texts: readonly string[], release = '1.0.0') =>
  inTransaction(db, (trx) => syncFunctions(trx, { files: texts.map((text) => fileOf(text)), release }))

/** The result of twice(21), or the signatures of all functions of that name if it cannot be called. */
async function answer(database: Database): Promise<unknown> {
  const signatures = Object.keys(await definitionsIn(database)).filter((signature) => signature.startsWith('twice'))
  if (signatures.length !== 1) return signatures
  return ((await database.execute('select twice(21) as answer')).rows[0] as { answer: unknown }).answer
}

let emptyDatabase: Promise<{ database: Database }> | undefined

/** A database without tables and functions: one for the file, emptied for each test. */
async function unmigrated(): Promise<Database> {
  emptyDatabase ??= ownDatabase({ migrated: false })
  const { database } = await emptyDatabase
  await database.execute('drop schema public cascade')
  await database.execute('create schema public')
  return database
}

let migratedDatabase: Promise<{ database: Database }> | undefined

/** A database that was empty before its migration: one for the file. */
async function migrated(): Promise<Database> {
  migratedDatabase ??= ownDatabase()
  return (await migratedDatabase).database
}

test('a database has exactly the functions of the files after its migration, and a second start replaces nothing', async () => {
  const database = await migrated()
  const { rows } = await database.execute('select name from schema_functions')
  expect(rows.map((row) => (row as { name: string }).name).sort()).toEqual([...functionFiles().keys()].sort())
  expect(await definitionsIn(database)).toEqual(await definitionsOfFiles(database))
  expect(await migrate(database.db, async () => {})).toMatchObject({ applied: [], functions: [] })
})

test('a changed file replaces the function, once', async () => {
  const database = await unmigrated()
  expect(await sync(database, [twice(3)])).toEqual(['twice'])
  expect(await answer(database)).toBe(63)
  expect(await sync(database, [twice(2)])).toEqual(['twice'])
  expect(await answer(database)).toBe(42)
  expect(await sync(database, [twice(2)])).toEqual([])
})

test('a function that was changed or dropped manually is restored', async () => {
  const database = await unmigrated()
  await sync(database, [twice(2)])
  await database.execute(twice(7))
  expect(await answer(database)).toBe(147)
  expect(await sync(database, [twice(2)])).toEqual(['twice'])
  expect(await answer(database)).toBe(42)
  await database.execute('drop function twice(integer)')
  expect(await sync(database, [twice(2)])).toEqual(['twice'])
  expect(await answer(database)).toBe(42)
})

test('a function whose file was removed is dropped; a function that we never created stays', async () => {
  const database = await unmigrated()
  await database.execute('create function theirs() returns integer language sql as $$ select 1 $$')
  await sync(database, [twice(2)])
  expect(await sync(database, [])).toEqual(['twice'])
  expect(Object.keys(await definitionsIn(database))).toEqual(['theirs()'])
  expect(await sync(database, [])).toEqual([])
})

test('after a change of parameters only the new function remains', async () => {
  const database = await unmigrated()
  await sync(database, [twice(2)])
  const wider = twice(2).replace('n integer', 'n bigint').replace('returns integer', 'returns bigint')
  expect(await sync(database, [wider])).toEqual(['twice'])
  expect(Object.keys(await definitionsIn(database))).toEqual(['twice(n bigint)'])
})

test('a file that creates a function with another name is refused, and nothing is changed', async () => {
  const database = await unmigrated()
  const files = [fileOf(twice(2), 'thrice')]
  await expect(inTransaction(database.db, (trx) => syncFunctions(trx, { files }))).rejects.toThrow(
    'functions/thrice.sql does not create a function named thrice',
  )
  expect(await definitionsIn(database)).toEqual({})
})

test('a node of an older release refuses functions of a newer one, and starts if they are identical', async () => {
  const database = await unmigrated()
  await sync(database, [twice(2)], '1.10.0')
  await expect(sync(database, [twice(3)], '1.9.0')).rejects.toThrow(
    'The database belongs to a newer release of Guerdon: release 1.10.0 has written the function twice, and this is 1.9.0.',
  )
  await expect(sync(database, [], '1.9.0')).rejects.toThrow('newer release')
  expect(await answer(database)).toBe(42)
  expect(await sync(database, [twice(2)], '1.9.0')).toEqual([])
  expect(await sync(database, [twice(3)], '1.10.1')).toEqual(['twice'])
})

test('a node of an older release refuses an unknown migration, and changes nothing', async () => {
  const database = await migrated() // nobody needs it afterwards
  await database.execute(`insert into migrations (name) values ('9999-of-tomorrow')`)
  await database.execute('drop function event_data(text, text) cascade')
  const start = migrate(database.db, async () => {})
  await expect(start).rejects.toThrow(
    /^The database belongs to a newer release of Guerdon: it has migration 9999-of-tomorrow, and this is \d.*Start the newer release/,
  )
  expect(Object.keys(await definitionsIn(database))).not.toContain('event_data(data text, parts text)')
})
