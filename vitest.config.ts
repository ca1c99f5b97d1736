import { globSync, readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { testRun } from './packages/server/src/testing/scale.ts'

/**
 * The suffix of a test file says what it needs, and so where it runs (docs/decisions/0037-what-runs-where.md):
 *
 *   *.test.ts           no process and no wall clock: `npm test`
 *   *.race.test.ts      several connections to one database: `.ci/run`; those of money also `npm test`
 *   *.process.test.ts   starts or kills processes, servers, poolers, replicas: `npm run verify`
 *   *.journey.ts        a browser: `npm run verify`; those that say `@gate` also `.ci/run`, those that say `@first` also `npm test`
 *
 * A file that says `@embedded` runs on the embedded database too, and in `npm run verify` every file but the races does.
 *
 * The files of one worker share its modules, and with them the database and the service of the tests: one more file costs what its tests
 * cost. So a hook at the top of a shared module would be that of the file which imported it first; what is opened on the way has itself
 * closed with `atEnd` (testing/closings.ts).
 *
 * No test measures the pace of the machine: a time-out stands for something that never ends, and leaves a busy machine as long as it may
 * need. What a test waits for with `expect.poll` or `until` (testing/background.ts) gives up before the test does, so that it says what
 * it waited for.
 */
const patience = { testTimeout: 300_000, hookTimeout: 300_000, expect: { poll: { timeout: 120_000 } } }

const tests = [
  'packages/server/src/**/*.test.ts',
  'packages/client/tests/**/*.test.ts',
  'examples/*/{src,tests}/*.test.ts',
]
const journeys = [
  'packages/dashboard/journeys/*.journey.ts',
  'packages/client/tests/*.journey.ts',
  'examples/*/tests/*.journey.ts',
]
const races = '**/*.race.test.ts'
const processes = '**/*.process.test.ts'
const racesBesidesMoney = ['*', '!(checkout|incentives|loyalty|orders|redemptions)/**/*'].map(
  (path) => `packages/server/src/${path}.race.test.ts`,
)

/** The files with a comment that says `@word`. */
const saying = (word: string, patterns: string[]): string[] =>
  globSync(patterns, { exclude: ['**/node_modules/**'] }).filter((path) =>
    new RegExp(`^(?://|/?\\*).*@${word}\\b`, 'm').test(readFileSync(path, 'utf8')),
  )

/** They start processes, and need what the journeys have built. */
const processesOfDashboard = 'packages/dashboard/journeys/*.process.test.ts'

const skipped = { test: [processes, ...racesBesidesMoney], gate: [processes], all: [], both: [] }[testRun]

/** Tests of the service run as the service does: Node strips the types, and takes the packages from their sources. */
const native = {
  experimental: { viteModuleRunner: false },
  execArgv: ['--conditions=source', '--disable-warning=ExperimentalWarning'],
}

const onDatabase = (name: 'postgres' | 'embedded', include: string[], exclude: string[]) => ({
  test: {
    name,
    ...native,
    include,
    exclude: ['**/node_modules/**', ...exclude],
    globalSetup: [`packages/server/src/testing/global-setup.${name}.ts`],
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
          name: 'pure',
          include: ['packages/{engine,dashboard}/src/**/*.test.ts', 'bench/**/*.test.ts'],
          globalSetup: ['packages/engine/src/testing/choose-seed.ts'],
          setupFiles: ['packages/engine/src/testing/use-seed.ts'],
          isolate: false,
          ...patience,
        },
      },
      onDatabase('postgres', tests, skipped),
      onDatabase('embedded', testRun === 'both' ? tests : saying('embedded', tests), [races, ...skipped]),
      {
        test: {
          name: 'journeys',
          ...native,
          include: {
            test: saying('first', journeys),
            gate: saying('gate', journeys),
            all: [...journeys, processesOfDashboard],
            both: [...journeys, processesOfDashboard],
          }[testRun],
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
