import { type PGlite, protocol, types } from '@electric-sql/pglite'
import type { QueryResult } from 'kysely'
import { discardPlans, PlanLifetime } from './plan-lifetime.ts'
import { FrequentStatements } from './prepared-statements.ts'

const { serialize } = protocol

/** The description of a prepared statement by PGlite. */
interface Prepared {
  name: string
  /** Type ids of the parameters. */
  type_ids: readonly number[]
  /** Null: the statement returns no rows. */
  fields: ReadonlyArray<{ name: string; dataTypeID: number }> | null
}

type Message = Awaited<ReturnType<PGlite['execProtocol']>>['messages'][number]

/** Prepared statements of the single connection. */
const preparedMax = 500

/**
 * Runs statements on PGlite, which parses and plans every statement again, in six protocol calls. Frequent statements are
 * prepared here and take one call from then on, in a third of the time.
 */
export class PgliteStatements {
  readonly #pglite: PGlite
  readonly #frequent = new FrequentStatements(preparedMax)
  readonly #prepared = new Map<string, Prepared>()
  readonly #plans = new PlanLifetime()

  constructor(pglite: PGlite) {
    this.#pglite = pglite
  }

  async run<Row>(text: string, values: readonly unknown[]): Promise<QueryResult<Row>> {
    const name = values.length === 0 ? undefined : this.#frequent.statementNameOf(text)
    if (name === undefined) {
      const { rows, affectedRows } = await this.#pglite.query<Row>(text, [...values])
      return affectedRows === undefined ? { rows } : { rows, numAffectedRows: BigInt(affectedRows) }
    }
    if (this.#plans.areOld()) await this.command(discardPlans)
    try {
      const statement = this.#prepared.get(name) ?? (await this.#prepare(name, text))
      return this.#read(statement, await this.#execute(statement, values))
    } catch (error) {
      this.#frequent.resetIfSchemaChanged(error)
      throw error
    }
  }

  /** Runs a statement without parameters and rows, as `begin` and `commit`, and returns what PostgreSQL completed. */
  async command(text: string): Promise<string | undefined> {
    const { messages } = await this.#pglite.execProtocol(serialize.query(text))
    return messages.map(completedBy).find((command) => command !== undefined)
  }

  async #prepare(name: string, text: string): Promise<Prepared> {
    const { messages } = await this.#pglite.execProtocol(
      concatenate([serialize.parse({ name, text }), serialize.describe({ type: 'S', name }), serialize.sync()]),
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
      const serializer = this.#pglite.serializers[type_ids[place] as number]
      return serializer === undefined ? String(value) : serializer(value)
    })
    const { messages } = await this.#pglite.execProtocol(
      concatenate([serialize.bind({ statement: name, values: texts }), serialize.execute({}), serialize.sync()]),
    )
    return messages
  }

  #read<Row>({ fields }: Prepared, messages: readonly Message[]): QueryResult<Row> {
    const rows: Row[] = []
    let affected: bigint | undefined
    for (const message of messages) {
      if (message.name === 'dataRow') rows.push(this.#rowOf(fields ?? [], message as unknown as DataRow) as Row)
      else affected ??= affectedBy(completedBy(message) ?? '')
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

/** `INSERT 0 3`, `COMMIT`, …; undefined for a message of another kind. */
const completedBy = (message: Message): string | undefined =>
  message.name === 'commandComplete' ? (message as unknown as { text: string }).text : undefined

interface DataRow {
  fields: ReadonlyArray<string | null>
}

/** `INSERT 0 3` and `UPDATE 3` are 3. */
function affectedBy(command: string): bigint | undefined {
  return /^(?:INSERT|UPDATE|DELETE|MERGE)\b/.test(command) ? BigInt(command.split(' ').at(-1) as string) : undefined
}

function concatenate(messages: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(messages.reduce((length, message) => length + message.length, 0))
  let at = 0
  for (const message of messages) {
    all.set(message, at)
    at += message.length
  }
  return all
}
