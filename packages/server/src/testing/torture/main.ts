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
const cut = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => cut.abort())
say(`seed ${seed}, ${seconds} s\n`)
// A terminal shows one line that changes, a file would have to keep them all.
const { isTTY, columns } = process.stdout
const progress = setInterval(
  () => say(isTTY ? `\r\x1b[K${progressOf(report).slice(0, columns - 1)}` : `${progressOf(report)}\n`),
  isTTY ? 1_000 : 5_000,
)
await torture(report, {
  database_url: process.env.TORTURE_DATABASE_URL || process.env.TEST_DATABASE_URL,
  signal: cut.signal,
})
clearInterval(progress)
say(`${isTTY ? '\r\x1b[K' : ''}\n${cut.signal.aborted ? 'Cut short.\n' : ''}${summaryOf(report)}`)
// What was cut short may still wait for something.
process.exit(report.violations.length > 0 ? 1 : cut.signal.aborted ? 130 : 0)
