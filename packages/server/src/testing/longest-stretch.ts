/**
 * The CPU time of `work` in milliseconds, and the longest part of it for which the event loop had no turn. Threads of the
 * collector and of the database do not count.
 */
export async function longestStretch(work: () => Promise<unknown>): Promise<{ milliseconds: number; longest: number }> {
  let isOver = false
  let longest = 0
  const began = cpuMilliseconds()
  let last = began
  const turn = () => {
    const now = cpuMilliseconds()
    longest = Math.max(longest, now - last)
    last = now
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  try {
    await work()
  } finally {
    isOver = true
  }
  turn()
  return { milliseconds: last - began, longest }
}

function cpuMilliseconds(): number {
  const { user, system } =
    'threadCpuUsage' in process ? process.threadCpuUsage() : (process as NodeJS.Process).cpuUsage()
  return (user + system) / 1_000
}
