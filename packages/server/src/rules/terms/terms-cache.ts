import type { Terms } from '../../core/db/tables.ts'

/**
 * LRU cache of terms. Terms are immutable, so an entry never becomes stale. One object per terms id also lets the engine
 * cache its compiled form by object identity.
 */
const cache = new Map<string, Terms>()
const cacheSizeMax = 20_000

/** The cached object of terms, if they were read before. */
export function findCachedTerms(projectId: string, id: string): Terms | undefined {
  const name = `${projectId} ${id}`
  const cached = cache.get(name)
  if (cached !== undefined) {
    cache.delete(name)
    cache.set(name, cached)
  }
  return cached
}

/** The cached object of terms; the first object read wins. */
export function cacheTerms(projectId: string, id: string, content: Terms): Terms {
  const cached = findCachedTerms(projectId, id)
  if (cached !== undefined) return cached
  cache.set(`${projectId} ${id}`, content)
  if (cache.size > cacheSizeMax) cache.delete(cache.keys().next().value as string)
  return content
}
