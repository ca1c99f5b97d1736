import type { ChildProcess } from 'node:child_process'

/** Kills the child process when this process exits, in any way but kill -9. */
export function endWithUs(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): void {
  const end = () => void child.kill(signal)
  process.once('exit', end)
  child.once('exit', () => process.off('exit', end))
}
