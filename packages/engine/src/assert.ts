/**
 * Stops on a broken promise of our own code. A "no" to a customer is a reason inside a verdict, never one of these.
 */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(`Assertion failed: ${message}`)
}
