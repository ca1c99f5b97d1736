/** Why the run of all pages leaves a block out, and what tries it instead. */
export const reasonsNotToExecute: Readonly<Record<string, string>> = {
  'starts the service': 'the run has started one already; .ci/run starts the packed packages from an empty folder',
  'followed by hand': 'npm run try-runbook follows the page and writes its output; it needs a past release',
  'needs several database servers':
    'npm run try-failover starts them with the same settings; it needs packages of Debian',
  'needs a second installation':
    'command-line/move.test.ts, command-line/import-account.process.test.ts and move/shadow/*.test.ts run these commands against a second service',
  'needs two PostgreSQL servers':
    'core/db/replicas.process.test.ts and npm run try-replica start them with this setting',
  'needs PgBouncer': 'core/db/pooler.process.test.ts starts it with this file, where it is installed',
  'needs events of past months': 'command-line/archive.process.test.ts runs these commands',
  'needs a database of the release before':
    'core/db/upgrade.test.ts upgrades such databases, with the column and an index prepared',
  'needs Citus': 'a run of the tests with TEST_DISTRIBUTED=1 distributes its database with the same code',
  'builds the guides':
    'the journeys of packages/dashboard build them for the service; npm run guides -- --base was tried by hand',
  'a line for your own database': 'nothing: the table is the reader’s',
  'a program of the reader': 'the run of all pages starts each recipe in the same way',
  'runs the tests': '.ci/run does',
  'a program of docs/examples': 'examples.process.test.ts starts it, and compares it with the page',
}
