import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { until } from './background.ts'
import { pooledEnvironment } from './pooler.ts'
import { replicaEnvironment } from './test-replica.ts'

export interface GuerdonProcess {
  address: string
  /** The output so far. */
  output(): string
  kill(signal: NodeJS.Signals): void
  pid: number
  /** The exit code, once the process has ended. */
  ended: Promise<number | null>
}

const main = fileURLToPath(new URL('../main.ts', import.meta.url))

/**
 * Flags and environment for a faster start: a shared compile cache, and only the baseline WebAssembly compiler for the embedded
 * database, since optimizing does not pay off within seconds.
 */
export const quick = {
  args: ['--conditions=source', '--disable-warning=ExperimentalWarning', '--liftoff-only'],
  env: {
    NODE_COMPILE_CACHE: fileURLToPath(new URL('../../../../node_modules/.cache/guerdon/compiled', import.meta.url)),
  },
}

/** What a process serves and prints must not depend on what was built before. */
const withoutSites = { DASHBOARD: 'off', GUIDES: 'off' }

/** Where a process registers how it is stopped: at the end of the test, or of the file (`atEnd`). */
type WhenOver = (stop: () => Promise<void>) => void

/** Runs the command line in a separate process, as an operator would; it is killed when the test ends. */
export function runGuerdon(
  args: string[],
  env: Record<string, string>,
  whenOver: WhenOver = onTestFinished,
): { child: ChildProcess; output(): string; ended: Promise<number | null> } {
  const child = spawn(process.execPath, [...quick.args, main, ...args], {
    env: {
      PATH: process.env.PATH ?? '',
      ...quick.env,
      GUERDON_DATA_DIR: newDataFolder(whenOver),
      ...withoutSites,
      ...replicaEnvironment(env.DATABASE_URL),
      ...pooledEnvironment(env),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()))
  child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  whenOver(async () => void child.kill('SIGKILL'))
  return { child, output: () => output, ended }
}

/** A folder of its own for every process: the first start writes its keys there. */
function newDataFolder(whenOver: WhenOver): string {
  const folder = mkdtempSync(join(tmpdir(), 'guerdon-data-'))
  whenOver(async () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Starts the service on a free port and waits until it prints that it is ready. */
export async function startGuerdon(env: Record<string, string>, whenOver?: WhenOver): Promise<GuerdonProcess> {
  const { child, output, ended } = runGuerdon([], { PORT: '0', ...env }, whenOver)
  let isOver = false
  void ended.then(() => (isOver = true))
  for (let waited = 0; ; waited += 20) {
    const address = /ready on (\S+)/.exec(output())?.[1]
    if (address !== undefined) {
      const pid = child.pid as number
      return { address, output, ended, pid, kill: (signal) => void child.kill(signal) }
    }
    if (isOver || waited > 250_000) throw new Error(`Guerdon did not start:\n${output()}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Retries while the answer is 503: a process that is still busy starting sheds load. */
export async function retryWhile503(call: () => Promise<Response>): Promise<Response> {
  return until(async () => {
    const answer = await call()
    return answer.status === 503 ? undefined : answer
  })
}

/** Headers with the key pair of the first start, and a new access token. */
export async function headersFrom({ address, output }: GuerdonProcess): Promise<Record<string, string>> {
  const keys = readFileSync(keysFileIn(output()), 'utf8')
  const value = (name: string) => new RegExp(`${name}: +(\\S+)`).exec(keys)?.[1] as string
  const pair = { 'X-App-Id': value('X-App-Id'), 'X-App-Token': value('X-App-Token') }
  return { ...pair, Authorization: `Bearer ${await accessToken(address, pair)}` }
}

/** The file with the secrets of the first start, as standard output names it. */
export const keysFileIn = (output: string): string => / secrets are in (\S+),/.exec(output)?.[1] as string

export async function accessToken(address: string, pair: Record<string, string>): Promise<string> {
  const body = new URLSearchParams({ grant_type: 'client_credentials', scope: 'api' })
  const answer = await retryWhile503(() => fetch(`${address}/v1/oauth/token`, { method: 'POST', headers: pair, body }))
  return ((await answer.json()) as { access_token: string }).access_token
}
