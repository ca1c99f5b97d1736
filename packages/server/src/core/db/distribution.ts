import { sql } from 'kysely'
import { limits } from '../lib/limits.ts'
import type { Db } from './database.ts'
import { keepPositionsAscending, positionedTables } from './event-positions.ts'
import { syncFunctions } from './sync-functions.ts'
import { inTransaction } from './transaction.ts'

/** Something that a database lacks to be distributed by project. */
interface DistributionStep {
  name: string
  run(db: Db): Promise<unknown>
}

interface Distribution {
  /** What only an operator can change; as long as there is any, nothing is distributed. */
  obstacles: string[]
  /** What is to do, in this order. Empty when everything is distributed. */
  steps: DistributionStep[]
}

/** Shards of each table when nothing else is asked for: it bounds how many workers can share the projects. */
const defaultShards = 16

/**
 * Compares a database with what the distribution by project needs (docs/decisions/0082-distributed-by-project.md). Reads the catalogue
 * rather than a list of tables, so that what a later migration adds is found too. Changes nothing.
 */
export async function planDistribution(db: Db, { shards = defaultShards } = {}): Promise<Distribution> {
  const missing = await whyNotReady(db)
  if (missing !== null) return { obstacles: [missing], steps: [] }
  const tables = await tablesOf(db)
  const obstacles = [...(await obstaclesIn(db, tables))]
  const steps = [
    ...(await settingSteps(db)),
    ...(await indexSteps(db, tables)),
    ...(await sequenceSteps(db)),
    ...tableSteps(tables, shards),
    ...(await localCopySteps(db)),
  ]
  // Functions and triggers need the tables on the workers.
  if (tables.every(({ is_done }) => is_done)) {
    steps.push(...(await positionSteps(db)))
    steps.push(...(await functionSteps(db)))
  } else
    steps.push({
      name: 'Send the functions to the workers and the positions of events to the shards',
      run: async () => {},
    })
  return { obstacles, steps }
}

/**
 * Does what is missing and returns the names of what it did. It undistributes nothing and can be interrupted and repeated: each step is
 * a statement or transaction of its own, and is planned from the catalogue.
 */
export async function distribute(
  db: Db,
  { shards = defaultShards, onStep = () => {} }: { shards?: number; onStep?: (name: string) => void } = {},
): Promise<string[]> {
  const done: string[] = []
  for (let round = 0; round < roundsMax; round += 1) {
    const { obstacles, steps } = await planDistribution(db, { shards })
    if (obstacles.length > 0) throw new Error(obstacles.join('\n'))
    if (steps.length === 0) return done
    // The settings of a database are those of its later connections.
    for (const [name, value] of databaseSettings)
      if (name.startsWith('citus.')) await sql`select set_config(${name}, ${value}, false)`.execute(db)
    for (const { name, run } of steps) {
      onStep(name)
      await run(db)
      done.push(name)
    }
  }
  throw new Error('The database still differs from what was done. guerdon distribute --check says where.')
}

/** Tables, then functions, then a plan that finds nothing. */
const roundsMax = 4

async function whyNotReady(db: Db): Promise<string | null> {
  const { rows } = await sql<{ has_extension: boolean; has_tables: boolean }>`
    select exists (select from pg_extension where extname = 'citus') as has_extension,
      to_regclass('projects') is not null as has_tables`.execute(db)
  if (rows[0]?.has_tables !== true) return 'The database is empty: run guerdon migrate first.'
  if (!rows[0].has_extension)
    return 'The extension citus is missing: install Citus on the coordinator and the workers, and create the extension in this database on each of them.'
  const { rows: nodes } = await sql<{ is_coordinator: boolean; workers: number }>`
    select coalesce((select groupid = 0 from pg_dist_local_group), false) as is_coordinator,
      (select count(*)::int from pg_dist_node where isactive and shouldhaveshards and noderole = 'primary') as workers`.execute(
    db,
  )
  if (nodes[0]?.is_coordinator !== true) return 'This is not the coordinator: DATABASE_URL must name the coordinator.'
  if (nodes[0].workers === 0)
    return 'The coordinator knows no node that may have shards: add the workers with citus_add_node first.'
  return null
}

export interface DistributedTable {
  name: string
  /** The column by which it is distributed; null for a table that every node has whole. */
  column: string | null
  /** How many foreign keys lead from it, one after the other: a referenced table comes first. */
  depth: number
}

