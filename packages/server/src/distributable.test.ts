import { readdirSync, readFileSync } from 'node:fs'
import { loadModule } from 'libpg-query'
import { beforeAll, describe, expect, test } from 'vitest'
import { randomlyUnique, scatteredIndexes, sequenceColumns, tablesToDistribute } from './core/db/distribution.ts'
import { testDatabase } from './testing/database.ts'
import {
  type DistributedTables,
  filledIn,
  problemsOf,
  type SourceStatement,
  statementsInSource,
  statementsOfFunction,
} from './testing/distributable.ts'
import { functionFiles } from './testing/functions.ts'

/*
 * What a database that is distributed by project needs of the code (docs/decisions/0082-distributed-by-project.md), without such a database.
 */

/** Statements about several projects. None of them is on the way of a request to the rows of its project. */
const ofSeveralProjects: Readonly<Record<string, string>> = {
  'account/users/store.ts': 'project_users is not distributed',
  'audience/segments/worker.ts': 'finds work of any project',
  'core/db/tallies.ts': 'on one server; fold_tallies() elsewhere',
  'core/db/usage.ts': 'on one server; fold_usage() elsewhere',
  'core/events/partitions.ts': 'events of any project in the minutes around a month',
  'core/jobs/maintenance.ts': 'within() names the project',
  'exports/work.ts': 'finds work of any project',
  'incentives/campaigns/propagate.ts': 'stillChangeable() names the project',
  'loyalty/points/daily-job.ts': 'finds work of any project',
  'loyalty/points/review.ts': 'finds work of any project',
  'monitoring/audit-log/store.ts': 'entries of any project; conditions name the one that is read',
  'monitoring/notifications/retention.ts': 'within() names the project',
  'move/archive/kinds.ts': 'reads partitions of all projects',
  'webhooks/delivery/due-sendouts.ts': 'within() names the project',
  'webhooks/delivery/leases.ts': 'within() names the project, or finds work of any',
  'webhooks/delivery/record-attempts.ts': 'within() names the project',
  'webhooks/delivery/waiting.ts': 'measures all projects',
  'webhooks/sendouts/retention.ts': 'within() names the project',
  'webhooks/sendouts/store.ts': 'finds send-outs of any project',
}

/** Files with statements that are put together from parts, so that nobody can parse the file: their tests run on a distributed database. */
const assembled: readonly string[] = [
  'audience/customers/import.ts',
  'catalogue/products/store.ts',
  'catalogue/skus/store.ts',
  'checkout/qualifications/codes.ts',
  'core/db/event-positions.ts',
  'core/events/delete-events.ts',
  'core/query/page-sql.ts',
  'exports/read.ts',
  'incentives/campaigns/propagate.ts',
  'incentives/publications/store.ts',
  'incentives/vouchers/make.ts',
  'incentives/vouchers/read.ts',
  'incentives/vouchers/store.ts',
  'monitoring/audit-log/erase.ts',
  'monitoring/audit-log/store.ts',
  'monitoring/events/store.ts',
  'move/account/insert-rows.ts',
  'move/account/open-cards.ts',
  'move/archive/kinds.ts',
  'move/rows/claim.ts',
  'move/rows/insert-rows.ts',
  'rules/terms/referencing.ts',
  'statistics/sums/add-up.ts',
  'statistics/sums/changes-sql.ts',
  'statistics/sums/tail-sql.ts',
  'statistics/sums/work.ts',
  'webhooks/delivery/leases.ts',
  'webhooks/sendouts/store.ts',
]

/** Functions of the previous release: its nodes call them on a database that is not distributed. */
const ofThePreviousRelease = ['checkout_save', 'loyalty_facts', 'publication_save', 'publication_take']

const folder = new URL('./', import.meta.url)
const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !/\.test\.|^testing\/|migrations\//.test(file))
  .sort()
  .map((file) => ({ file, text: readFileSync(new URL(file, folder), 'utf8') }))
const functions = [...functionFiles()].filter(([name]) => !ofThePreviousRelease.includes(name))

let tables: DistributedTables
beforeAll(async () => {
  await loadModule()
  const { db } = await testDatabase()
  tables = new Map(
    (await tablesToDistribute(db)).flatMap(({ name, column }) => (column === null ? [] : [[name, column] as const])),
  )
})

const found = (): SourceStatement[] => sources.flatMap(({ file, text }) => statementsInSource(file, text))

