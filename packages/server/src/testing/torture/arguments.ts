import { parseArgs } from 'node:util'

export const help = `npm run torture -- [--seconds N] [--seed N]

Runs race and crash tests of the checkout in rounds: two processes of the service on one PostgreSQL, a random load that
is compared with a model, kill -9 of the servers and of PostgreSQL during the load, the races one by one, and consistency
checks between the tables. Exits with code 0 if there were no violations, otherwise with code 1.

  --seconds N   duration, from 30 to 7200 (default 60)
  --seed N      seed of the requests and faults, from 0 to 999999999 (default random); round 2 of seed 7 is round 1 of seed 8
  --help        print this text

TORTURE_DATABASE_URL (or TEST_DATABASE_URL) is a PostgreSQL on which databases may be created and dropped; it is not
killed. Without it, a temporary PostgreSQL is started on a free port of the loopback interface, and killed.
`

export interface TortureArguments {
  seconds: number
  seed: number
}

/** Returns null for --help. Throws an error with a message for the user if an argument is invalid. */
export function parseArguments(args: readonly string[]): TortureArguments | null {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seconds: { type: 'string', default: '60' },
      seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000)) },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return null
  return {
    seconds: wholeNumber('--seconds', values.seconds, 30, 7_200),
    seed: wholeNumber('--seed', values.seed, 0, 999_999_999),
  }
}

function wholeNumber(name: string, text: string, min: number, max: number): number {
  const number = Number(text)
  if (!/^\d+$/.test(text) || number < min || number > max)
    throw new Error(`${name} must be a whole number from ${min} to ${max}, not '${text}'`)
  return number
}
