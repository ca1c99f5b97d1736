import { ProgramsMissing } from '../cluster/cluster.ts'
import { help, parseArguments, type TortureArguments } from './arguments.ts'
import { failOver } from './failover.ts'
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

const { seconds, seed, failover } = argumentsOrExit()
const report = newReport(seed, seconds, failover !== null)
const abort = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => abort.abort())
say(failover === null ? `seed ${seed}, ${seconds} s\n` : `seed ${seed}, ${failover.kills} losses of the primary\n`)
// A terminal shows one line that is rewritten; a file gets a line every 5 seconds.
const { isTTY, columns } = process.stdout
const progress = setInterval(
  () => say(isTTY ? `\r\x1b[K${progressOf(report).slice(0, columns - 1)}` : `${progressOf(report)}\n`),
  isTTY ? 1_000 : 5_000,
)
const { signal } = abort
try {
  if (failover !== null) await failOver(report, { ...failover, signal })
  else
    await torture(report, { database_url: process.env.TORTURE_DATABASE_URL || process.env.TEST_DATABASE_URL, signal })
} catch (error) {
  if (!(error instanceof ProgramsMissing)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exit(2)
}
clearInterval(progress)
say(`${isTTY ? '\r\x1b[K' : ''}\n${signal.aborted ? 'Aborted.\n' : ''}${summaryOf(report)}`)
// An aborted round may still be waiting for something.
process.exit(report.violations.length > 0 ? 1 : signal.aborted ? 130 : 0)
