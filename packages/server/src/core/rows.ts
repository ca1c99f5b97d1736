import type { Insertable, Kysely, Selectable, Updateable } from 'kysely'
import type { Ctx } from './context.ts'
import { nextConfigurationVersion, recordDeletion } from './db/configuration.ts'
import type { Db } from './db/database.ts'
import type { Tables } from './db/tables.ts'
import { isDuplicate } from './db/transaction.ts'
import { type ApiError, duplicate, notFound } from './http/errors.ts'
import type { Instant } from './lib/instant.ts'

// The statements that many stores share. A store describes its table once, and writes only its own statements itself:
//
//   const categories = { table: 'categories', type: 'category', configuration_type: 'category', unique: 'name' } as const
//   const row = await getRow(ctx, categories, id)

interface Description<T extends Table> {
  table: T
  /** The type of the resource in errors. */
  type: string
  /** The column that is unique in a project, if there is one: a second row with the same value is refused with 409. */
  unique?: keyof Tables[T] & string
  /**
   * Required for tables of the cached configuration: the type under which deletions are recorded. Every write to such a table
   * takes the next configuration version, which locks the project until commit.
   */
  configuration_type?: string
}

type Resource<T extends Table> = Description<T> &
  ('config_version' extends keyof Tables[T] ? { configuration_type: string } : { configuration_type?: never })

type Table = { [T in keyof Tables]: Tables[T] extends { project_id: string; id: string } ? T : never }[keyof Tables]
type Row<T extends Table> = Selectable<Tables[T]>
type RowCtx = Pick<Ctx, 'db' | 'project_id' | 'now'>

/** Columns that must have these values. */
type Where<T extends Table> = { [K in keyof Tables[T]]?: string | null }

/** Given by a caller that has already taken the version, to lock the project before it read other rows. */
interface TakenVersion {
  config_version?: number
}

/** The columns of a new row that `insertRow` does not set. */
export type NewRow<T extends Table> = TakenVersion &
  Omit<Insertable<Tables[T]>, 'project_id' | 'created_at' | 'updated_at' | 'config_version'>

/** Columns to change; a column that is undefined keeps its value. */
export type RowChanges<T extends Table> = TakenVersion & {
  [K in Exclude<keyof Updateable<Tables[T]>, 'config_version'>]?: Updateable<Tables[T]>[K] | undefined
}

/**
 * `keyShare` (FOR KEY SHARE): no other transaction deletes the row before this one ends. `update` (FOR UPDATE): no other
 * transaction changes it or adds to it either.
 */
export type RowLock = 'keyShare' | 'update'

interface LockOption {
  lock?: RowLock | undefined
}

export async function getRow<T extends Table>(
  ctx: RowCtx,
  resource: Resource<T>,
  id: string,
  options: LockOption = {},
): Promise<Row<T>> {
  const row = await findRow(ctx, resource, { id } as Where<T>, options)
  if (row === undefined) throw notFound(resource.type, id)
  return row
}

export async function findRow<T extends Table>(
  ctx: RowCtx,
  resource: Resource<T>,
  where: Where<T>,
  { lock }: LockOption = {},
): Promise<Row<T> | undefined> {
  const row = await selectRows(ctx, resource.table, where)
    .$if(lock === 'keyShare', (query) => query.forKeyShare())
    .$if(lock === 'update', (query) => query.forUpdate())
    .executeTakeFirst()
  return row as Row<T> | undefined
}

/** All rows with these values, in the order of their creation or (`desc`) newest first. */
export async function listRows<T extends Table>(
  ctx: RowCtx,
  resource: Resource<T>,
  where: Where<T> = {},
  direction: 'asc' | 'desc' = 'asc',
): Promise<Row<T>[]> {
  const rows = selectRows(ctx, resource.table, where).orderBy('created_at', direction).orderBy('id', direction)
  return (await rows.execute()) as Row<T>[]
}

