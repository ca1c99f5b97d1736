import { onTestFinished } from 'vitest'
import { limits } from '../core/lib/limits.ts'

/** Changes limits of the service until the test is over, so that few rows or little time reach them. */
export function setLimits(changed: Partial<Record<keyof typeof limits, number>>): void {
  const usual = Object.entries(limits).filter(([name]) => name in changed)
  onTestFinished(() => void Object.assign(limits, Object.fromEntries(usual)))
  Object.assign(limits, changed)
}
