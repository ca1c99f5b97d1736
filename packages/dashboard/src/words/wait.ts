/** How long to wait: `in 42 seconds`. */
export function waitText(seconds: number): string {
  if (seconds <= 1) return 'in a second'
  if (seconds < 100) return `in ${Math.ceil(seconds)} seconds`
  const minutes = Math.ceil(seconds / 60)
  if (minutes < 100) return `in ${minutes} minutes`
  return `in ${Math.ceil(minutes / 60)} hours`
}
