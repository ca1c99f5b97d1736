import { type ChildProcess, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { ProgramsMissing } from './cluster.ts'

/** The newest PostgreSQL of Debian, and other programs; with the names of their packages. */
export function findPrograms(others: Readonly<Record<string, string>>): Record<string, string> {
  const versions = existsSync(postgresFolder)
    ? readdirSync(postgresFolder)
        .map(Number)
        .sort((a, b) => b - a)
    : []
  const bin = versions
    .map((version) => join(postgresFolder, String(version), 'bin'))
    .find((folder) => existsSync(join(folder, 'pg_rewind')))
  const found: Record<string, string> = {}
  const missing = bin === undefined ? ['postgresql'] : []
  for (const [program, debianPackage] of Object.entries(others)) {
    const path = programFolders.map((folder) => join(folder, program)).find(existsSync)
    if (path === undefined) missing.push(debianPackage)
    else found[program] = path
  }
  if (missing.length > 0)
    throw new ProgramsMissing(`Install these packages first: apt-get install ${missing.join(' ')}`)
  return { ...found, bin: bin as string }
}

const postgresFolder = '/usr/lib/postgresql'
const programFolders = ['/usr/bin', '/usr/sbin', '/usr/local/bin']

/** The user that runs the servers: PostgreSQL refuses to run as root. */
export interface Owner {
  uid: number
  gid: number
}

/** Null: this process is not root, so everything runs as its own user. */
export function serverOwner(): Owner | null {
  if (process.getuid?.() !== 0) return null
  const line = /^postgres:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8'))
  if (line === null) throw new ProgramsMissing('There is no user postgres: apt-get install postgresql')
  return { uid: Number(line[1]), gid: Number(line[2]) }
}

/** The programs that this process has started in a folder of its own. They end with it, in any way but kill -9. */
export class Programs {
  readonly folder: string
  readonly owner: Owner | null
  readonly #children = new Set<ChildProcess>()
  readonly #endNow = () => this.#kill()

  constructor(owner: Owner | null) {
    this.owner = owner
    this.folder = mkdtempSync(join(tmpdir(), 'guerdon-failover-'))
    if (owner !== null) chownSync(this.folder, owner.uid, owner.gid)
    process.once('exit', this.#endNow)
  }

  /** Starts a program that runs on; its output is in a file of the folder. */
  start(name: string, command: string, args: readonly string[]): ChildProcess {
    const log = openSync(join(this.folder, `${name}.log`), 'a')
    const child = spawn(command, args, {
      ...this.owner,
      cwd: this.folder,
      stdio: ['ignore', log, log],
      env: environment,
    })
    child.on('error', () => {})
    child.once('exit', () => this.#children.delete(child))
    this.#children.add(child)
    return child
  }

  /** Runs a program until it ends, and returns its output. */
  run(command: string, args: readonly string[]): Promise<string> {
    return new Promise((resolve, reject) => {
      const child = spawn(command, args, {
        ...this.owner,
        cwd: this.folder,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: environment,
      })
      this.#children.add(child)
      let output = ''
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
      child.once('error', reject)
      child.once('close', (code) => {
        this.#children.delete(child)
        if (code === 0) resolve(output)
        else reject(new Error(`${command} ${args.join(' ')} failed with ${code}:\n${output.slice(-2_000)}`))
      })
    })
  }

  /** Kills everything and removes the folder. */
  async stop(): Promise<void> {
    process.off('exit', this.#endNow)
    for (let tries = 1; tries <= 50 && this.#kill() > 0; tries += 1) await wait(100)
    rmSync(this.folder, { recursive: true, force: true })
  }

  /** How many processes were alive. PostgreSQL detaches itself from who started it, so its processes are found by their folder. */
  #kill(): number {
    const roots = [...this.#children].flatMap(({ pid }) => (pid === undefined ? [] : [pid]))
    const pids = [...new Set([...roots, ...this.#servers()].flatMap(withDescendants))]
    return pids.filter((pid) => sendSignal(pid, 'SIGKILL')).length
  }

  #servers(): number[] {
    if (!existsSync(this.folder)) return []
    return readdirSync(this.folder).flatMap((name) => postmasterOf(join(this.folder, name)) ?? [])
  }
}

const environment = { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C.UTF-8', LANG: 'C.UTF-8' }

/** The first process of the server on a data folder, if it is alive. */
export function postmasterOf(dataFolder: string): number | undefined {
  const file = join(dataFolder, 'postmaster.pid')
  if (!existsSync(file)) return undefined
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0])
  // After kill -9 the file remains, and its number may belong to another process by now.
  return commandOf(pid).includes(dataFolder) ? pid : undefined
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

/** A process and all that it has started, the parents first. */
export function withDescendants(root: number): number[] {
  const children = new Map<number, number[]>()
  for (const name of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const parent = parentOf(name)
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(name)])
  }
  const all = [root]
  for (const pid of all) all.push(...(children.get(pid) ?? []))
  return all
}

function parentOf(pid: string): number | undefined {
  try {
    // The name of the program is in brackets and may contain spaces.
    return Number(
      readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')[1],
    )
  } catch {
    return undefined
  }
}

/** Sends a signal to processes at once; false if none of them exists. */
export const signalAll = (pids: readonly number[], signal: NodeJS.Signals): void => {
  for (const pid of pids) sendSignal(pid, signal)
}

function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}

/** Looks again and again; fails with the name of what did not happen in time. */
export async function eventually<T>(what: string, look: () => Promise<T | undefined>, seconds = 120): Promise<T> {
  const deadline = Date.now() + seconds * 1_000
  for (;;) {
    const found = await look().catch(() => undefined)
    if (found !== undefined) return found
    if (Date.now() > deadline) throw new Error(`${what}: not within ${seconds} s`)
    await wait(100)
  }
}
