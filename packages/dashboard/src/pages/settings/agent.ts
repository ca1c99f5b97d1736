const browsers: [pattern: RegExp, name: string][] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bCriOS\/|Chrome\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]
const systems: [pattern: RegExp, name: string][] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'Mac'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
]

/** A `User-Agent` in words: `Firefox on Windows`. */
export function describeAgent(agent: string | null): string {
  if (!agent) return 'Unknown browser'
  const nameIn = (names: [RegExp, string][]) => names.find(([pattern]) => pattern.test(agent))?.[1]
  const browser = nameIn(browsers)
  const system = nameIn(systems)
  if (browser === undefined && system === undefined) return agent.length > 60 ? `${agent.slice(0, 60)}…` : agent
  return system === undefined ? (browser as string) : `${browser ?? 'A browser'} on ${system}`
}
