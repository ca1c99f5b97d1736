import { setTimeout } from 'node:timers/promises'
import pg from 'pg'

/** Ends a statement: a semicolon at the end of its line, before a comment. */
const statementEnd = /;[ \t]*(?:--.*)?$/m

/** Runs the statements of an `sql` block one after the other, each by itself as psql would, and prints nothing. */
export async function runStatements(connectionString: string, statements: string): Promise<string> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    for (const statement of statements.split(statementEnd)) await client.query(statement)
    return ''
  } finally {
    await client.end()
  }
}

/**
 * Waits until all transactions that write now have ended: the list of events ends before the oldest of them, and other test files
 * keep theirs open on the same server.
 */
export async function untilEventsAreListed(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    const { rows } = await client.query('select pg_current_xact_id()::text as id')
    const isPast = 'select pg_snapshot_xmin(pg_current_snapshot()) > $1::xid8 as is_past'
    while (!(await client.query(isPast, [rows[0].id])).rows[0].is_past) await setTimeout(20)
  } finally {
    await client.end()
  }
}
