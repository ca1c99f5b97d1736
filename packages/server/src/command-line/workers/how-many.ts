import { availableParallelism, totalmem } from 'node:os'
import { limits } from '../../core/lib/limits.ts'
import type { Settings } from '../../core/settings.ts'

/** What a node may use of its machine. */
export interface Machine {
  cores: number
  memory_bytes: number
}

/** With the limits of a container, which Node and libuv read from its control group, and the cores that the process is bound to. */
export function thisMachine(): Machine {
  const allowed = process.constrainedMemory() // 0 or more than there is: no limit
  return {
    cores: availableParallelism(),
    memory_bytes: allowed > 0 ? Math.min(allowed, totalmem()) : totalmem(),
  }
}

/**
 * The workers of a node before its database is asked. By default an installed service uses the whole machine, and one that runs from
 * its sources is a single process, which is simpler to debug.
 */
export function workersWanted(
  { workers, database_url }: Pick<Settings, 'workers' | 'database_url'>,
  { is_installed, machine = thisMachine() }: { is_installed: boolean; machine?: Machine },
): number {
  if (typeof workers === 'number') return workers
  if (database_url === null || (workers === null && !is_installed)) return 1
  const forMemory = Math.floor(machine.memory_bytes / limits.worker_memory_bytes)
  return Math.max(1, Math.min(machine.cores, forMemory, limits.workers_max))
}

/** Fewer if the database allows fewer connections: a node that took them all would leave none to another one. */
export function workersWithin(
  wanted: number,
  { workers, database_connections }: Pick<Settings, 'workers' | 'database_connections'>,
  maxConnections: number | null,
): number {
  if (typeof workers === 'number' || maxConnections === null) return wanted
  const each = database_connections + limits.connections_besides_pool
  return Math.max(1, Math.min(wanted, Math.floor((maxConnections * limits.worker_connections_share) / each)))
}
