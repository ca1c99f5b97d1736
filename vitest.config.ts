import { defineConfig } from 'vitest/config'
import { isComplete, runsSlow, runsTwice } from './packages/server/src/testing/scale.ts'

/**
 * Six runs: the engine, the server and its client on a real PostgreSQL, both on the embedded database, the parts of the dashboard, the
 * calculator of bench/sizing, and what runs in a browser.
 *
 * `npm test` leaves out what is slow and runs some tests smaller; `npm test -- --all` (GUERDON_TEST_ALL=1), and so CI, runs everything at
 * full size (testing/scale.ts). On the embedded database run the files in which it can behave differently (`embedded` below); with
 * `npm test -- --both`, and of files that are named, all. What only a real database can show (races, crashes, many nodes) is named
 * `*.race.test.ts` and runs on PostgreSQL alone. docs/decisions/0037-one-database-for-most-tests.md says what runs where, and why that is safe.
 *
 * The files of one worker share its modules, and with them the database and the service of the tests: one more file costs
 * what its tests cost. So a hook at the top of a shared module would be that of the file which imported it first; what is
 * opened on the way has itself closed with `atEnd` (testing/closings.ts).
 *
 * No test measures the pace of the machine: a time-out stands for something that never ends, and leaves a busy machine as
 * long as it may need. What a test waits for with `expect.poll` or `until` (testing/background.ts) gives up before the
 * test does, so that it says what it waited for.
 */
const patience = { testTimeout: 300_000, hookTimeout: 300_000, expect: { poll: { timeout: 120_000 } } }

const server = 'packages/server/src/**/*.test.ts'
/** The client library speaks to a service: its tests run on both databases. */
const client = 'packages/client/tests/*.test.ts'
/** Those that need no browser. They are processes of their own, with the embedded database. */
const examples = ['examples/{till,webhook-receiver}/tests/*.test.ts', 'examples/shop/src/*.test.ts']
const races = '**/*.race.test.ts'

/**
 * Where the embedded database can differ from a server: connections and transactions, statements with special types, jobs, what
 * is read and written in pieces, filters as SQL, sums and searches, a checkout and idempotency keys; and the operations of the client library.
 */
const embedded = [
  'account/installation/**',
  'checkout/decision/**',
  'client-library/**',
  'command-line/serve*',
  'core/configuration/**',
  'core/db/**',
  'core/events/**',
  'core/http/idempotency*',
  'core/http/precheck*',
  'core/jobs/**',
  'core/query/filter/agreement*',
  'exports/**',
  'incentives/publications/batches*',
  'monitoring/audit-log/**',
  'move/rows/round-trip*',
  'platform/platform*',
  'redemptions/redeem*',
  'statistics/**',
]

/** Needs PgBouncer, which is not part of the workspace: `npm run try-pooler`. */
const behindPgBouncer = ['packages/server/src/core/db/pooler.race.test.ts']

/** On which money depends: with `--all`, and so in CI, on both databases too. */
const money = ['checkout/**', 'redemptions/**']

/** What uses no database runs once, in the run on PostgreSQL. */
const withoutDatabase = [
  'docs',
  'layers',
  'platform/kubernetes',
  'reference',
  'regular-expressions',
  'tidy',
  'webhooks/target/**',
].map((files) => `packages/server/src/${testsOf(files)}`)
withoutDatabase.push('packages/client/tests/{generated,size}.test.ts')

/**
 * The slow files whose subject is not the database (password hashing, timed brakes, targets that hang, load, masks of roles, random movements
 * of points, commands that open the database again and again, copies of an account over HTTP, pages of documentation): they run once, on
 * PostgreSQL. The statements behind them run on the embedded database in the files beside them.
 */
