import { sql } from 'kysely'
import { tablesWithProjects } from '../../account/projects/purge.ts'
import type { Db } from '../../core/db/database.ts'

/** Tables with rows of projects that stay where they are, and why. Every other one is exported, so that a new table cannot be forgotten. */
export const tablesLeftOut: Readonly<Record<string, string>> = {
  audit_bodies: 'the record of requests to this installation, kept for a time that its operator sets',
  audit_log: 'the record of requests to this installation, kept for a time that its operator sets',
  call_windows: 'counters of calls against rate limits',
  configuration_deletions: 'tells the caches of nodes what was deleted; none has the imported project in its cache',
  exports: 'CSV files that were made on request; they can be made again',
  file_chunks: 'uploads and downloads, which expire',
  files: 'uploads and downloads, which expire',
  guards: 'versions for decisions that run at this moment; made when needed',
  holds: 'units and credits that open sessions hold for minutes',
  idempotency_keys: 'replies to repeated requests of the last hours',
  oauth_tokens: 'tokens that expire within the hour',
  project_users: 'people belong to the installation; its owners get the role ADMIN in an imported project',
  statistics_history: 'added up again from the imported rows',
  statistics_orders: 'added up again from the imported rows',
  statistics_progress: 'added up again from the imported rows',
  statistics_refusals: 'added up again from the imported rows',
  statistics_sums: 'added up again from the imported rows',
  webhook_sendouts: 'what this installation sends: the other one would send it a second time',
}

const positionReason = 'the id of a transaction of this database server'

/** Columns with values that mean something in one database only. Their default applies in the other. */
export const columnsLeftOut: Readonly<Record<string, string>> = {
  'event_rows.position': positionReason,
  'orders.position': positionReason,
  'postings.position': positionReason,
  'publications.position': positionReason,
  'redemptions.position': positionReason,
  'segments.walk_after': positionReason,
  'webhooks.lease_node': 'the node that delivers at this moment',
  'webhooks.lease_until': 'the node that delivers at this moment',
  'projects.config_version': 'counts changes for the caches of nodes',
  'projects.deleted_at': 'an export is of a project that is not deleted',
  'projects.id': 'in the header, where --as replaces it',
  'projects.is_sandbox': 'an installation has one sandbox project, made at its first start',
}

/** A table with rows to move. */
export interface MovedTable {
  name: string
  /** Columns of its primary key: the order of the rows. */
  key: string[]
  /** Columns in the file. */
  columns: string[]
  /** Those of type jsonb that are never NULL: a null of the file is that of JSON. */
  required_json: string[]
  /** Whether its rows carry the configuration version of their last change, which the import sets. */
  is_configuration: boolean
}

/** The tables to move in the order in which their rows can be inserted, from the catalogue of the database. */
export async function listMovedTables(db: Db): Promise<MovedTable[]> {
  const [columns, requiredJson] = [await columnsByTable(db), await columnsByTable(db, requiredJsonSql)]
  const tables = (await tablesWithProjects(db))
    .filter(({ name, is_detached }) => !(name in tablesLeftOut || is_detached))
    .map(({ name, key }) => {
      const all = columns.get(name) ?? []
      return {
        name,
        key,
        columns: all.filter((column) => column !== 'project_id' && column !== versionColumn),
        required_json: requiredJson.get(name) ?? [],
        is_configuration: all.includes(versionColumn),
      }
    })
  return parentsFirst(tables, await listParents(db))
}

/** The columns of `projects` in the header of a file. */
export async function projectColumns(db: Db): Promise<string[]> {
  return (await columnsByTable(db)).get('projects') as string[]
}

const versionColumn = 'config_version'

const requiredJsonSql = sql<boolean>`udt_name = 'jsonb' and is_nullable = 'NO'`

/** Columns that can be written, without those that are left out. */
async function columnsByTable(db: Db, condition = sql<boolean>`true`): Promise<Map<string, string[]>> {
  const { rows } = await sql<{ name: string; columns: string[] }>`
    select table_name::text as name, array_agg(column_name::text order by ordinal_position) as columns
    from information_schema.columns
    where table_schema = current_schema() and is_generated = 'NEVER'
      and table_name || '.' || column_name <> all(${Object.keys(columnsLeftOut)}::text[]) and ${condition}
    group by table_name`.execute(db)
  return new Map(rows.map(({ name, columns }) => [name, columns]))
}

interface Parent {
  child: string
  parent: string
}

async function listParents(db: Db): Promise<Parent[]> {
  const { rows } = await sql<Parent>`
    select c.relname::text as child, p.relname::text as parent from pg_constraint k
    join pg_class c on c.oid = k.conrelid join pg_class p on p.oid = k.confrelid
    where k.contype = 'f' and c.relnamespace = current_schema()::regnamespace`.execute(db)
  // A trigger writes a send-out for every inserted event that a webhook asked for: old events must not be sent again.
  return [...rows, { child: 'webhooks', parent: 'event_rows' }]
}

function parentsFirst(tables: readonly MovedTable[], parents: readonly Parent[]): MovedTable[] {
  const sorted: MovedTable[] = []
  let waiting = [...tables]
  while (waiting.length > 0) {
    const isFree = ({ name }: MovedTable) =>
      !parents.some(({ child, parent }) => child === name && waiting.some((other) => other.name === parent))
    const free = waiting.filter(isFree)
    if (free.length === 0) throw new Error(`Tables refer to each other: ${waiting.map(({ name }) => name).join(', ')}`)
    sorted.push(...free)
    waiting = waiting.filter((table) => !free.includes(table))
  }
  return sorted
}
