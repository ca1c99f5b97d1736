/** The milliseconds of processor time that work takes: unlike those on the clock, they leave out what other processes take. */
export function cpuTimeOf(work: () => unknown): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}
