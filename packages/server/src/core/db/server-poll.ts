import { setTimeout as wait } from 'node:timers/promises'
import type pg from 'pg'
import { within } from '../lib/within.ts'
import { closeAtOnce } from './close-at-once.ts'

/** The application of the connections that ask. */
export const pollName = 'guerdon-replicas'

export interface PollOptions<Row> {
  /** A new connection, not opened yet. */
  newClient(): pg.Client
  /** Returns one row. */
  statement: string
  every_ms: number
  /** How long an answer may take. */
  answer_ms: number
  /** `askedAt` is `performance.now()` just before the statement was sent. */
  onAnswer(row: Row, askedAt: number): void
  onFailure(error: unknown): void
}

/**
 * Asks one server the same thing again and again, on a connection of its own: a busy pool must not make a server look as if it
 * did not answer.
 */
export class ServerPoll<Row> {
  readonly #options: PollOptions<Row>
  readonly #closing = new AbortController()
  readonly #ended: Promise<void>
  #client: pg.Client | null = null

  constructor(options: PollOptions<Row>) {
    this.#options = options
    this.#ended = this.#askUntilClosed()
  }

  async close(): Promise<void> {
    this.#closing.abort()
    if (this.#client !== null) closeAtOnce(this.#client)
    await this.#ended
  }

  async #askUntilClosed(): Promise<void> {
    const { signal } = this.#closing
    while (!signal.aborted) {
      await this.#ask()
      await wait(this.#options.every_ms, undefined, { signal, ref: false }).catch(() => {})
    }
    await this.#client?.end().catch(() => {})
  }

  async #ask(): Promise<void> {
    const { statement, answer_ms, onAnswer, onFailure } = this.#options
    try {
      const client = this.#client ?? (await this.#connect())
      const askedAt = performance.now()
      const { rows } = await within(answer_ms, client.query(statement), () => new Error('no answer in time'))
      onAnswer(rows[0], askedAt)
    } catch (error) {
      if (this.#client !== null) closeAtOnce(this.#client)
      this.#client = null
      if (!this.#closing.signal.aborted) onFailure(error)
    }
  }

  async #connect(): Promise<pg.Client> {
    const client = this.#options.newClient()
    this.#client = client
    await client.connect()
    return client
  }
}
