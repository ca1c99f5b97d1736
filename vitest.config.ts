import { defineConfig } from 'vitest/config'

/**
 * Three runs of one suite: the engine, the server on the embedded database, the server on a real PostgreSQL.
 * What only a real database can show (races, crashes, many nodes) is named `*.race.test.ts` and runs on PostgreSQL.
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
const races = '**/*.race.test.ts'

const onDatabase = (database: 'pglite' | 'postgres') => ({
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    name: database,
    include: [server],
    exclude: database === 'pglite' ? [races] : [],
    globalSetup: [`packages/server/src/testing/global-setup.${database}.ts`],
    setupFiles: ['packages/server/src/testing/close-after-file.ts'],
    isolate: false,
    ...patience,
  },
})

export default defineConfig({
  test: {
    maxWorkers: 2,
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
    ],
  },
})
