import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino'

/** The log of the process: JSON lines, by default to standard output. Levels are words, which log collectors understand. */
export function openLog(level: string, destination: DestinationStream = standardOutput()): Logger {
  const options = {
    level,
    base: {},
    timestamp: stdTimeFunctions.isoTime,
    serializers: { err: loggable },
    formatters: { level: (name: string) => ({ level: name }) },
  }
  return pino(options, destination)
}

/**
 * When its terminal has been closed, nobody reads what a process writes, and each write fails. pino would end the process for it, and then
 * try for ever to write the rest; it shall finish its requests instead.
 */
function standardOutput(): DestinationStream {
  const output = pino.destination(1)
  const drop = () => {}
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EIO') Object.assign(output, { write: drop, flushSync: drop, end: drop, destroy: drop })
    // pino has dealt with a closed pipe; anything else, such as a full disk, ends the process.
    else if (error.code !== 'EPIPE') throw error
  })
  return output
}

export interface LoggableError {
  type: string
  message: string
  code?: string
  stack?: string
  cause?: LoggableError
}

/**
 * The fields of an error that may be logged. Database errors contain the parameters of their statement (PGlite) and the failing
 * row (`detail`), which can be secrets or personal data: only the listed fields are logged.
 */
export function loggable(error: unknown): LoggableError {
  if (!(error instanceof Error)) return { type: typeof error, message: messageOf(error) }
  const { name, message, stack, cause } = error
  const { code } = error as { code?: unknown }
  return {
    type: name,
    message,
    ...(typeof code === 'string' ? { code } : {}),
    ...(stack === undefined ? {} : { stack }),
    ...(cause instanceof Error ? { cause: loggable(cause) } : {}),
  }
}

/** The message of a value that is no Error: pg-boss reports warnings as objects with a message. */
function messageOf(thrown: unknown): string {
  const message = typeof thrown === 'object' && thrown !== null ? (thrown as { message?: unknown }).message : thrown
  return typeof message === 'string' ? message : 'thrown without an Error'
}
