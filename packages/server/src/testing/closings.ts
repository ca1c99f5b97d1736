const closings: Array<() => Promise<unknown>> = []

/** Registers a function that runs after the tests of this file, in reverse order of registration. */
export const atEnd = (close: () => Promise<unknown>): void => void closings.push(close)

/** Runs all registered functions. A failure does not keep the others from running. */
export async function closeAll(): Promise<void> {
  const failures: unknown[] = []
  for (const close of closings.splice(0).reverse()) await close().catch((failure) => failures.push(failure))
  if (failures.length > 0) throw new AggregateError(failures, 'Closing after a test file failed')
}
