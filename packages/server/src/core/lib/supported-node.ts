/** Why the running Node cannot run this release; null if it can. `range` is that of package.json: `>=22.18`. */
export function whyNotNode(running: string, range: string): string | null {
  const oldest = range.replace('>=', '')
  const [major = 0, minor = 0] = oldest.split('.').map(Number)
  const [runningMajor = 0, runningMinor = 0] = running.replace('v', '').split('.').map(Number)
  if (runningMajor > major || (runningMajor === major && runningMinor >= minor)) return null
  return `Guerdon needs Node ${oldest} or newer; this is Node ${running.replace('v', '')}.`
}
