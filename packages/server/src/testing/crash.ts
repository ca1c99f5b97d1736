import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { quick } from './process.ts'

export interface CrashWorker {
  /** Resolves once the process has printed a line. */
  says(line: string): Promise<void>
  /** kill -9; resolves when the process has ended. */
  kill(): Promise<void>
}

/** Starts `crash-worker.ts` on a database; it blocks in the step that begins with row `last_step`. */
export function startCrashWorker(where: string, { last_step }: { last_step: number }): CrashWorker {
  const script = fileURLToPath(new URL('./crash-worker.ts', import.meta.url))
  const child = spawn(process.execPath, [...quick.args, script, where, String(last_step)], {
    env: { ...process.env, ...quick.env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  let output = ''
  const listeners = new Set<() => void>()
  child.stdout.on('data', (text) => {
    output += text
    for (const listener of listeners) listener()
  })
  const kill = async () => {
    child.kill('SIGKILL')
    await exited
  }
  onTestFinished(kill)
  return {
    kill,
    says: (line) =>
      new Promise((resolve, reject) => {
        const listener = () => {
          if (`\n${output}`.includes(`\n${line}\n`)) resolve()
        }
        listeners.add(listener)
        listener()
        exited.then(() => reject(new Error(`The process ended before it printed "${line}". Output: ${output}`)))
      }),
  }
}
