import { defineConfig } from 'vitest/config'

/**
 * Three runs of one suite: the engine, the server on the embedded database, the server on a real PostgreSQL.
 * What only a real database can show (races, crashes, many nodes) is named `*.race.test.ts` and runs on PostgreSQL.
 *
 * The files of one worker share its modules, and with them the database and the service of the tests: one more file costs
 * what its tests cost. So a hook at the top of a shared module would be that of the file which imported it first; what is
 * opened on the way has itself closed with `atEnd` (testing/closings.ts).
 */
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
    testTimeout: 30_000,
    hookTimeout: 60_000,
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
          testTimeout: 30_000,
        },
      },
      onDatabase('pglite'),
      onDatabase('postgres'),
    ],
  },
})
