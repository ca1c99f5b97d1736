import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { quick } from '../../packages/server/src/testing/process.ts'

const script = fileURLToPath(new URL('../../scripts/example.mjs', import.meta.url))

/** A running example. */
export interface Example {
  /** What it has printed so far. */
  lines: string[]
  /** Waits for a line and returns it; fails if the example ends without. */
  line(pattern: RegExp): Promise<RegExpExecArray>
  /** Asks it to end. */
  stop(): Promise<number | null>
  ended: Promise<number | null>
}

/** When an example ends: with the test, or with the file (`atEnd`). */
type WhenOver = (stop: () => Promise<void>) => void

/** Starts an example by its one command, as `npm start -w examples/…` does. */
export function startExample(
  name: string,
  env: Record<string, string> = {},
  whenOver: WhenOver = onTestFinished,
): Example {
  const { PATH = '' } = process.env
  const child = spawn(process.execPath, [script, name], {
    env: { PATH, PORT: '0', ...quick.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines: string[] = []
  const waiting = new Set<() => void>()
  const wake = () => {
    for (const each of waiting) each()
  }
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line)
    wake()
  })
  let isOver = false
  const ended = new Promise<number | null>((resolve) =>
    child.once('close', (code) => {
      isOver = true
      wake()
      resolve(code)
    }),
  )
  const stop = async () => {
    child.kill('SIGTERM')
    return ended
  }
  whenOver(async () => void (await stop()))
  const line = (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const look = () => {
        const found = lines.map((each) => pattern.exec(each)).find((each) => each !== null)
        if (found === undefined && !isOver) return
        waiting.delete(look)
        if (found) resolve(found)
        else reject(new Error(`${name} ended without printing ${pattern}:\n${lines.join('\n')}`))
      }
      waiting.add(look)
      look()
    })
  return { lines, line, stop, ended }
}
