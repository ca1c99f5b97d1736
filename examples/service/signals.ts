/** What a signal does until the example waits for one: the process exits, and its listeners of `exit` end what it has started. */
let end: () => void = () => process.exit(130)

/** Makes Ctrl-C and the signal of a service manager end the example in order. */
export function endOnSignal(): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => end())
}

/** Resolves when the example shall end. */
export const untilSignal = (): Promise<void> =>
  new Promise((resolve) => {
    end = resolve
  })
