/**
 * A large statement parameter that is serialised to JSON when the statement is sent, and released then. A promise may keep its
 * statement and parameters alive until the next full garbage collection; minor collections would copy all their bytes in the
 * meantime, while requests wait.
 */
export class JsonParameter {
  #value: unknown

  constructor(value: object) {
    this.#value = value
  }

  /** Called by the `pg` driver. */
  toPostgres(): string {
    return JSON.stringify(this.toJSON())
  }

  /** Called by PGlite. */
  toJSON(): unknown {
    const value = this.#value
    this.#value = undefined
    return value
  }
}