interface TableState extends DistributedTable {
  is_done: boolean
}

/** Tables without `project_id` that the functions and triggers on the workers read. */
const referenceTables = ['event_positions']

/**
 * Projects by their id, and every table with `project_id` beside them. Keys, tokens and the rights of users have that column too, but
 * are found by something else: their primary key is without it, or they refer to users. They stay on the coordinator, as everything
 * that belongs to the installation, so that a call is admitted and a person signs in whatever worker is down.
 */
export async function tablesToDistribute(db: Db): Promise<DistributedTable[]> {
  const { rows } = await sql<DistributedTable>`
    with recursive candidates as (
      select c.oid, c.relname::text as name from pg_class c
      where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
        and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
    ), shared as (
      select t.oid, t.name, a.attname::text as column from candidates t
      join pg_attribute a on a.attrelid = t.oid
        and a.attname = case when t.name = 'projects' then 'id' else 'project_id' end
      where not exists (select from pg_constraint k where k.conrelid = t.oid and k.contype = 'p' and a.attnum <> all(k.conkey))
    ), excluded (oid) as (
      select t.oid from candidates t where t.oid not in (select oid from shared)
      union
      select k.conrelid from excluded e join pg_constraint k on k.confrelid = e.oid and k.contype = 'f'
    ), level (oid, depth) as (
      select oid, 0 from shared
      union all
      select k.conrelid, l.depth + 1 from level l
      join pg_constraint k on k.confrelid = l.oid and k.contype = 'f' and k.conrelid <> k.confrelid
    )
    select s.name, s.column, max(l.depth)::int as depth
    from shared s join level l on l.oid = s.oid where s.oid not in (select oid from excluded)
    group by s.oid, s.name, s.column
    union all
    select t.name, null, -1
    from candidates t where t.name = any(${referenceTables}::text[])
    order by depth, name`.execute(db)
  const isProjects = ({ name }: DistributedTable) => name === 'projects'
  const [projects] = rows.filter(isProjects)
  // The others are put beside the projects.
  return [
    ...rows.filter(({ column }) => column === null),
    ...(projects === undefined ? [] : [projects]),
    ...rows.filter((table) => table.column !== null && !isProjects(table)),
  ]
}

async function tablesOf(db: Db): Promise<TableState[]> {
  const { rows } = await sql<{ name: string }>`select logicalrelid::text as name from pg_dist_partition`.execute(db)
  const done = new Set(rows.map(({ name }) => name))
  return (await tablesToDistribute(db)).map((table) => ({ ...table, is_done: done.has(table.name) }))
}

const tableSteps = (tables: readonly TableState[], shards: number): DistributionStep[] =>
  tables
    .filter(({ is_done }) => !is_done)
    .map(({ name, column }) => ({
      name: column === null ? `Copy ${name} to every node` : `Distribute ${name} by ${column}`,
      run: (db) => {
        if (column === null) return sql`select create_reference_table(${name})`.execute(db)
        if (name === 'projects')
          return sql`select create_distributed_table(${name}, ${column}, shard_count => ${shards}::int)`.execute(db)
        return sql`select create_distributed_table(${name}, ${column}, colocate_with => 'projects')`.execute(db)
      },
    }))

/** Rows that were here before stay in the table of the coordinator, where nothing reads them. */
async function localCopySteps(db: Db): Promise<DistributionStep[]> {
  const { rows } = await sql<{ name: string }>`
    select c.oid::regclass::text as name from pg_dist_partition d join pg_class c on c.oid = d.logicalrelid
    where d.partmethod = 'h' and c.relkind = 'r' and pg_relation_size(c.oid) > 0 order by 1`.execute(db)
  return rows.map(({ name }) => ({
    name: `Free the space of ${name} on the coordinator`,
    run: (to) => sql`select truncate_local_data_after_distributing_table(${name})`.execute(to),
  }))
}

/** Unique indexes whose values are random: without the index none is given twice either. */
export const randomlyUnique = ['files_token_hash_key']

interface Index {
  name: string
  table: string
  columns: string
  constraint: string | null
}

