import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Takes the data folder for this process, or throws with a message for the operator. PGlite would silently damage a
 * folder opened twice. A lock left by a process that is gone (power cut, kill -9) is taken over.
 */
export function lockFolder(folder: string): () => void {
  const file = join(folder, 'guerdon.lock')
  const draft = `${file}.${process.pid}`
  for (let attempt = 0; ; attempt += 1) {
    // Written aside and linked into place, so nobody ever reads half a lock.
    writeFileSync(draft, JSON.stringify({ pid: process.pid, started: processStart(process.pid) }))
    try {
      linkSync(draft, file)
      return () => rmSync(file, { force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    } finally {
      rmSync(draft, { force: true })
    }
    const holder = readHolder(file)
    if (attempt > 0 || (holder !== null && isAlive(holder)))
      throw new Error(
        `The data folder ${folder} is in use by another Guerdon process${holder === null ? '' : ` (pid ${holder.pid})`}. ` +
          'Stop that process, set GUERDON_DATA_DIR to another folder, or use PostgreSQL with DATABASE_URL to run several.',
      )
    // Renaming is atomic: of two processes that find the same dead lock, one moves it away and the other starts over.
    try {
      renameSync(file, draft)
    } catch {}
  }
}

interface Holder {
  pid: number
  started: string | null
}

function readHolder(file: string): Holder | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Holder
  } catch {
    return null
  }
}

function isAlive({ pid, started }: Holder): boolean {
  if (pid === process.pid) return started !== null && started === processStart(pid)
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
  }
  return started === null || processStart(pid) === null || processStart(pid) === started
}

/** When a process started, in clock ticks since boot: tells a pid apart from a later process with the same number. */
function processStart(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null
  } catch {
    return null
  }
}
