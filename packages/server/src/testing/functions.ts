import { readdirSync, readFileSync } from 'node:fs'
import type { Database } from '../core/db/database.ts'

const folder = new URL('../core/db/functions/', import.meta.url)

/** The files of the functions, by the function's name. */
export const functionFiles = (): Map<string, string> =>
  new Map(
    readdirSync(folder)
      .filter((file) => file.endsWith('.sql'))
      .map((file) => [file.slice(0, -'.sql'.length), readFileSync(new URL(file, folder), 'utf8')]),
  )

/** The definition of every function in the database's schema, by its signature. */
export async function definitionsIn(database: Database, schema = 'public'): Promise<Record<string, string>> {
  const { rows } = await database.execute(
    `select p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')' as signature,
      replace(pg_get_functiondef(p.oid), n.nspname || '.', '') as definition
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname = $1`,
    [schema],
  )
  return Object.fromEntries(
    (rows as Array<{ signature: string; definition: string }>).map((row) => [row.signature, row.definition]),
  )
}

/** The definitions that the files create on this database: versions of PostgreSQL print the same function differently. */
export async function definitionsOfFiles(database: Database): Promise<Record<string, string>> {
  const create = [...functionFiles().values()].join('\n')
  await database.execute(`create schema files; set search_path = files, public; ${create} reset search_path`)
  const definitions = await definitionsIn(database, 'files')
  await database.execute('drop schema files cascade')
  return definitions
}
