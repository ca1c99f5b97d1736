import type { ChildProcess } from 'node:child_process'

/** However this process ends, short of a kill -9, one that it has started ends with it. */
export function endWithUs(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): void {
  const end = () => void child.kill(signal)
  process.once('exit', end)
  child.once('exit', () => process.off('exit', end))
}
