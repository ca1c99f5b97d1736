import { defineConfig } from 'vitest/config'

/**
 * Three runs of one suite: the engine, the server on the embedded database, the server on a real PostgreSQL.
 * What only a real database can show (races, crashes, many nodes) is named `*.race.test.ts` and runs on PostgreSQL.
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
        },
      },
      onDatabase('pglite'),
      onDatabase('postgres'),
    ],
  },
})
