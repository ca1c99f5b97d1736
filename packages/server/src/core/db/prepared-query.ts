import type pg from 'pg'
import utils from 'pg/lib/utils.js'
import { serialize } from 'pg-protocol'
import { sqlState } from './transaction.ts'
import { typeParser } from './type-parsers.ts'

export interface PreparedStatement {
  name: string
  text: string
  values: readonly unknown[]
}

/** What is used of the result of a statement. */
export type StatementResult = Pick<pg.QueryResult, 'command' | 'rowCount' | 'rows'>

/** The columns of a statement's rows, as the server described them when the connection prepared it. */
interface Columns {
  names: readonly string[]
  parsers: readonly ((value: string) => unknown)[]
  /** A row without values: a copy of it has its shape from the start. */
  empty: Readonly<Record<string, unknown>>
}

/** `@types/pg` leaves out the texts that a connection has prepared, by name. */
type Connection = pg.Connection & { parsedStatements: Record<string, string | undefined> }

interface RowDescription {
  fields: { name: string; dataTypeID: number; format: string }[]
}

/**
 * Runs a prepared statement on a connection of `pg`, in place of the query class of `pg`, which asks the server to describe the
 * rows on each execution. The columns of a prepared statement cannot change: PostgreSQL fails it with "cached plan must not
 * change result type" instead. So a connection asks once, and each later execution is one piece of bytes. Behind a pooler it asks each
 * time: the next server connection may have prepared the statement after a migration.
 */
class PreparedQuery implements pg.Submittable {
  readonly name: string
  readonly text: string
  readonly answer: Promise<StatementResult>
  readonly #values: readonly unknown[]
  readonly #isPooled: boolean
  readonly #rows: Record<string, unknown>[] = []
  #known: Map<string, Columns> = none
  #columns: Columns | undefined
  #completed = ''
  #error: unknown
  #resolve: (result: StatementResult) => void = () => {}
  #reject: (error: unknown) => void = () => {}

  constructor({ name, text, values }: PreparedStatement, isPooled: boolean) {
    this.name = name
    this.text = text
    this.#values = values
    this.#isPooled = isPooled
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  /** Called by the client when it is the turn of this query; an error that it returns goes to `handleError`. */
  submit(connection: pg.Connection): Error | null {
    let bind: Buffer
    try {
      bind = serialize.bind({ statement: this.name, values: this.#values.map((value) => utils.prepareValue(value)) })
    } catch (error) {
      return error as Error
    }
    this.#known = columnsOn(connection)
    const isParsed = (connection as Connection).parsedStatements[this.name] !== undefined
    this.#columns = isParsed && !this.#isPooled ? this.#known.get(this.name) : undefined
    const messages = isParsed ? [bind] : [serialize.parse({ name: this.name, text: this.text }), bind]
    if (this.#columns === undefined) messages.push(describe)
    messages.push(executeAndSync)
    send(connection, messages, bind.length)
    return null
  }

  handleRowDescription({ fields }: RowDescription): void {
    this.#columns = {
      names: fields.map(({ name }) => name),
      parsers: fields.map(({ dataTypeID, format }) => typeParser(dataTypeID, format)),
      empty: Object.fromEntries(fields.map(({ name }) => [name, null])),
    }
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    if (this.#error !== undefined) return
    const { names, parsers, empty } = this.#columns as Columns
    const row: Record<string, unknown> = { ...empty }
    try {
      for (let index = 0; index < fields.length; index += 1) {
        const value = fields[index] as string | null
        if (value !== null) row[names[index] as string] = (parsers[index] as (value: string) => unknown)(value)
      }
      this.#rows.push(row)
    } catch (error) {
      this.#error = error
    }
  }

  handleCommandComplete({ text }: { text: string }): void {
    this.#completed = text
  }

  handleEmptyQuery(): void {}

  handleReadyForQuery(): void {
    if (this.#error !== undefined) {
      this.#reject(this.#error)
      return
    }
    this.#known.set(this.name, this.#columns ?? noColumns)
    const [command = '', ...counts] = this.#completed.split(' ')
    this.#resolve({ command, rowCount: Number(counts.at(-1) ?? 0), rows: this.#rows })
  }

  handleError(error: unknown): void {
    this.#reject(error)
  }
}

const columnsByConnection = new WeakMap<pg.Connection, Map<string, Columns>>()

function columnsOn(connection: pg.Connection): Map<string, Columns> {
  const known = columnsByConnection.get(connection)
  if (known !== undefined) return known
  const columns = new Map<string, Columns>()
  columnsByConnection.set(connection, columns)
  return columns
}

const none: Map<string, Columns> = new Map()
const noColumns: Columns = { names: [], parsers: [], empty: {} }

const describe = serialize.describe({ type: 'P' })
const executeAndSync = Buffer.concat([serialize.execute(), serialize.sync()])

/** One piece costs less than several, unless its values are so long that copying them costs more. */
function send({ stream }: pg.Connection, messages: readonly Buffer[], length: number): void {
  if (!stream.writable) return // the client fails the query when it hears that the connection has ended
  if (length <= copiedMax) {
    stream.write(Buffer.concat(messages))
    return
  }
  stream.cork()
  for (const message of messages) stream.write(message)
  stream.uncork()
}

const copiedMax = 65_536

/** Runs a prepared statement; the first time on a connection, it prepares it. */
export function runPrepared(client: pg.ClientBase, statement: PreparedStatement): Promise<StatementResult> {
  const query = new PreparedQuery(statement, false)
  client.query<pg.Submittable>(query)
  return query.answer
}

/** The same on a connection to a transaction pooler. */
export async function runPooled(client: pg.ClientBase, statement: PreparedStatement): Promise<StatementResult> {
  const query = new PreparedQuery(statement, true)
  client.query<pg.Submittable>(query)
  try {
    return await query.answer
  } catch (error) {
    if (error instanceof Error && isForgotten(error)) error.message += `. ${preparedAdvice}`
    throw error
  }
}

/** The server process has not prepared the statement, or another client has prepared it there: the pooler does not take care of that. */
export const isForgotten = (error: unknown): boolean => ['26000', '42P05'].includes(sqlState(error) ?? '')

/** What to do about a pooler that lends server connections without the prepared statements of the client. */
export const preparedAdvice =
  'The pooler of DATABASE_URL does not keep prepared statements: set DATABASE_PREPARED=off, or max_prepared_statements in PgBouncer 1.21 or newer (docs/operate/database.md).'
