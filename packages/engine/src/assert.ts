/** Throws on a violated invariant: a bug in this code. A refusal is a reason inside a verdict, never an exception. */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(`Assertion failed: ${message}`)
}
