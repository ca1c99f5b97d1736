import type { Terms } from '../../core/db/tables.ts'

/** Terms never change, so that what was read once is right for ever; the engine remembers what it compiled by the object. */
const kept = new Map<string, Terms>()
const kept_max = 20_000

/** The object that stands for some terms in this process, if they were read before. */
export function knownTerms(project_id: string, id: string): Terms | undefined {
  const name = `${project_id} ${id}`
  const known = kept.get(name)
  if (known !== undefined) {
    kept.delete(name)
    kept.set(name, known)
  }
  return known
}

/** The object that stands for some terms in this process: the one that came first. */
export function keptTerms(project_id: string, id: string, content: Terms): Terms {
  const known = knownTerms(project_id, id)
  if (known !== undefined) return known
  kept.set(`${project_id} ${id}`, content)
  if (kept.size > kept_max) kept.delete(kept.keys().next().value as string)
  return content
}
