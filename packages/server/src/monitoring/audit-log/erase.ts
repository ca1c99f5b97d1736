import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../core/db/database.ts'
import type { AuditBodiesRow } from '../../core/db/tables.ts'
import { compress, decompress } from './bodies.ts'

/** Rows that are read and changed by one statement. */
const [bodiesAtOnce, entriesAtOnce] = [50, 5_000]

/**
 * Overwrites a text with asterisks in the whole log of a project: in bodies and URLs, as it is, and as JSON and URLs encode it. The
 * permanent deletion of a customer does not do so by itself (docs/decisions/0049-audit-log.md). Returns how many rows were changed.
 */
export async function eraseFromAuditLog(db: Db, projectId: string, text: string): Promise<number> {
  const spellings = [...new Set([text, JSON.stringify(text).slice(1, -1), encodeURIComponent(text)])]
  return (await eraseFromBodies(db, projectId, spellings)) + (await eraseFromEntries(db, projectId, spellings))
}

async function eraseFromBodies(db: Db, projectId: string, spellings: readonly string[]): Promise<number> {
  let changed = 0
  for (let after = ''; ; ) {
    const { rows } = await sql<Pick<AuditBodiesRow, 'id' | 'data'>>`
      select id, data from audit_bodies where project_id = ${projectId} and id > ${after}
      order by id limit ${sql.lit(bodiesAtOnce)}`.execute(db)
    for (const { id, data } of rows) {
      const bytes = await decompress(data)
      if (!overwrite(bytes, spellings)) continue
      const erased = compress(bytes)
      await sql`update audit_bodies set data = ${erased} where project_id = ${projectId} and id = ${id}`.execute(db)
      changed += 1
    }
    const last = rows.at(-1)
    if (last === undefined) return changed
    after = last.id
  }
}

/** The bytes keep their places, by which entries find their bodies. Returns whether there was anything to overwrite. */
function overwrite(bytes: Buffer, spellings: readonly string[]): boolean {
  let isChanged = false
  for (const spelling of spellings) {
    const sought = Buffer.from(spelling)
    for (let at = bytes.indexOf(sought); at >= 0; at = bytes.indexOf(sought, at + sought.length)) {
      bytes.fill('*', at, at + sought.length)
      isChanged = true
    }
  }
  return isChanged
}

/** Columns with text of the caller. Entries of an earlier release have their bodies in their own row. */
const columns = ['url', 'channel', 'client_request_id', 'request_body', 'response_body'] as const

async function eraseFromEntries(db: Db, projectId: string, spellings: readonly string[]): Promise<number> {
  const erased = (column: string): RawBuilder<string> =>
    spellings.reduce(
      (value, spelling) => sql`replace(${value}, ${spelling}, '***')`,
      sql.ref(`e.${column}`) as RawBuilder<string>,
    )
  const contains = columns.flatMap((column) =>
    spellings.map((spelling) => sql`position(${spelling} in ${sql.ref(`e.${column}`)}) > 0`),
  )
  const assignments = columns.map((column) => sql`${sql.ref(column)} = ${erased(column)}`)
  let changed = 0
  for (let after = ''; ; ) {
    const { rows } = await sql<{ last: string | null; changed: number }>`
      with page as materialized (
        select id from audit_log where project_id = ${projectId} and id > ${after} order by id limit ${sql.lit(entriesAtOnce)}
      ), changed as (
        update audit_log e set ${sql.join(assignments)} from page
        where e.project_id = ${projectId} and e.id = page.id and (${sql.join(contains, sql` or `)}) returning 1
      )
      select (select max(id) from page) as last, (select count(*) from changed)::int as changed`.execute(db)
    const [page] = rows
    changed += page?.changed ?? 0
    if (page === undefined || page.last === null) return changed
    after = page.last
  }
}