/** A unique index can only be kept where its rows are together: it has to contain the column by which they are distributed. */
export async function scatteredIndexes(db: Db, tables: readonly DistributedTable[]): Promise<Index[]> {
  const { rows } = await sql<Index>`
    select i.indexrelid::regclass::text as name, t.name as table, k.conname::text as constraint,
      (select string_agg(quote_ident(a.attname), ', ' order by place) from unnest(i.indkey::int2[]) with ordinality c (number, place)
        join pg_attribute a on a.attrelid = i.indrelid and a.attnum = c.number) as columns
    from unnest(${tables.map(({ name }) => name)}::text[], ${tables.map(({ column }) => column)}::text[]) t (name, distributed_by)
    join pg_index i on i.indrelid = t.name::regclass and i.indisunique
    left join pg_constraint k on k.conindid = i.indexrelid and k.conrelid = i.indrelid
    where t.distributed_by is not null and not exists (
      select from pg_attribute a where a.attrelid = i.indrelid and a.attname = t.distributed_by and a.attnum = any(i.indkey::int2[]))
    order by 1`.execute(db)
  return rows
}

async function indexSteps(db: Db, tables: readonly TableState[]): Promise<DistributionStep[]> {
  const found = await scatteredIndexes(db, tables)
  return found
    .filter(({ name }) => randomlyUnique.includes(name))
    .map(({ name, table, columns, constraint }) => ({
      name: `Replace the unique index ${name} by an ordinary one: its values are random`,
      run: (to) =>
        inTransaction(to, async (trx) => {
          await (constraint === null
            ? sql`drop index ${sql.raw(name)}`
            : sql`alter table ${sql.table(table)} drop constraint ${sql.id(constraint)}`
          ).execute(trx)
          await sql`create index ${sql.raw(name)} on ${sql.table(table)} (${sql.raw(columns)})`.execute(trx)
        }),
    }))
}

/** What the catalogue shows and no step mends: it came with a change of the schema that did not think of this. */
async function obstaclesIn(db: Db, tables: readonly TableState[]): Promise<string[]> {
  const indexes = (await scatteredIndexes(db, tables)).filter(({ name }) => !randomlyUnique.includes(name))
  const { rows: keys } = await sql<{ name: string; from: string; to: string }>`
    select k.conname::text as name, k.conrelid::regclass::text as from, k.confrelid::regclass::text as to from pg_constraint k
    where k.contype = 'f' and k.conparentid = 0
      and (k.conrelid::regclass::text = any(${tables.map(({ name }) => name)}::text[]))
        <> (k.confrelid::regclass::text = any(${tables.map(({ name }) => name)}::text[]))
    order by 1`.execute(db)
  return [
    ...indexes.map(
      ({ name, table }) => `The unique index ${name} of ${table} does not contain the project: no node can keep it.`,
    ),
    ...keys.map(
      ({ name, from, to }) => `The foreign key ${name} leads from ${from} to ${to}, of which only one is distributed.`,
    ),
  ]
}

/**
 * Settings of a session do not travel to the workers: there they belong to the database. The functions and triggers on the shards use
 * other tables of the same project, which are on the same worker.
 */
const databaseSettings: ReadonlyArray<readonly [name: string, value: string]> = [
  ['timezone', 'UTC'],
  // Functions switch plans off that read whole tables. Beside such a plan the cost of any other one looks worth compiling.
  ['jit', 'off'],
  ['lock_timeout', `${limits.lock_timeout_seconds}s`],
  ['citus.enable_unsafe_triggers', 'on'],
  ['citus.allow_nested_distributed_execution', 'on'],
]

async function settingSteps(db: Db): Promise<DistributionStep[]> {
  const { rows } = await sql<{ node: string; database: string; success: boolean; settings: string | null }>`
    select n.nodename || ':' || n.nodeport as node, current_database()::text as database, r.success, r.result as settings
    from run_command_on_all_nodes('select coalesce(array_to_string(setconfig, chr(10)), '''') from pg_database d
      left join pg_db_role_setting s on s.setdatabase = d.oid and s.setrole = 0 where d.datname = current_database()') r
    join pg_dist_node n using (nodeid)`.execute(db)
  const steps: DistributionStep[] = []
  for (const [name, value] of databaseSettings) {
    const line = `${name}=${value}`.toLowerCase()
    const without = rows.filter(({ settings }) => !(settings ?? '').toLowerCase().split('\n').includes(line))
    if (without.length === 0) continue
    steps.push({
      name: `Set ${name} = ${value} for the database on ${without.map(({ node }) => node).join(', ')}`,
      run: (to) => setOnAllNodes(to, name, value),
    })
  }
  return steps
}

