import { type PGlite, types } from '@electric-sql/pglite'
import type { QueryResult } from 'kysely'
import { serialize } from 'pg-protocol'
import { Parser } from 'pg-protocol/dist/parser.js'
import { discardPlans, PlanLifetime } from './plan-lifetime.ts'
import { FrequentStatements } from './prepared-statements.ts'

/** A statement as PGlite described it. */
interface Prepared {
  name: string
  /** How each parameter becomes text or bytes. */
  serializers: ReadonlyArray<(value: unknown) => string | Buffer>
  columns: ReadonlyArray<{ name: string; parse(text: string): unknown }>
  /** A row without values: a copy of it has its shape from the start. */
  empty: Readonly<Record<string, unknown>>
}

type Message = Parameters<Parameters<Parser['parse']>[1]>[0]

/** Prepared statements of the single connection. */
const preparedMax = 500

/**
 * Runs statements on PGlite, which itself would parse and plan every statement again, in six protocol calls. A statement takes two calls
 * here, and a frequent one, which is prepared, one. The messages are written and read by the library of the `pg` driver instead of that
 * of PGlite, which takes longer (docs/decisions/0061-embedded-latency.md).
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
    if (name === undefined) return this.#execute(await this.#prepare(unnamed, text), values)
    if (this.#plans.areOld()) await this.command(discardPlans)
    try {
      return await this.#execute(this.#prepared.get(name) ?? (await this.#prepare(name, text)), values)
    } catch (error) {
      this.#frequent.resetIfSchemaChanged(error, { name, text })
      throw error
    }
  }

  /** Runs a statement without parameters and rows, as `begin` and `commit`, and returns what PostgreSQL completed. */
  async command(text: string): Promise<string | undefined> {
    for (const message of await this.#send(serialize.query(text)))
      if (message.name === 'commandComplete') return (message as CommandComplete).text
    return undefined
  }

  async #prepare(name: string, text: string): Promise<Prepared> {
    const messages = await this.#send(
      Buffer.concat([serialize.parse({ name, text, types: [] }), serialize.describe({ type: 'S', name }), sync]),
    )
    let typeIds: readonly number[] = []
    let fields: RowDescription['fields'] = []
    for (const message of messages)
      if (message.name === 'parameterDescription') typeIds = (message as ParameterDescription).dataTypeIDs
      else if (message.name === 'rowDescription') fields = (message as RowDescription).fields
    const { serializers, parsers } = this.#pglite
    const prepared: Prepared = {
      name,
      serializers: typeIds.map((id) => ownSerializers[id] ?? serializers[id] ?? String),
      columns: fields.map(({ name, dataTypeID }) => ({
        name,
        parse: (text) => types.parseType(text, dataTypeID, parsers),
      })),
      empty: Object.fromEntries(fields.map(({ name }) => [name, null])),
    }
    if (name !== unnamed) this.#prepared.set(name, prepared)
    return prepared
  }

  async #execute<Row>(statement: Prepared, values: readonly unknown[]): Promise<QueryResult<Row>> {
    const { name, serializers } = statement
    const parameters = values.map((value, place) =>
      value === null || value === undefined ? null : (serializers[place] ?? String)(value),
    )
    const messages = await this.#send(
      Buffer.concat([serialize.bind({ statement: name, values: parameters }), executeAndSync]),
    )
    const rows: Row[] = []
    let affected: bigint | undefined
    for (const message of messages)
      if (message.name === 'dataRow') rows.push(rowOf(statement, (message as DataRow).fields) as Row)
      else if (message.name === 'commandComplete') affected ??= affectedBy((message as CommandComplete).text)
    return affected === undefined ? { rows } : { rows, numAffectedRows: affected }
  }

  /** Sends messages and returns the answers; throws the first error among them. */
  async #send(request: Buffer): Promise<Message[]> {
    const chunks: Buffer[] = []
    await this.#pglite.execProtocolRawStream(request, {
      syncToFs: false, // neither of the file systems used here, a folder and memory, has anything to do then
      onRawData: (bytes) => void chunks.push(Buffer.from(bytes)), // a copy: the bytes are in the memory of PGlite
    })
    const messages: Message[] = []
    let error: unknown
    const parser = new Parser()
    const answer = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)
    parser.parse(answer, (message) => {
      if (message.name === 'error') error ??= message
      else messages.push(message)
    })
    if (error !== undefined) throw error
    return messages
  }
}

/** The statement without a name lives until the next one is prepared. */
const unnamed = ''

const sync = serialize.sync()
const executeAndSync = Buffer.concat([serialize.execute(), sync])

/** Sent as bytes; PGlite would write them as hexadecimal text. */
const bytea = 17
const toBuffer = (value: unknown): Buffer => {
  const { buffer, byteOffset, length } = value as Uint8Array
  return Buffer.from(buffer, byteOffset, length)
}

/** PGlite calls a function for every value inside, in case it is a big integer. */
const [json, jsonb] = [114, 3802]
const toJson = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

const ownSerializers: Record<number, Prepared['serializers'][number]> = {
  [bytea]: toBuffer,
  [json]: toJson,
  [jsonb]: toJson,
}

interface ParameterDescription extends Message {
  dataTypeIDs: readonly number[]
}

interface RowDescription extends Message {
  fields: ReadonlyArray<{ name: string; dataTypeID: number }>
}

interface DataRow extends Message {
  fields: ReadonlyArray<string | null>
}

/** `INSERT 0 3`, `COMMIT`, … */
interface CommandComplete extends Message {
  text: string
}

function rowOf({ columns, empty }: Prepared, texts: ReadonlyArray<string | null>): Record<string, unknown> {
  const row = { ...empty }
  for (let place = 0; place < texts.length; place += 1) {
    const text = texts[place] as string | null
    const { name, parse } = columns[place] as Prepared['columns'][number]
    if (text !== null) row[name] = parse(text)
  }
  return row
}

/** `INSERT 0 3` and `UPDATE 3` are 3. */
function affectedBy(command: string): bigint | undefined {
  return /^(?:INSERT|UPDATE|DELETE|MERGE)\b/.test(command) ? BigInt(command.split(' ').at(-1) as string) : undefined
}
