import { statfsSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { PGlite } from '@electric-sql/pglite'
import { limits } from '../lib/limits.ts'
import { PgliteStatements } from './pglite-statements.ts'
import { sqlState } from './transaction.ts'

/** A running PGlite. */
export interface Instance {
  pglite: PGlite
  statements: PgliteStatements
  isReadOnly: boolean
}

export interface EmbeddedOptions {
  /** Opens the database again, after a failure that the running one does not survive. */
  reopen(): Promise<PGlite>
  /** The space left on the disk of the database, in bytes. */
  freeBytes(): number
  /** Called once when the disk is full, and once when there is room again. */
  onDisk(problem: { is_full: boolean; free_bytes: number }): void
}

/** A write was refused because the disk is full, or the database is closed until there is room. It was reported when that began. */
export class DiskFullError extends Error {
  readonly code = '53100'
  constructor(cause?: unknown) {
    super('The disk of the embedded database is full: make room on the disk of GUERDON_DATA_DIR', { cause })
  }
}

/** The instance of a transaction has failed or was closed since it began: an outage, the request may be repeated. */
class ReplacedInstanceError extends Error {
  readonly code = '57P01'
  constructor() {
    super('The embedded database was closed during the transaction')
  }
}

/**
 * The embedded database while its disk fills up. PGlite does not survive a full disk: when it cannot write its log it panics, and
 * the next statement would block the process for ever. So a reserve is kept: with less space left, the session is read-only,
 * and PostgreSQL itself refuses what would write. After a panic nevertheless (another program may fill the disk faster than we
 * look), the instance is not touched again but replaced by a new one, which recovers from the log.
 */
export class Embedded {
  #instance: Instance | null
  #isFull = false
  #lookedAt = 0
  /** When the database last found the disk full; a quota shows only then. */
  #refusedAt = Number.NEGATIVE_INFINITY
  readonly #options: EmbeddedOptions
  readonly #pauses = newPauses()

  constructor(pglite: PGlite, options: EmbeddedOptions) {
    this.#instance = newInstance(pglite)
    this.#options = options
  }

  /** The instance for the next transaction or statement, read-only while the disk is full. The caller holds the only turn. */
  async open(): Promise<Instance> {
    this.#lookAtDisk()
    if (this.#instance === null) {
      if (this.#isFull) throw new DiskFullError()
      this.#instance = newInstance(await this.#options.reopen())
    }
    const instance = this.#instance
    if (instance.isReadOnly !== this.#isFull) {
      await instance.pglite.exec(`set default_transaction_read_only = ${this.#isFull ? 'on' : 'off'}`)
      instance.isReadOnly = this.#isFull
    }
    return instance
  }

  /** Runs a statement of an instance, which may have been replaced since a transaction began on it. */
  async run<T>(instance: Instance, work: () => Promise<T>): Promise<T> {
    if (this.#pauses.isDue()) await this.#pauses.pause()
    if (instance !== this.#instance) throw this.#isFull ? new DiskFullError() : new ReplacedInstanceError()
    try {
      return await work()
    } catch (error) {
      if (isFatal(error)) this.#instance = null
      const state = sqlState(error)
      if (state === '53100') {
        this.#refusedAt = performance.now()
        this.#setFull(true)
      }
      throw state === '53100' || (state === '25006' && instance.isReadOnly) ? new DiskFullError(error) : error
    }
  }

  async close(): Promise<void> {
    const instance = this.#instance
    this.#instance = null
    if (instance !== null && !instance.pglite.closed) await instance.pglite.close()
  }

  #lookAtDisk(): void {
    const now = performance.now()
    if (now - this.#lookedAt < lookMs) return
    this.#lookedAt = now
    if (this.#isFull && now - this.#refusedAt < refusedMs) return
    // More than the reserve before it counts as room, or every statement near the limit would switch it.
    this.#setFull(this.#options.freeBytes() < limits.embedded_reserve_bytes * (this.#isFull ? 1.25 : 1))
  }

  #setFull(isFull: boolean): void {
    if (this.#isFull === isFull) return
    this.#isFull = isFull
    this.#options.onDisk({ is_full: isFull, free_bytes: this.#options.freeBytes() })
  }
}

/**
 * PGlite computes in this thread and answers without a turn of the event loop, so a transaction of a thousand statements, and the next
 * one behind it, would be a single turn, for which every other request waits.
 */
function newPauses() {
  let turnBeganAt: number | null = null
  return {
    isDue(): boolean {
      const now = performance.now()
      if (turnBeganAt !== null) return now - turnBeganAt >= limits.slice_ms
      turnBeganAt = now
      setImmediate(() => {
        turnBeganAt = null
      })
      return false
    },
    pause: () => nextTurn(),
  }
}

const lookMs = 100
/** Between two attempts to write where the disk has space but refuses it. */
const refusedMs = 10_000

const newInstance = (pglite: PGlite): Instance => ({
  pglite,
  statements: new PgliteStatements(pglite),
  isReadOnly: false,
})

/** Whether the server has ended: a panic of PostgreSQL, a trap of WebAssembly, or an exit status, which is no `Error`. */
export const isFatal = (error: unknown): boolean =>
  !(error instanceof Error) ||
  error.name === 'RuntimeError' ||
  ['PANIC', 'FATAL'].includes((error as { severity?: string }).severity ?? '')

/** The space that this process may still use on the disk of a folder. */
export function freeBytesOf(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}