export async function countRows<T extends Table>(ctx: RowCtx, resource: Resource<T>): Promise<number> {
  const { count } = await selectRows(ctx, resource.table, {})
    .clearSelect()
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

export async function insertRow<T extends Table>(
  ctx: RowCtx,
  resource: Resource<T>,
  values: NewRow<T>,
): Promise<Row<T>> {
  const [row] = await insertRows(ctx, resource, [values])
  if (row === undefined) throw duplicateOf(resource, values)
  return row
}

/** Inserts rows and returns them in any order, without those whose unique value exists already. */
export async function insertRows<T extends Table>(
  ctx: RowCtx,
  resource: Resource<T>,
  rows: readonly NewRow<T>[],
): Promise<Row<T>[]> {
  if (rows.length === 0) return []
  const { db, project_id, now } = ctx
  const { table, unique } = resource
  const common = { project_id, created_at: now, updated_at: null, ...(await versionOf(ctx, resource, rows[0])) }
  const inserted = await generic(db)
    .insertInto(table as 'rows')
    .values(rows.map((row) => ({ ...(row as object as GenericRow), ...common })))
    .$if(unique !== undefined, (query) =>
      query.onConflict((conflict) => conflict.columns(['project_id', unique as 'id']).doNothing()),
    )
    .returningAll()
    .execute()
  return inserted as Row<T>[]
}

export async function updateRow<T extends Table>(
  ctx: RowCtx,
  resource: Resource<T>,
  id: string,
  changes: RowChanges<T>,
): Promise<Row<T>> {
  const row = await generic(ctx.db)
    .updateTable(resource.table as 'rows')
    .set({ ...changes, updated_at: ctx.now, ...(await versionOf(ctx, resource, changes)) })
    .where('project_id', '=', ctx.project_id)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
    .catch((error: unknown) => {
      const isTaken = isDuplicate(error) && resource.unique !== undefined && resource.unique in changes
      throw isTaken ? duplicateOf(resource, changes) : error
    })
  if (row === undefined) throw notFound(resource.type, id) // deleted by a concurrent request
  return row as Row<T>
}

export async function deleteRow<T extends Table>(ctx: RowCtx, resource: Resource<T>, id: string): Promise<void> {
  const { db, project_id } = ctx
  const { table, type, configuration_type } = resource
  if (configuration_type !== undefined) await recordDeletion(db, project_id, configuration_type, id)
  const { numDeletedRows } = await generic(db)
    .deleteFrom(table as 'rows')
    .where('project_id', '=', project_id)
    .where('id', '=', id)
    .executeTakeFirst()
  if (numDeletedRows === 0n) throw notFound(type, id) // deleted by a concurrent request
}

/** Kysely cannot check a statement whose table is a type parameter, so this file sees every table with these columns. */
interface GenericRow {
  project_id: string
  id: string
  created_at: Instant
  updated_at: Instant | null
  config_version?: number
}

const generic = (db: Db) => db as unknown as Kysely<{ rows: GenericRow }>

function selectRows({ db, project_id }: RowCtx, table: Table, where: object) {
  const rows = generic(db)
    .selectFrom(table as 'rows')
    .where('project_id', '=', project_id)
  return Object.entries(where)
    .reduce((query, [column, value]) => query.where(column as 'id', value === null ? 'is' : '=', value), rows)
    .selectAll()
}

async function versionOf<T extends Table>(
  { db, project_id }: RowCtx,
  { configuration_type }: Resource<T>,
  taken: TakenVersion | undefined,
): Promise<TakenVersion> {
  if (configuration_type === undefined) return {}
  return { config_version: taken?.config_version ?? (await nextConfigurationVersion(db, project_id)) }
}

function duplicateOf<T extends Table>({ type, unique }: Resource<T>, columns: object): ApiError {
  return duplicate(type, unique as string, (columns as Record<string, string>)[unique as string] as string)
}
