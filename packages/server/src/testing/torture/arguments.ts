import { parseArgs } from 'node:util'

export const help = `npm run torture -- [--seconds N] [--seed N]

Repeats the races and the crashes of the checkout, round after round: two processes of the service on one PostgreSQL, a
random load that is compared with a model, kill -9 of the servers and of PostgreSQL in the middle of it, the races one
by one, and cross-checks of the tables. Ends with code 0 where nothing was wrong and with code 1 otherwise.

  --seconds N   how long, from 30 to 7200; 60 unless told
  --seed N      which requests and faults, from 0 to 999999999; round 2 of seed 7 is round 1 of seed 8. A random one unless told
  --help        this text

TORTURE_DATABASE_URL (or TEST_DATABASE_URL) names a PostgreSQL on which databases may be created and dropped; it is not
killed. Without it, one of its own is started on a free port of the loopback, and killed.
`

export interface TortureArguments {
  seconds: number
  seed: number
}

/** Null where only help is wanted. Fails with a message for whoever typed it. */
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
