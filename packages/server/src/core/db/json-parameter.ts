/**
 * A large value as a parameter of a statement, written as JSON when it is sent, and let go of then. A statement that answers
 * a promise may be kept until the next full collection of garbage, and with it its parameters: collections in between would
 * have all their bytes to copy, while requests wait.
 */
export class JsonParameter {
  #value: unknown

  constructor(value: object) {
    this.#value = value
  }

  /** How PostgreSQL's client asks for it. */
  toPostgres(): string {
    return JSON.stringify(this.toJSON())
  }

  /** How PGlite asks for it. */
  toJSON(): unknown {
    const value = this.#value
    this.#value = undefined
    return value
  }
}
