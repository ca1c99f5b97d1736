import { randomUUID } from 'node:crypto'
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Takes the data folder for this process, or throws with a message for the operator. PGlite would silently damage a
 * folder opened twice. A lock left by a process that is gone (power cut, kill -9) is taken over.
 */
export function lockFolder(folder: string): () => void {
  const file = join(folder, 'guerdon.lock')
  const own = JSON.stringify({ pid: process.pid, started: processStart(process.pid), run } satisfies Holder)
  for (let attempt = 1; ; attempt += 1) {
    if (place(file, own)) return () => rmSync(file, { force: true })
    const found = read(file)
    if (found === null) continue // released a moment ago
    const holder = holderOf(found)
    if (attempt === attemptsMax || (holder !== null && isAlive(holder)))
      throw new Error(
        `The data folder ${folder} is in use by another Guerdon process${holder === null ? '' : ` (pid ${holder.pid})`}. ` +
          'Stop that process, set GUERDON_DATA_DIR to another folder, or use PostgreSQL with DATABASE_URL to run several.',
      )
    bury(file, found, own)
  }
}

/** Several processes may find the same dead lock; all but one of them soon find that one alive. */
const attemptsMax = 100

/** Puts a text into a file that does not exist yet, whole: written aside and linked into place, it is never read half. */
function place(file: string, text: string): boolean {
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
 * Removes the lock of a dead process. Only who holds its grave may do so: otherwise a process that read the dead lock,
 * and was interrupted, would later remove the living one that another has put in its place.
 */
function bury(file: string, dead: string, own: string): void {
  const grave = `${file}.dead`
  if (!place(grave, own)) {
    const digger = holderOf(read(grave) ?? '')
    if (digger !== null && !isAlive(digger)) rmSync(grave, { force: true }) // it died at this very moment; start over
    return
  }
  try {
    if (read(file) === dead) rmSync(file)
  } finally {
    rmSync(grave, { force: true })
  }
}

interface Holder {
  pid: number
  /** Null where the system does not say. */
  started: string | null
  run: string
}

/** Tells this process apart from an earlier one with the same pid: in a container every process has the same. */
const run = randomUUID()

function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return null
  }
}

/** Null when a power cut left nothing readable. */
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

/** When a process started, in clock ticks since boot: tells a pid apart from a later process with the same number. */
function processStart(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null
  } catch {
    return null
  }
}
