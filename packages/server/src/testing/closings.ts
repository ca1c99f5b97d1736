const closings: Array<() => Promise<unknown>> = []

/** Has something closed when the tests of this file are over, the last opened first. */
export const atEnd = (close: () => Promise<unknown>): void => void closings.push(close)

/** Closes it all. One that fails does not keep the others open for the next file. */
export async function closeAll(): Promise<void> {
  const failures: unknown[] = []
  for (const close of closings.splice(0).reverse()) await close().catch((failure) => failures.push(failure))
  if (failures.length > 0) throw new AggregateError(failures, 'Not everything could be closed')
}
