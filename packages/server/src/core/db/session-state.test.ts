import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { serviceTexts } from '../../testing/sources.ts'

/*
 * Behind a transaction pooler each transaction runs on another server connection, which serves other clients in between: nothing may be
 * kept in a session, and nothing may be read from one (docs/decisions/0078-transaction-poolers.md).
 */

const kept: Record<string, RegExp> = {
  'a setting of the session':
    /(?:^.|;)\s*(?:set\s+(?!local\b)(?:session\s+)?[\w.]+\s*(?:=|to\b)|set\s+(?:session\s+)?(?:role|authorization)\b|reset\s)/,
  'a setting of the session, by function': /\bset_config\((?:[^()]|\([^()]*\))*,\s*false\)/,
  'a lock of the session': /\bpg_(?:try_)?advisory_(?:lock|unlock)(?:_shared|_all)?\b/,
  'the position of a sequence in the session': /\b(?:currval|lastval)\(/,
  'a table of the session': /\bcreate\s+(?:(?:global|local)\s+)?temp(?:orary)?\b|\bpg_temp\b/,
  'a cursor that outlives its transaction': /\bwith\s+hold\b/,
  'a prepared statement in SQL': /\bprepare\s+\w+\s*(?:\([^)]*\)\s*)?as\b|\bdeallocate\b/,
  'a channel that the session listens on': /(?:^.|;)\s*(?:un)?listen\s/,
  'the state of the session': /\bdiscard\s+(?:all|plans|sequences|temp)\b/,
  'the process of the session': /\bpg_(?:backend_pid|terminate_backend|cancel_backend)\(/,
  'several statements on one connection': /\.connection\(\)/,
}

/** What runs on connections past the pooler, or is never sent through one. */
const exceptions: Record<string, readonly string[]> = {
  // Over DATABASE_SESSION_URL: the lock of a start, listening; the embedded database has one session for all.
  'core/db/connect.ts': ['a lock of the session', 'a channel that the session listens on', 'a setting of the session'],
  // Runs in `inSession`.
  'core/db/migration-locks.ts': [
    'a lock of the session',
    'the process of the session',
    'several statements on one connection',
  ],
  // Of the connections of a pool without a pooler.
  'core/db/connection-watch.ts': ['the process of the session'],
  'core/db/plan-lifetime.ts': ['the state of the session'],
  // Listens over DATABASE_SESSION_URL.
  'core/db/pooler-check.ts': ['a channel that the session listens on'],
  // Of a command, which goes past the pooler.
  'core/db/distribution.ts': ['a setting of the session, by function'],
  // Of a function that it creates.
  'core/db/sync-functions.ts': ['a setting of the session'],
  // Of the embedded database.
  'core/db/embedded.ts': ['a setting of the session'],
}

/** The texts of a source file that may be SQL: without comments, in which words are free. */
function literalsOf(text: string): string[] {
  const withoutComments = text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
  return withoutComments.match(/`(?:[^`\\]|\\[\s\S])*`|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|\.connection\(\)/g) ?? []
}

/** Messages and descriptions may have the same words: a statement begins with one of these, or is a part with such a function. */
const isSql =
  /^.\s*(?:with|select|insert|update|delete|begin|reset|create|drop|alter|listen|unlisten|declare|fetch|close|discard|prepare|execute|deallocate|lock|do|call)\b|\bpg_|\bset_config\(|^\.connection|\b(?:curr|last)val\(/i

/** Names of settings are written in lower case; other messages name the variables of the environment. */
const isSetting = /^.\s*(?:set|SET)\s+[a-z_.]+\s*(?:=|to\b|TO\b)/

function findingsIn(literals: readonly string[]): string[] {
  const statements = literals
    .filter((literal) => isSql.test(literal) || isSetting.test(literal))
    .map((literal) => literal.toLowerCase())
  return Object.keys(kept).filter((name) => statements.some((text) => (kept[name] as RegExp).test(text)))
}

test('no statement of the service keeps anything in a session', () => {
  const found: Record<string, string[]> = {}
  for (const [path, text] of serviceTexts()) {
    const findings = findingsIn(literalsOf(text))
    if (findings.length > 0) found[path.replace('packages/server/src/', '')] = findings.toSorted()
  }
  const expected = Object.fromEntries(Object.entries(exceptions).map(([path, names]) => [path, names.toSorted()]))
  expect(found).toEqual(expected)
})

test('no database function keeps anything in a session', () => {
  const folder = fileURLToPath(new URL('./functions/', import.meta.url))
  for (const path of globSync(join(folder, '*.sql'))) {
    const text = readFileSync(path, 'utf8').replaceAll(/--.*$/gm, '').toLowerCase()
    const findings = Object.keys(kept).filter((name) => (kept[name] as RegExp).test(text))
    expect({ file: basename(path), findings }).toEqual({ file: basename(path), findings: [] })
  }
})

/*
 * The job queue sends its statements through the pool of the service. Its own connections (db.js, which listens) and its command line
 * are not used.
 */
test('no statement of the job queue keeps anything in a session', () => {
  const folder = fileURLToPath(new URL('../../../../../node_modules/pg-boss/dist/', import.meta.url))
  const unused = ['db.js', 'cli.js']
  const files = globSync(join(folder, '*.js')).filter((path) => !unused.includes(basename(path)))
  expect(files.length).toBeGreaterThan(10)
  // A look at other processes leaves out its own; a clock for tests is taken back.
  const known: Record<string, string[]> = { 'plans.js': ['a setting of the session', 'the process of the session'] }
  for (const path of files) {
    const findings = findingsIn(literalsOf(readFileSync(path, 'utf8')))
    expect({ file: basename(path), findings }).toEqual({ file: basename(path), findings: known[basename(path)] ?? [] })
  }
})

test.each([
  ['sql`set statement_timeout = 0`', 'a setting of the session'],
  ["sql`select set_config('lock_timeout', '5s', false)`", 'a setting of the session, by function'],
  ['sql`select pg_advisory_lock(1)`', 'a lock of the session'],
  ['sql`select pg_try_advisory_lock(2) as is_taken`', 'a lock of the session'],
  ["'create temp table seen (id text)'", 'a table of the session'],
  ["'declare rows cursor with hold for select 1'", 'a cursor that outlives its transaction'],
  ["sql`select currval('numbers')`", 'the position of a sequence in the session'],
  ['`listen channel`', 'a channel that the session listens on'],
  ["'discard all'", 'the state of the session'],
  ['sql`select pg_backend_pid() as pid`', 'the process of the session'],
  ['db.connection().execute(work)', 'several statements on one connection'],
])('%s would be found', (text, name) => {
  expect(findingsIn(literalsOf(text))).toEqual([name])
})

test.each([
  'sql`set local statement_timeout = 0`',
  "sql`select set_config('synchronous_commit', 'off', true)`",
  'sql`select pg_advisory_xact_lock(1)`',
  'sql`update vouchers set active = true`',
  'sql`insert into a values (1) on conflict do update set b = 2`',
])('%s is of the transaction', (text) => {
  expect(findingsIn(literalsOf(text))).toEqual([])
})
