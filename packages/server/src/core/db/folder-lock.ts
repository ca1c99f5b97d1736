import { randomUUID } from 'node:crypto'
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Locks a folder, usually the data folder, for this process, or throws with a message for the operator. PGlite would silently corrupt a
 * folder opened twice. A stale lock of a dead process (power cut, kill -9) is replaced.
 */
export function lockFolder(folder: string, advice: string = dataFolderAdvice): () => void {
  const file = join(folder, 'guerdon.lock')
  const ownLock = JSON.stringify({ pid: process.pid, started: processStart(process.pid), run } satisfies Holder)
  for (let attempt = 1; ; attempt += 1) {
    if (createFile(file, ownLock)) return () => rmSync(file, { force: true })
    const lockText = read(file)
    if (lockText === null) continue // released a moment ago
    const holder = holderOf(lockText)
    if (attempt === attemptsMax || (holder !== null && isAlive(holder)))
      throw new FolderInUseError(
        `The ${advice === dataFolderAdvice ? 'data ' : ''}folder ${folder} is in use by another Guerdon process${holder === null ? '' : ` (pid ${holder.pid})`}. ${advice}`,
      )
    removeStaleLock(file, lockText, ownLock)
  }
}

const dataFolderAdvice =
  'Stop that process, set GUERDON_DATA_DIR to another folder, or use PostgreSQL with DATABASE_URL to run several.'

/** Another live process holds the lock. */
export class FolderInUseError extends Error {}

/** Several processes may race for the same stale lock; the losers soon find the lock of the winner, which is alive. */
const attemptsMax = 100

/** Creates a file atomically, or returns false if it exists: a hard link to a finished draft is never read half-written. */
function createFile(file: string, text: string): boolean {
  const draft = `${file}.${randomUUID()}`
  try {
    writeFileSync(draft, text)
    linkSync(draft, file)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return false
  } finally {
    rmSync(draft, { force: true })
  }
}

/**
 * Removes the stale lock of a dead process. Only the process that holds the cleanup lock (`.dead`) may do so: otherwise a
 * process that read the stale lock and was suspended would later remove the live lock that another process has created.
 */
function removeStaleLock(file: string, staleLock: string, ownLock: string): void {
  const cleanupLock = `${file}.dead`
  if (!createFile(cleanupLock, ownLock)) {
    // If the process that holds the cleanup lock has died too, removes it; the caller retries.
    const cleanupHolder = holderOf(read(cleanupLock) ?? '')
    if (cleanupHolder !== null && !isAlive(cleanupHolder)) rmSync(cleanupLock, { force: true })
    return
  }
  try {
    if (read(file) === staleLock) rmSync(file)
  } finally {
    rmSync(cleanupLock, { force: true })
  }
}

interface Holder {
  pid: number
  /** Null where the operating system does not tell. */
  started: string | null
  run: string
}

/** Distinguishes this process from an earlier one with the same pid: in a container the pid is always the same. */
const run = randomUUID()

function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return null
  }
}

/** Null when the file is unreadable, for example after a power cut. */
function holderOf(lock: string): Holder | null {
  try {
    const holder = JSON.parse(lock) as Holder
    return Number.isInteger(holder.pid) ? holder : null
  } catch {
    return null
  }
}

function isAlive(holder: Holder): boolean {
  const { pid, started } = holder
  if (pid === process.pid) return holder.run === run || (started !== null && started === processStart(pid))
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
  }
  return started === null || processStart(pid) === null || processStart(pid) === started
}

/** When a process started, in clock ticks since boot: distinguishes it from a later process with the same pid. */
function processStart(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null
  } catch {
    return null
  }
}
