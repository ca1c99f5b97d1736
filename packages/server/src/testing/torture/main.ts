import { help, parseArguments, type TortureArguments } from './arguments.ts'
import { newReport } from './report.ts'
import { progressOf, summaryOf } from './summary.ts'
import { torture } from './torture.ts'

const say = (text: string): void => void process.stdout.write(text)

function argumentsOrExit(): TortureArguments {
  try {
    const wanted = parseArguments(process.argv.slice(2))
    if (wanted !== null) return wanted
    say(help)
    process.exit(0)
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${help}`)
    process.exit(2)
  }
}

const { seconds, seed } = argumentsOrExit()
const report = newReport(seed, seconds)
const abort = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => abort.abort())
say(`seed ${seed}, ${seconds} s\n`)
// A terminal shows one line that is rewritten; a file gets a line every 5 seconds.
const { isTTY, columns } = process.stdout
const progress = setInterval(
  () => say(isTTY ? `\r\x1b[K${progressOf(report).slice(0, columns - 1)}` : `${progressOf(report)}\n`),
  isTTY ? 1_000 : 5_000,
)
await torture(report, {
  database_url: process.env.TORTURE_DATABASE_URL || process.env.TEST_DATABASE_URL,
  signal: abort.signal,
})
clearInterval(progress)
say(`${isTTY ? '\r\x1b[K' : ''}\n${abort.signal.aborted ? 'Aborted.\n' : ''}${summaryOf(report)}`)
// An aborted round may still be waiting for something.
process.exit(report.violations.length > 0 ? 1 : abort.signal.aborted ? 130 : 0)