const onPostgresOnly = [
  'account/sign-in/brakes',
  'account/sign-in/passwords',
  'account/sign-in/second-factor',
  'client-side',
  'command-line/{audit-log,demo,import-account,keys,move,statistics,users}',
  'core/http/wrong-credentials',
  'core/mail/queue-mail',
  'demo/**',
  'loyalty/points/unit-of-work.properties',
  'move/account/**',
  'move/rows/import',
  'move/shadow/**',
  'operations',
  'pages',
  'platform/docs/**',
  'platform/load-shedding',
  'session-roles',
  'webhooks/delivery/hostile-targets',
  'webhooks/delivery/many-webhooks',
  'webhooks/delivery/retries',
  'webhooks/sendouts/await-attempt',
].map((files) => `packages/server/src/${testsOf(files)}`)
onPostgresOnly.push('packages/client/tests/each.test.ts')

/** Subjects that take ten seconds and more and that a change elsewhere rarely breaks: they run with `--all`, and so in CI. */
const inCiOnly = [
  'account/sign-in/{brakes,second-factor}',
  'client-side',
  'command-line/{demo,import-account,move}',
  'core/http/wrong-credentials',
  'core/mail/queue-mail',
  'demo/**',
  'hostile-requests.race',
  'loyalty/points/unit-of-work.properties',
  'move/account/**',
  'move/rows/{import,import.race}',
  'move/shadow/**',
  'pages',
  'platform/load-shedding',
  'regular-expressions',
  'session-roles',
  'webhooks/delivery/{crash.race,hostile-targets,many-webhooks}',
  'webhooks/sendouts/await-attempt',
  'webhooks/target/client',
].map((files) => `packages/server/src/${testsOf(files)}`)
inCiOnly.push('packages/client/tests/each.test.ts', ...examples)

/** Those that `npm test` runs in a browser: what the dashboard is opened for most, and the client on a page. All others run in CI. */
const journeys = [
  ...['bundle', 'codes', 'customers', 'overview'].map((name) => `packages/dashboard/journeys/${name}.test.ts`),
  'packages/client/tests/browser/*.test.ts',
]

const onPglite = runsTwice
  ? [server]
  : [...embedded, ...(isComplete ? money : [])].map((files) => `packages/server/src/${testsOf(files)}`)

function testsOf(files: string): string {
  return files.endsWith('/**') ? `${files}/*.test.ts` : `${files}.test.ts`
}

const onDatabase = (database: 'pglite' | 'postgres') => ({
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    name: database,
    include: [client, ...(database === 'pglite' ? onPglite : [server, ...examples])],
    exclude: [
      ...(database === 'pglite' ? [races, ...withoutDatabase, ...onPostgresOnly] : []),
      ...(runsSlow ? [] : inCiOnly),
      ...(process.env.TEST_POOLER ? [] : behindPgBouncer),
    ],
    globalSetup: [`packages/server/src/testing/global-setup.${database}.ts`],
    setupFiles: ['packages/server/src/testing/close-after-file.ts'],
    isolate: false,
    ...patience,
  },
})

export default defineConfig({
  test: {
    maxWorkers: 3, // on two cores: a worker often waits for the database, a process or a timer
    projects: [
      {
        test: {
          name: 'engine',
          include: ['packages/engine/src/**/*.test.ts'],
          globalSetup: ['packages/engine/src/testing/choose-seed.ts'],
          setupFiles: ['packages/engine/src/testing/use-seed.ts'],
          isolate: false,
          ...patience,
        },
      },
      onDatabase('pglite'),
      onDatabase('postgres'),
      { test: { name: 'bench', include: ['bench/**/*.test.ts'], isolate: false, ...patience } },
      { test: { name: 'dashboard', include: ['packages/dashboard/src/**/*.test.ts'], isolate: false, ...patience } },
      {
        resolve: { conditions: ['source'] },
        ssr: { resolve: { conditions: ['source'] } },
        test: {
          name: 'browser',
          include: runsSlow
            ? [
                'packages/dashboard/journeys/*.test.ts',
                'packages/client/tests/browser/*.test.ts',
                'examples/{shop,cart-widget}/tests/*.test.ts',
              ]
            : journeys,
          globalSetup: ['packages/dashboard/journeys/ground/global-setup.ts'],
          setupFiles: ['packages/server/src/testing/close-after-file.ts'],
          isolate: false,
          // After all others, one file at a time: a browser and a service take both cores (two files at a time end no sooner), and a page may not wait for long.
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
          ...patience,
        },
      },
    ],
  },
})