describe('the SQL of a project runs on the server of the project', () => {
  test('every statement names the project of each of its tables, or says why not', () => {
    const problems = found().flatMap(({ file, line, text }) => {
      const statement = filledIn(text)
      const these = statement === null ? [] : problemsOf(statement, tables)
      return these.length === 0 ? [] : [{ file, where: `${file}:${line}: ${these.join(', ')}` }]
    })
    expect(problems.filter(({ file }) => ofSeveralProjects[file] === undefined).map(({ where }) => where)).toEqual([])
    expect([...new Set(problems.map(({ file }) => file))]).toEqual(Object.keys(ofSeveralProjects))
  })

  test('the files whose statements cannot be parsed are known', () => {
    const unread = new Set(found().flatMap(({ file, text }) => (filledIn(text) === null ? [file] : [])))
    expect([...unread].sort()).toEqual(assembled)
  })

  test('every query of the query builder names the project', () => {
    const without = sources.flatMap(({ file, text }) =>
      [...text.matchAll(/^(?!\s*(?:\*|\/\/)).*\.(?:selectFrom|updateTable|deleteFrom)\('(\w+)/gm)].flatMap((match) => {
        const [before, name = ''] = match
        const rest = text.slice(match.index + before.length)
        const query = rest.slice(0, rest.search(/\.execute|\n}\n|\n\n/))
        const column = tables.get(name)
        if (column === undefined || name === 'projects' || query.includes(`${column}'`)) return []
        return [`${file}: ${name}`]
      }),
    )
    expect(without).toEqual([])
  })

  test.each(functions)('the function %s names it, and takes it as its first parameter', async (name, text) => {
    const statements = (await statementsOfFunction(text)).filter(
      (statement) => !/\b(written|deleted)\b/.test(statement),
    )
    expect(statements.flatMap((statement) => problemsOf(statement, tables))).toEqual([])
    if (
      statements.some((statement) =>
        [...tables.keys()].some((table) => new RegExp(`\\b(from|into|update) ${table}\\b`).test(statement)),
      )
    )
      expect(text).toMatch(new RegExp(`function ${name}\\(project text|returns trigger`))
  })
})

describe('what no statement carries to another server', () => {
  test('locks on names are asked for in a statement of the project, or are those of the installation', () => {
    const files = sources.filter(({ text }) => /pg_(try_)?advisory/.test(text)).map(({ file }) => file)
    expect(files).toEqual([
      'account/installation/management-keys.ts', // the installation
      'account/oauth/store.ts', // tokens are not distributed
      'account/users/store.ts', // the installation
      'core/db/connect.ts', // the installation
      'core/db/migration-locks.ts', // the installation
      'core/db/name-locks.ts', // from projects
      'core/db/partitions.ts', // the installation
      'core/db/pooler-check.ts', // the installation
      'loyalty/points/daily-job.ts', // a condition on members of the project
    ])
    for (const [, text] of functions)
      for (const statement of text.match(/pg_advisory[^;]*;/g) ?? [])
        expect(statement).toContain('from projects where id = project')
  })

  test('the id of a transaction is not written by a statement that the coordinator evaluates', () => {
    const files = sources.filter(({ text }) => text.includes('pg_current_xact_id()')).map(({ file }) => file)
    expect(files).toEqual(['core/db/event-positions.ts', 'core/db/transaction-on.ts'])
  })
})

describe('the schema can be distributed', () => {
  test('every unique index contains the project, unless its values are random', async () => {
    const { db } = await testDatabase()
    const found = await scatteredIndexes(db, await tablesToDistribute(db))
    expect(found.map(({ name }) => name).filter((name) => !randomlyUnique.includes(name))).toEqual([])
  })

  test('every foreign key leads from one distributed table to another, or from one of the others to another', async () => {
    const database = await testDatabase()
    const { rows } =
      await database.execute(`select conname::text as name, conrelid::regclass::text as "from", confrelid::regclass::text as "to"
      from pg_constraint where contype = 'f' and connamespace = current_schema()::regnamespace`)
    const keys = rows as Array<{ name: string; from: string; to: string }>
    expect(keys.length).toBeGreaterThan(5)
    expect(keys.filter(({ from, to }) => tables.has(from) !== tables.has(to))).toEqual([])
  })

  test('every sequence is in the list of those that the workers are given', async () => {
    const database = await testDatabase()
    const { rows } = await database.execute(
      `select relname::text as name from pg_class where relkind = 'S' and relnamespace = current_schema()::regnamespace order by 1`,
    )
    expect((rows as Array<{ name: string }>).map(({ name }) => name)).toEqual(
      sequenceColumns.map(({ sequence }) => sequence).sort(),
    )
  })
})

test('a statement that would go to every shard is noticed', () => {
  const problems = (text: string) =>
    problemsOf(
      text,
      new Map([
        ['vouchers', 'project_id'],
        ['lots', 'project_id'],
        ['projects', 'id'],
      ]),
    )
  expect(
    problems('select 1 from vouchers v join lots l on l.project_id = v.project_id where v.project_id = $1'),
  ).toEqual([])
  expect(problems('select 1 from vouchers where id = $1')).toEqual(['reads vouchers without its project'])
  expect(
    problems('select (select 1 from lots l where l.project_id = v.project_id) from vouchers v where v.project_id = $1'),
  ).toEqual(['reads lots without its project'])
  expect(problems('select 1 from vouchers where project_id = $1 or id = $2')).toEqual([
    'reads vouchers without its project',
  ])
  expect(problems('insert into lots (project_id) select $1 from unnest($2::text[]) id on conflict do nothing')).toEqual(
    ['inserts into lots from a query without the row of the project'],
  )
  expect(
    problems('insert into lots (project_id) select own.id from projects own, unnest($2::text[]) id where own.id = $1'),
  ).toEqual([])
})
