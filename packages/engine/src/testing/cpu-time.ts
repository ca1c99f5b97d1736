/** CPU time of `work` in milliseconds: unlike wall-clock time, it is not affected by other processes. */
export function cpuTimeOf(work: () => unknown): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}
