import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Starts a server in a separate process and waits until it prints that it is ready. */
export async function startServer(
  script: string | URL,
  env: Record<string, string>,
): Promise<{ output: string; pid: number; stop(): Promise<void> }> {
  const path = fileURLToPath(new URL(script, import.meta.url))
  const child = spawn(process.execPath, ['--conditions=source', '--disable-warning=ExperimentalWarning', path], {
    env: { PATH: process.env.PATH ?? '', NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return { output: await outputUntilReady(child, script), pid: child.pid as number, stop: () => stop(child) }
}

function outputUntilReady(child: ChildProcess, script: string | URL): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = ''
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      if (/\bready\b/.test(output)) setTimeout(() => resolve(output), 100) // the rest of the start message follows at once
    })
    child.once('exit', (code) => reject(new Error(`${script} ended with code ${code}:\n${output}`)))
  })
}

function stop(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.removeAllListeners('exit')
    child.once('exit', () => resolve())
    child.kill('SIGTERM')
  })
}

/** User and system time of a process: fields 14 and 15 of its stat file, in hundredths of a second. */
export function cpuMilliseconds(pid: number): number {
  if (process.platform !== 'linux') return Number.NaN
  const { own } = timesOf(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  return own
}

/** The children of a process that run, by their ids. */
export function childrenOf(pid: number): number[] {
  const ids = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  return ids === '' ? [] : ids.split(' ').map(Number)
}

/** The same for a process and all its children, those included that have ended. */
export function familyCpuMilliseconds(pid: number): number {
  const { own, ended } = timesOf(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  return childrenOf(pid).reduce((sum, child) => sum + runningMilliseconds(child), own + ended)
}

/** 0 if it has just ended: then it is counted with the ended ones of its parent. */
function runningMilliseconds(pid: number): number {
  try {
    return timesOf(readFileSync(`/proc/${pid}/stat`, 'utf8')).own
  } catch {
    return 0
  }
}

function timesOf(stat: string): { own: number; ended: number } {
  const fields = stat.split(') ')[1]?.split(' ') ?? []
  const milliseconds = (field: number) => Number(fields[field]) * 10
  return { own: milliseconds(11) + milliseconds(12), ended: milliseconds(13) + milliseconds(14) }
}
