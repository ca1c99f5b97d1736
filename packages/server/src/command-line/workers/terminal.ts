import { isatty } from 'node:tty'

const streams = [0, 1, 2]

/**
 * Tells on SIGHUP whether the terminal of the process was closed. The kernel then sends the signal to every program in it, and those
 * that stay would hold their port for ever; otherwise somebody sent it, to replace the workers.
 */
export function watchTerminal(): () => boolean {
  const terminals = streams.filter((stream) => isatty(stream))
  return () => terminals.some((stream) => !isatty(stream))
}
