import type { WorkMeter } from '../work.ts'

const charactersMax = 500
const partsMax = 50
const depthMax = 4

/** A value as an explanation shows it: long texts, lists and objects are cut, absent values are null. */
export function shortened(value: unknown, work: WorkMeter, depth = 0): unknown {
  work.spend(typeof value === 'string' ? 1 + (Math.min(value.length, charactersMax) >> 4) : 1)
  if (typeof value === 'string') return value.length <= charactersMax ? value : `${cut(value)}…`
  if (typeof value !== 'object' || value === null) return value ?? null
  if (depth === depthMax) return '…'
  if (Array.isArray(value)) return value.slice(0, partsMax).map((part) => shortened(part, work, depth + 1))
  const parts: Array<[string, unknown]> = []
  for (const name of Object.keys(value)) {
    if (parts.length === partsMax) break
    parts.push([name, shortened((value as Record<string, unknown>)[name], work, depth + 1)])
  }
  return Object.fromEntries(parts)
}

/** Does not cut a character of two units in half, which no JSON may contain. */
const cut = (text: string): string =>
  text.slice(0, /[\uD800-\uDBFF]/.test(text.charAt(charactersMax - 1)) ? charactersMax - 1 : charactersMax)
