import { type PGlite, protocol, types } from '@electric-sql/pglite'
import type { QueryResult } from 'kysely'
import { FrequentStatements } from './prepared-statements.ts'

const { serialize } = protocol

/** What PGlite said of a statement when it was prepared. */
interface Prepared {
  name: string
  /** Of its parameters. */
  type_ids: readonly number[]
  /** Null: it answers no rows. */
  fields: ReadonlyArray<{ name: string; dataTypeID: number }> | null
}

type Message = Awaited<ReturnType<PGlite['execProtocol']>>['messages'][number]

/** There is one connection, which keeps them all. */
const preparedMax = 500

/**
 * Runs statements on PGlite. It reads and plans each anew, in six calls of the database; what comes often is prepared here, and is
 * one call from then on, which takes a third of the time.
 */
export class PgliteStatements {
  readonly #pglite: PGlite
  readonly #often = new FrequentStatements(preparedMax)
  readonly #prepared = new Map<string, Prepared>()

  constructor(pglite: PGlite) {
    this.#pglite = pglite
  }

  async run<Row>(text: string, values: readonly unknown[]): Promise<QueryResult<Row>> {
    const name = values.length === 0 ? undefined : this.#often.statementNameOf(text)
    if (name === undefined) {
      const { rows, affectedRows } = await this.#pglite.query<Row>(text, [...values])
      return affectedRows === undefined ? { rows } : { rows, numAffectedRows: BigInt(affectedRows) }
    }
    try {
      const known = this.#prepared.get(name) ?? (await this.#prepare(name, text))
      return this.#read(known, await this.#execute(known, values))
    } catch (error) {
      this.#often.resetIfSchemaChanged(error)
      throw error
    }
  }

  /** `begin` and the like: without parameters or rows. */
  async command(text: string): Promise<void> {
    await this.#pglite.execProtocol(serialize.query(text))
  }

  async #prepare(name: string, text: string): Promise<Prepared> {
    const { messages } = await this.#pglite.execProtocol(
      oneAfterAnother([serialize.parse({ name, text }), serialize.describe({ type: 'S', name }), serialize.sync()]),
    )
    const prepared = { name, type_ids: [] as readonly number[], fields: null as Prepared['fields'] }
    for (const message of messages) {
      if ('dataTypeIDs' in message) prepared.type_ids = message.dataTypeIDs as number[]
      if (message.name === 'rowDescription')
        prepared.fields = (message as unknown as { fields: Prepared['fields'] }).fields
    }
    this.#prepared.set(name, prepared)
    return prepared
  }

  async #execute({ name, type_ids }: Prepared, values: readonly unknown[]): Promise<readonly Message[]> {
    const texts = values.map((value, place) => {
      if (value === null || value === undefined) return null
      const written = this.#pglite.serializers[type_ids[place] as number]
      return written === undefined ? String(value) : written(value)
    })
    const { messages } = await this.#pglite.execProtocol(
      oneAfterAnother([serialize.bind({ statement: name, values: texts }), serialize.execute({}), serialize.sync()]),
    )
    return messages
  }

  #read<Row>({ fields }: Prepared, messages: readonly Message[]): QueryResult<Row> {
    const rows: Row[] = []
    let affected: bigint | undefined
    for (const message of messages) {
      if (message.name === 'dataRow') rows.push(this.#rowOf(fields ?? [], message as unknown as DataRow) as Row)
      else if (message.name === 'commandComplete') affected = affectedBy((message as unknown as { text: string }).text)
    }
    return affected === undefined ? { rows } : { rows, numAffectedRows: affected }
  }

  #rowOf(fields: NonNullable<Prepared['fields']>, { fields: values }: DataRow): Record<string, unknown> {
    const row: Record<string, unknown> = {}
    for (const [place, { name, dataTypeID }] of fields.entries())
      row[name] = types.parseType(values[place] ?? null, dataTypeID, this.#pglite.parsers)
    return row
  }
}

interface DataRow {
  fields: ReadonlyArray<string | null>
}

/** `INSERT 0 3` and `UPDATE 3` are 3. */
function affectedBy(command: string): bigint | undefined {
  return /^(?:INSERT|UPDATE|DELETE|MERGE)\b/.test(command) ? BigInt(command.split(' ').at(-1) as string) : undefined
}

function oneAfterAnother(messages: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(messages.reduce((length, message) => length + message.length, 0))
  let at = 0
  for (const message of messages) {
    all.set(message, at)
    at += message.length
  }
  return all
}
