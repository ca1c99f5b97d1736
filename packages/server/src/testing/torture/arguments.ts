import { parseArgs } from 'node:util'

export const help = `npm run torture -- [--seconds N] [--seed N]
npm run torture -- --failover [--kills N] [--promote] [--seed N]

Runs race and crash tests of the checkout in rounds: two processes of the service on one PostgreSQL, a random load that
is compared with a model, kill -9 of the servers and of PostgreSQL during the load, the races one by one, and consistency
checks between the tables. Exits with code 0 if there were no violations, otherwise with code 1.

  --seconds N   duration, from 30 to 7200 (default 60)
  --seed N      seed of the requests and faults, from 0 to 999999999 (default random); round 2 of seed 7 is round 1 of seed 8
  --failover    another run instead: the same load and checks, while the primary of a cluster is lost again and again and a
                synchronous standby takes over; needs Debian's packages postgresql, patroni and etcd-server
  --kills N     how often, from 1 to 1000 (default 20)
  --promote     without Patroni: the standby is promoted with pg_promote(), and the lost server comes back by pg_rewind
  --help        print this text

TORTURE_DATABASE_URL (or TEST_DATABASE_URL) is a PostgreSQL on which databases may be created and dropped; it is not
killed. Without it, a temporary PostgreSQL is started on a free port of the loopback interface, and killed.
`

export interface TortureArguments {
  seconds: number
  seed: number
  /** Null: PostgreSQL is killed and restarted, without a standby. */
  failover: { kills: number; with_patroni: boolean } | null
}

/** Returns null for --help. Throws an error with a message for the user if an argument is invalid. */
export function parseArguments(args: readonly string[]): TortureArguments | null {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seconds: { type: 'string', default: '60' },
      seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000)) },
      failover: { type: 'boolean', default: false },
      kills: { type: 'string' },
      promote: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return null
  if (!values.failover && (values.kills !== undefined || values.promote))
    throw new Error('--kills and --promote belong to --failover')
  return {
    seconds: wholeNumber('--seconds', values.seconds, 30, 7_200),
    seed: wholeNumber('--seed', values.seed, 0, 999_999_999),
    failover: values.failover
      ? { kills: wholeNumber('--kills', values.kills ?? '20', 1, 1_000), with_patroni: !values.promote }
      : null,
  }
}

function wholeNumber(name: string, text: string, min: number, max: number): number {
  const number = Number(text)
  if (!/^\d+$/.test(text) || number < min || number > max)
    throw new Error(`${name} must be a whole number from ${min} to ${max}, not '${text}'`)
  return number
}