/** On every node by itself: which statements the coordinator passes on depends on the release of Citus. */
async function setOnAllNodes(db: Db, name: string, value: string): Promise<void> {
  const { rows } = await sql<{ success: boolean; result: string }>`
    select r.success, r.result from run_command_on_all_nodes(format(
      'do $do$ begin perform set_config(''citus.enable_ddl_propagation'', ''off'', true); alter database %I set %s to %L; end $do$',
      current_database(), ${name}::text, ${value}::text)) r`.execute(db)
  const failed = rows.find(({ success }) => !success)
  if (failed !== undefined) throw new Error(`Setting ${name} for the database failed: ${failed.result}`)
}

/**
 * Functions on the workers draw from these sequences. Citus gives a worker the sequences in defaults of distributed tables, each
 * with a range of its own.
 */
export const sequenceColumns = [
  { sequence: 'guard_versions', table: 'guards', column: 'version', value: `nextval('guard_versions')` },
  {
    sequence: 'webhook_sendout_numbers',
    table: 'webhook_sendouts',
    column: 'id',
    value: `(nextval('webhook_sendout_numbers')::text)`,
  },
]

async function sequenceSteps(db: Db): Promise<DistributionStep[]> {
  const { rows } = await sql<{ sequence: string }>`
    select s.sequence from unnest(${sequenceColumns.map(({ sequence }) => sequence)}::text[]) s (sequence)
    where not exists (select from pg_depend d
      where d.classid = 'pg_attrdef'::regclass and d.refobjid = s.sequence::regclass)`.execute(db)
  return sequenceColumns
    .filter(({ sequence }) => rows.some((row) => row.sequence === sequence))
    .map(({ sequence, table, column, value }) => ({
      name: `Give the workers the sequence ${sequence}`,
      run: (to) =>
        sql`alter table ${sql.table(table)} alter column ${sql.id(column)} set default ${sql.raw(value)}`.execute(to),
    }))
}

/**
 * The default of a position is evaluated on the coordinator, while those who read positions compare them with the transactions of the
 * worker. So a trigger on the shards sets it.
 */
async function positionSteps(db: Db): Promise<DistributionStep[]> {
  const { rows } = await sql<{ table: string }>`
    select t.name as table from unnest(${positionedTables}::text[]) t (name)
    where not exists (select from pg_trigger g where g.tgrelid = t.name::regclass and g.tgname = 'positioned')
    order by 1`.execute(db)
  if (rows.length === 0) return []
  return [
    ...rows.map(({ table }) => ({
      name: `Let the shards of ${table} set the position of new rows`,
      run: (to: Db) =>
        sql`create trigger positioned before insert on ${sql.table(table)} for each row execute function mark_changed_order()`.execute(
          to,
        ),
    })),
    {
      name: 'Let new rows follow those that were written before',
      run: (to) => inTransaction(to, (trx) => keepPositionsAscending(trx)),
    },
  ]
}

/**
 * Functions whose first parameter is the project run on the worker that has it, in one trip. Within a transaction Citus sends only those
 * there that are forced to, and it does not let a forced one insert from a query: one that does runs on the coordinator then, which sends
 * its statements one by one.
 */
async function functionSteps(db: Db): Promise<DistributionStep[]> {
  const changed = await inTransaction(db, (trx) => syncFunctions(trx, { dry_run: true }))
  if (changed.length > 0)
    return [
      {
        name: `Replace the functions ${changed.join(', ')}`,
        run: (to) => inTransaction(to, (trx) => syncFunctions(trx)),
      },
    ]
  const inserts = sql`(p.prosrc ~* '\\minsert into\\M')`
  const { rows } = await sql<{ name: string; signature: string; inserts: boolean }>`
    select p.proname::text as name, p.oid::regprocedure::text as signature, ${inserts} as inserts from pg_proc p
    where p.pronamespace = current_schema()::regnamespace and p.proargnames[1] = 'project'
      and not exists (select from pg_dist_object o where o.classid = 'pg_proc'::regclass and o.objid = p.oid
        and o.distribution_argument_index = 0 and o.force_delegation = not ${inserts})
    order by 1`.execute(db)
  return rows.map(({ name, signature, inserts: isWriting }) => ({
    name: `Run ${name} on the worker of its project`,
    run: (to) =>
      sql`select create_distributed_function(${signature}, 'project', colocate_with => 'projects', force_delegation => ${!isWriting})`.execute(
        to,
      ),
  }))
}
