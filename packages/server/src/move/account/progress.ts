/** One line on standard error that tells what is being done, how fast, and how long it takes; on a terminal it is rewritten. */
export interface Progress {
  step(name: string, rows: number, rowsMax?: number): void
  note(text: string): void
}

export function newProgress(output: { write(text: string): unknown; isTTY?: boolean }, now: () => number): Progress {
  let [name, startedAt, startRows, toldAt] = ['', 0, 0, 0]
  const end = output.isTTY ? '\u001b[K\r' : '\n'
  return {
    step(nextName, rows, rowsMax) {
      const at = now()
      if (nextName !== name) {
        if (name !== '' && output.isTTY) output.write('\n')
        ;[name, startedAt, startRows, toldAt] = [nextName, at, rows, 0]
      }
      // A log file needs less than a person who waits.
      const isLast = rowsMax !== undefined && rows >= rowsMax
      if (at - toldAt < (output.isTTY ? 200 : 5_000) && !isLast) return
      toldAt = at
      const rate = at === startedAt ? 0 : ((rows - startRows) * 1_000) / (at - startedAt)
      const number = (value: number) => Math.round(value).toLocaleString('en-US')
      const rest = rowsMax === undefined || rate === 0 ? '' : `, ${duration((rowsMax - rows) / rate)} left`
      const of = rowsMax === undefined ? '' : ` of ${number(rowsMax)}`
      output.write(`  ${name}: ${number(rows)}${of}${rate === 0 ? '' : `, ${number(rate)}/s`}${rest}${end}`)
    },
    note(text) {
      output.write(`  ${text}${output.isTTY ? '\u001b[K' : ''}\n`)
    },
  }
}

function duration(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`
  return seconds < 5_400 ? `${Math.ceil(seconds / 60)} min` : `${(seconds / 3_600).toFixed(1)} h`
}
