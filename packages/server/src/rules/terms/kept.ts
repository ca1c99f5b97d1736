import type { Terms } from '../../core/db/tables.ts'

/** Terms never change, so that what was read once is right for ever; the engine remembers what it compiled by the object. */
const kept = new Map<string, Terms>()
const keptMax = 20_000

/** The object that stands for some terms in this process, if they were read before. */
export function knownTerms(projectId: string, id: string): Terms | undefined {
  const name = `${projectId} ${id}`
  const known = kept.get(name)
  if (known !== undefined) {
    kept.delete(name)
    kept.set(name, known)
  }
  return known
}

/** The object that stands for some terms in this process: the one that came first. */
export function keptTerms(projectId: string, id: string, content: Terms): Terms {
  const known = knownTerms(projectId, id)
  if (known !== undefined) return known
  kept.set(`${projectId} ${id}`, content)
  if (kept.size > keptMax) kept.delete(kept.keys().next().value as string)
  return content
}
