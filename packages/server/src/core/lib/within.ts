/** The result of `work`, or a rejection after a timeout. The work itself continues; its result is ignored. */
export async function within<T>(
  milliseconds: number,
  work: Promise<T>,
  timeoutError: () => Error = () => new Error(`Not done within ${milliseconds} ms`),
): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(timeoutError()), milliseconds)
  })
  try {
    return await Promise.race([work, timeout])
  } finally {
    clearTimeout(timer)
  }
}
