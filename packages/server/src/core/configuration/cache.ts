import { isChanging } from '../db/configuration.ts'
import type { Db } from '../db/database.ts'
import { limits } from '../lib/limits.ts'
import { type Configuration, nothingConfigured } from './configuration.ts'
import { refreshed } from './load.ts'

/** The cached configurations of projects in this process, with least-recently-used eviction. */
export interface Configurations {
  /** The cached configuration of a project, possibly stale. */
  cached(projectId: string): Configuration
  /**
   * The configuration at this version or a later one; concurrent requests share one load, so it is never that of a replica: what fails
   * there must not fail requests that do not use it.
   */
  atLeast(db: Db, projectId: string, version: number): Promise<Configuration>
  /**
   * Clears the cache. A server that lost its last transactions (an asynchronous standby that was promoted, a restored backup) gives
   * their versions to other changes.
   */
  forget(): void
}

export function openConfigurations(): Configurations {
  const cache = new Map<string, Configuration>()
  const loads = new Map<string, Promise<Configuration>>()

  /** The project that was used last: it is at the end of the cache already. */
  let latest: string | null = null
  let generation = 0

  const known = (projectId: string): Configuration => {
    const configuration = cache.get(projectId)
    if (configuration === undefined) return nothingConfigured
    if (projectId === latest) return configuration
    cache.delete(projectId)
    cache.set(projectId, configuration)
    latest = projectId
    return configuration
  }

  /** Does not cache what a transaction with configuration changes reads: it may still roll back. */
  async function load(db: Db, projectId: string): Promise<Configuration> {
    const generationBefore = generation
    const fresh = await refreshed(db, projectId, known(projectId))
    if (isChanging(db) || generation !== generationBefore) return fresh
    cache.delete(projectId)
    cache.set(projectId, fresh)
    latest = projectId
    if (cache.size > limits.cached_configurations_max) cache.delete(cache.keys().next().value as string)
    return fresh
  }

  return {
    cached: known,
    async atLeast(db, projectId, version) {
      let configuration = known(projectId)
      // A shared load that started before this version was committed may not contain it, so check again.
      for (let attempt = 0; configuration.version < version && attempt < 3; attempt += 1) {
        // A transaction loads by itself: on PGlite, the load of another request waits for the connection that it holds.
        if (db.isTransaction) return load(db, projectId)
        let loadInProgress = loads.get(projectId)
        if (loadInProgress === undefined) {
          loadInProgress = load(db, projectId).finally(() => loads.delete(projectId))
          loads.set(projectId, loadInProgress)
        }
        configuration = await loadInProgress
      }
      return configuration
    },
    forget() {
      generation += 1
      cache.clear()
      latest = null
    },
  }
}
