/**
 * Work that Ctrl-C and SIGTERM end in order. Once: a second signal ends the process at once. What the work throws stays as it is: that
 * it could not be undone says more than that it was interrupted.
 */
export async function interruptible<T>(message: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController()
  const interrupted = () => stop.abort(new Error(message))
  process.once('SIGINT', interrupted)
  process.once('SIGTERM', interrupted)
  try {
    return await work(stop.signal)
  } finally {
    process.off('SIGINT', interrupted)
    process.off('SIGTERM', interrupted)
  }
}
