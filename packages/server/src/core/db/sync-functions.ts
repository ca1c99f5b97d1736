import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { sql } from 'kysely'
import { version } from '../lib/version.ts'
import { isDistributed } from './is-distributed.ts'
import { isNewerRelease, NewerSchemaError } from './newer-schema.ts'
import type { Trx } from './transaction.ts'

/** One database function, in a file that `psql -f` can run: `functions/checkout_save_all.sql`. */
interface FunctionFile {
  name: string
  text: string
  sha256: string
}

const folder = new URL('./functions/', import.meta.url)

/** A distributed database finds the shard of a statement when it plans it: there a plan for any project is no plan. */
const forAnyProject = 'set plan_cache_mode = force_generic_plan '

function readFiles({ is_distributed }: { is_distributed: boolean }): FunctionFile[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => {
      const written = readFileSync(new URL(file, folder), 'utf8')
      const text = is_distributed ? written.replace(forAnyProject, '') : written
      return { name: file.slice(0, -'.sql'.length), text, sha256: createHash('sha256').update(text).digest('hex') }
    })
}

/**
 * Makes the functions of the database equal to their files, in the transaction of the migrations and under their lock. Replaces
 * a function if its file has changed since it was applied, or if its definition in the database differs from the applied one;
 * drops a function whose file was removed. Returns the names of the replaced and dropped functions; with `dry_run`, of those that it
 * would replace or drop.
 *
 * Nodes of the previous release may still call the old function: a function whose parameters or meaning change gets a new name,
 * and the file with the old name stays for one release.
 */
export async function syncFunctions(
  trx: Trx,
  given: { files?: readonly FunctionFile[]; release?: string; dry_run?: boolean } = {},
): Promise<string[]> {
  const { files = readFiles({ is_distributed: await isDistributed(trx) }), release = version, dry_run = false } = given
  await sql`create table if not exists schema_functions (
    name text primary key,
    file_sha256 text not null,
    definition_sha256 text not null,
    release text not null,
    applied_at timestamptz(3) not null default now())`.execute(trx)
  const { rows: applied } = await sql<AppliedFunction>`
    select name, file_sha256, definition_sha256, release from schema_functions`.execute(trx)
  const appliedByName = new Map(applied.map((row) => [row.name, row]))
  const found = await definitionsOf(trx, [...files.map(({ name }) => name), ...appliedByName.keys()])
  const stale = files.filter((file) => !isCurrent(file, appliedByName.get(file.name), found.get(file.name) ?? []))
  const fileNames = new Set(files.map(({ name }) => name))
  const removed = applied.filter(({ name }) => !fileNames.has(name))
  refuseNewer([...stale.flatMap(({ name }) => appliedByName.get(name) ?? []), ...removed], release)
  const names = [...stale, ...removed].map(({ name }) => name)
  if (dry_run) return names
  for (const file of stale) await replaceFunction(trx, file, found.get(file.name) ?? [], release)
  for (const { name } of removed) {
    await dropFunctions(trx, found.get(name) ?? [])
    await sql`delete from schema_functions where name = ${name}`.execute(trx)
  }
  return names
}

interface AppliedFunction {
  name: string
  file_sha256: string
  definition_sha256: string
  release: string
}

/** A function in the database; overloads share the name and differ in their parameters. */
interface Definition {
  name: string
  signature: string
  sha256: string
}

const isCurrent = (file: FunctionFile, applied: AppliedFunction | undefined, found: readonly Definition[]): boolean =>
  applied?.file_sha256 === file.sha256 && found.length === 1 && found[0]?.sha256 === applied.definition_sha256

/** A node of an older release must not replace functions that nodes of a newer release rely on. */
function refuseNewer(functions: readonly AppliedFunction[], release: string): void {
  const newer = functions.find((applied) => isNewerRelease(applied.release, release))
  if (newer !== undefined)
    throw new NewerSchemaError(`release ${newer.release} has written the function ${newer.name}`, release)
}

async function replaceFunction(
  trx: Trx,
  { name, text, sha256 }: FunctionFile,
  before: readonly Definition[],
  release: string,
): Promise<void> {
  await sql.raw(text).execute(trx)
  const after = (await definitionsOf(trx, [name])).get(name) ?? []
  const created = after.filter(({ signature }) => !before.some((old) => old.signature === signature))
  // Changed parameters create an overload: only the new one is kept.
  const [definition] = created.length > 0 ? created : after
  if (definition === undefined) throw new Error(`functions/${name}.sql does not create a function named ${name}`)
  await dropFunctions(
    trx,
    after.filter(({ signature }) => signature !== definition.signature),
  )
  await sql`
    insert into schema_functions (name, file_sha256, definition_sha256, release)
    values (${name}, ${sha256}, ${definition.sha256}, ${release})
    on conflict (name) do update set file_sha256 = excluded.file_sha256, definition_sha256 = excluded.definition_sha256,
      release = excluded.release, applied_at = excluded.applied_at`.execute(trx)
}

async function dropFunctions(trx: Trx, functions: readonly Definition[]): Promise<void> {
  for (const { signature } of functions) await sql.raw(`drop function ${signature}`).execute(trx)
}

async function definitionsOf(trx: Trx, names: readonly string[]): Promise<Map<string, Definition[]>> {
  const { rows } = await sql<Definition>`
    select p.proname as name, p.oid::regprocedure::text as signature,
      encode(sha256(convert_to(pg_get_functiondef(p.oid), 'UTF8')), 'hex') as sha256
    from pg_proc p
    where p.pronamespace = current_schema()::regnamespace and p.proname = any(${names}::text[])
    order by 1, 2`.execute(trx)
  return Map.groupBy(rows, ({ name }) => name)
}
