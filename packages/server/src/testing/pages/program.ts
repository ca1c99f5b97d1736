import { spawn } from 'node:child_process'

/** Ends what a program prints for one block. */
export const endOfBlock = '\u001e'

/** A program that runs one block after the other, and what it printed for each. */
export interface Program {
  /** Writes a line to the program and returns what it prints until the end of the block. */
  run(line: string): Promise<string>
  /** Closes the program's input and waits until it ends; a program that fails or does not end is an error. */
  end(): Promise<void>
  kill(): void
}

/** Stands for what never ends; below the time that a test has. */
const patienceMs = 120_000

export function startProgram(
  command: string,
  args: readonly string[],
  options: { cwd: string; env: Record<string, string> },
): Program {
  // A group of its own: what a page starts in the background and does not stop would keep the output open.
  const child = spawn(command, args, { ...options, stdio: ['pipe', 'pipe', 'pipe'], detached: true })
  const kill = () => {
    if (child.pid === undefined) return
    try {
      process.kill(-child.pid, 'SIGKILL')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
  let printed = ''
  let complaints = ''
  let wake = () => {}
  // By `setEncoding`: a character may arrive in two pieces.
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    printed += chunk
    wake()
  })
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (complaints += chunk))
  child.stdin.on('error', () => {}) // The program has ended: `ended` tells it.
  let code: number | null | undefined
  const ended = new Promise<void>((resolve) => {
    const end = (exitCode: number | null) => {
      code = exitCode
      resolve()
      wake()
    }
    // Not started: then there is no `exit`.
    child.once('error', (error) => {
      complaints += error.message
      end(null)
    })
    // Not `close`: a process in the background may hold the output after the program itself has ended.
    child.once('exit', end)
  })
  const failure = (what: string) => new Error(`${what}\n${printed}${complaints}`)

  async function untilEndOfBlock(): Promise<string> {
    const timer = setTimeout(kill, patienceMs)
    try {
      while (!printed.includes(endOfBlock)) {
        if (code !== undefined) throw failure(`The program ended with ${code} before the block did:`)
        await new Promise<void>((resolve) => (wake = resolve))
      }
    } finally {
      clearTimeout(timer)
    }
    const end = printed.indexOf(endOfBlock)
    const text = printed.slice(0, end)
    printed = printed.slice(end + endOfBlock.length)
    return text
  }

  return {
    run(line) {
      child.stdin.write(`${line}\n`)
      return untilEndOfBlock()
    },
    async end() {
      child.stdin.end()
      const timer = setTimeout(kill, patienceMs)
      await ended
      clearTimeout(timer)
      if (code !== 0) throw failure(`The program ended with ${code}:`)
    },
    kill,
  }
}
