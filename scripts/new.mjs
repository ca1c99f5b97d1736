// Writes the files of a new noun (a resource of the API) and registers it: npm run new -- noun coupons --module incentives
// The generated noun has a name and two dates. Add its own fields, then run the printed commands.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { binary, ensureInstalled, root, runNode } from './workspace.mjs'

const usage = 'npm run new -- noun <plural-in-kebab-case> --module <module> [--singular <in-kebab-case>]'
const src = join(root, 'packages/server/src')
const written = []

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { module: { type: 'string' }, singular: { type: 'string' } },
})
const [what, plural, ...more] = positionals
const module = values.module
if (what !== 'noun' || !plural || !module || more.length > 0) stop(usage)
if (!/^[a-z]+(-[a-z]+)*$/.test(plural)) stop(`"${plural}" is not in kebab-case.`)
if (!existsSync(join(src, module, '..', 'core')) || !existsSync(join(src, module)))
  stop(`There is no module ${module}.`)
const folder = join(src, module, plural)
if (existsSync(folder)) stop(`${relative(root, folder)} exists already.`)
const singular = values.singular ?? plural.replace(/ies$/, 'y').replace(/([^s])s$/, '$1')
if (singular === plural) stop(`Cannot derive the singular of ${plural}: use --singular.`)

await ensureInstalled()
const names = namesOf(singular, plural)
const migration = `${String(lastMigration() + 1).padStart(4, '0')}-${plural}`
writeFiles(names)
addLines(names)
const code = await runNode([binary('@biomejs/biome/bin/biome'), 'check', '--write', ...written])
if (code !== 0) process.exit(code)
console.log(`\n${written.map((path) => relative(root, path)).join('\n')}\n
Next: its fields in schema.ts, the migration, the table's type and store.ts; then
  npm run generate
  npm run check
  npm test -- ${plural} operations contract tidy`)

function stop(message) {
  console.error(message)
  process.exit(1)
}

/** `gift-wrap`, `gift-wraps` → the names in every spelling that the code needs. */
function namesOf(one, many) {
  const camel = (text) => text.replaceAll(/-(\w)/g, (_, letter) => letter.toUpperCase())
  const pascal = (text) => camel(`-${text}`)
  const snake = (text) => text.replaceAll('-', '_')
  const words = (text) => text.replaceAll('-', ' ')
  return {
    kebab: many,
    one: words(one),
    many: words(many),
    object: snake(one),
    table: snake(many),
    camel: camel(one),
    camels: camel(many),
    Pascal: pascal(one),
    Pascals: pascal(many),
    article: /^[aeiou]/.test(one) ? 'an' : 'a',
  }
}

function lastMigration() {
  return Math.max(...readdirSync(join(src, 'core/db/migrations')).map((file) => Number.parseInt(file, 10)))
}

function write(path, text) {
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, text)
  written.push(path)
}

function writeFiles({ kebab, one, many, object, table, camel, camels, Pascal, Pascals, article }) {
  write(
    join(folder, 'schema.ts'),
    `import { Instant, Name } from '@guerdon/engine/schema'
import { type Static, Type } from 'typebox'
import { listOf, PageQuery } from '../../core/query/list.ts'

export const ${Pascal} = Type.Object({
  id: Type.String({ description: 'Time-ordered id, \`${object}_\` and 24 characters.' }),
  name: Name,
  created_at: Instant,
  updated_at: Type.Optional(Instant),
  object: Type.Literal('${object}'),
})
export type ${Pascal} = Static<typeof ${Pascal}>

export const ${Pascal}Body = Type.Pick(${Pascal}, ['name'])
export type ${Pascal}Body = Static<typeof ${Pascal}Body>

export const ${Pascal}Query = Type.Object(PageQuery({ order: ['-created_at', 'created_at'] }))
export type ${Pascal}Query = Static<typeof ${Pascal}Query>

export const ${Pascal}List = listOf('data', ${Pascal}, { total: true })
`,
  )
  write(
    join(folder, 'routes.ts'),
    `import { operation } from '../../core/http/operation.ts'
import { listed } from '../../core/query/list.ts'
import { ${Pascal}, ${Pascal}Body, ${Pascal}List, ${Pascal}Query } from './schema.ts'
import { delete${Pascal}, get${Pascal}, insert${Pascal}, list${Pascals}, update${Pascal} } from './store.ts'

export const ${camels} = [
  operation({
    id: 'list${Pascals}',
    method: 'GET',
    path: '/v1/${kebab}',
    summary: 'List ${many}',
    query: ${Pascal}Query,
    reply: ${Pascal}List,
    errors: ['invalid_query_params'],
    run: async (ctx, { query }) => {
      const { data, total } = await list${Pascals}(ctx, query)
      return listed('data', data, { total })
    },
  }),
  operation({
    id: 'create${Pascal}',
    method: 'POST',
    path: '/v1/${kebab}',
    summary: 'Create ${article} ${one}',
    body: ${Pascal}Body,
    reply: ${Pascal},
    errors: ['invalid_payload', 'duplicate_found'],
    run: (ctx, { body }) => insert${Pascal}(ctx, body),
  }),
  operation({
    id: 'get${Pascal}',
    method: 'GET',
    path: '/v1/${kebab}/{${camel}Id}',
    summary: 'Get ${article} ${one}',
    reply: ${Pascal},
    errors: ['not_found'],
    run: (ctx, { params }) => get${Pascal}(ctx, params.${camel}Id),
  }),
  operation({
    id: 'update${Pascal}',
    method: 'PUT',
    path: '/v1/${kebab}/{${camel}Id}',
    summary: 'Update ${article} ${one}',
    body: ${Pascal}Body,
    reply: ${Pascal},
    errors: ['invalid_payload', 'not_found', 'duplicate_found'],
    target: (ctx, { params }) => get${Pascal}(ctx, params.${camel}Id),
    run: (ctx, { target, body }) => update${Pascal}(ctx, target.id, body),
  }),
  operation({
    id: 'delete${Pascal}',
    method: 'DELETE',
    path: '/v1/${kebab}/{${camel}Id}',
    summary: 'Delete ${article} ${one}',
    reply: null,
    errors: ['not_found'],
    run: (ctx, { params }) => delete${Pascal}(ctx, params.${camel}Id),
  }),
]
`,
  )
  write(
    join(folder, 'store.ts'),
    `import type { Selectable } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import type { ${Pascal}Row } from '../../core/db/tables.ts'
import { newId } from '../../core/lib/ids.ts'
import { pageOf } from '../../core/query/list.ts'
import { deleteRow, getRow, insertRow, updateRow } from '../../core/rows.ts'
import type { ${Pascal}, ${Pascal}Body, ${Pascal}Query } from './schema.ts'

const ${camels} = { table: '${table}', type: '${object}', unique: 'name' } as const

export const get${Pascal} = async (ctx: Ctx, id: string): Promise<${Pascal}> =>
  to${Pascal}(await getRow(ctx, ${camels}, id))

export async function list${Pascals}(
  { db, project_id }: Ctx,
  query: ${Pascal}Query,
): Promise<{ data: ${Pascal}[]; total: number }> {
  const { rows, total } = await pageOf(
    db.selectFrom('${table}').where('project_id', '=', project_id).selectAll(),
    query,
    { columns: { created_at: 'created_at' }, default_order: '-created_at' },
  )
  return { data: rows.map(to${Pascal}), total }
}

export async function insert${Pascal}(ctx: Ctx, { name }: ${Pascal}Body): Promise<${Pascal}> {
  const id = newId('${object}', Date.parse(ctx.now))
  return to${Pascal}(await insertRow(ctx, ${camels}, { id, name }))
}

export const update${Pascal} = async (ctx: Ctx, id: string, { name }: ${Pascal}Body): Promise<${Pascal}> =>
  to${Pascal}(await updateRow(ctx, ${camels}, id, { name }))

export const delete${Pascal} = (ctx: Ctx, id: string): Promise<void> => deleteRow(ctx, ${camels}, id)

function to${Pascal}({ id, name, created_at, updated_at }: Selectable<${Pascal}Row>): ${Pascal} {
  return { id, name, created_at, ...(updated_at === null ? {} : { updated_at }), object: '${object}' }
}
`,
  )
  write(
    join(folder, `${kebab}.test.ts`),
    `import { expect, test } from 'vitest'
import { newProject, send } from '../../testing/app.ts'

const instant = expect.stringMatching(/^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$/)
const nothing = { object: 'list', data_ref: 'data', data: [], total: 0 }

test('${article} ${one} is created, read, changed and deleted', async () => {
  const shop = await newProject()
  const { status, body: created } = await shop.call('POST', '/v1/${kebab}', { name: 'First' })
  expect(status).toBe(200)
  expect(created).toEqual({
    id: expect.stringMatching(/^${object}_\\w{24}$/),
    name: 'First',
    created_at: instant,
    object: '${object}',
  })

  const path = \`/v1/${kebab}/\${created.id}\`
  expect((await shop.call('GET', path)).body).toEqual(created)
  const { body: updated } = await shop.call('PUT', path, { name: 'Second' })
  expect(updated).toEqual({ ...created, name: 'Second', updated_at: instant })
  expect((await shop.call('GET', '/v1/${kebab}')).body).toEqual({ ...nothing, data: [updated], total: 1 })

  expect(await shop.call('DELETE', path)).toMatchObject({ status: 204 })
  expect(await shop.call('GET', path)).toMatchObject({ status: 404, body: { key: 'not_found' } })
  expect((await shop.call('GET', '/v1/${kebab}')).body).toEqual(nothing)
})

test('a name is unique in a project', async () => {
  const shop = await newProject()
  await shop.call('POST', '/v1/${kebab}', { name: 'First' })
  const { body: second } = await shop.call('POST', '/v1/${kebab}', { name: 'Second' })
  const taken = { status: 409, body: { key: 'duplicate_found' } }
  expect(await shop.call('POST', '/v1/${kebab}', { name: 'First' })).toMatchObject(taken)
  expect(await shop.call('PUT', \`/v1/${kebab}/\${second.id}\`, { name: 'First' })).toMatchObject(taken)
})

test('a request without a key or of another project can neither read nor change it', async () => {
  const [shop, stranger] = [await newProject(), await newProject()]
  const { body: created } = await shop.call('POST', '/v1/${kebab}', { name: 'First' })
  const path = \`/v1/${kebab}/\${created.id}\`
  for (const [method, body] of [['GET'], ['PUT', { name: 'Stolen' }], ['DELETE']] as const) {
    expect(await send(shop.service.app, method, path, body)).toMatchObject({ status: 401 })
    expect(await stranger.call(method, path, body)).toMatchObject({ status: 404 })
  }
  expect((await stranger.call('GET', '/v1/${kebab}')).body).toEqual(nothing)
  expect((await shop.call('GET', path)).body).toEqual(created)
})
`,
  )
  write(
    join(src, 'core/db/migrations', `${migration}.ts`),
    `import { sql } from 'kysely'
import type { Db } from '../database.ts'

export async function up(db: Db): Promise<void> {
  await sql\`create table ${table} (
    project_id text collate "C" not null,
    id text collate "C" not null,
    name text not null,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3),
    primary key (project_id, id),
    unique (project_id, name)
  )\`.execute(db)
  await sql\`create index ${table}_by_creation on ${table} (project_id, created_at, id)\`.execute(db)
}
`,
  )
  write(
    join(src, 'core/db/tables', `${kebab}.ts`),
    `import type { Id } from '../../lib/ids.ts'
import type { Instant } from '../../lib/instant.ts'

export interface ${Pascal}Tables {
  ${table}: ${Pascal}Row
}

export interface ${Pascal}Row {
  project_id: string
  id: Id<'${object}'>
  name: string
  created_at: Instant
  updated_at: Instant | null
}
`,
  )
}

/** Registers the noun in the shared tables. Biome sorts the imports afterwards. */
function addLines({ kebab, object, camels, Pascal }) {
  insert('operations.ts', 'import type { Operation }', `import { ${camels} } from './${module}/${kebab}/routes.ts'\n`)
  insert('operations.ts', /^\](?![\s\S]*^\])/m, `  ...${camels},\n`)
  insert('schemas.ts', /^export/m, `export * from './${module}/${kebab}/schema.ts'\n`)
  insert(
    'core/db/tables.ts',
    'import type { AudienceTables }',
    `import type { ${Pascal}Tables } from './tables/${kebab}.ts'\n`,
  )
  insert('core/db/tables.ts', 'export type * from', `export type * from './tables/${kebab}.ts'\n`)
  insert('core/db/tables.ts', / \{\}\n/, `,\n    ${Pascal}Tables`)
  insert(
    'core/db/migrate.ts',
    'import { NewerSchemaError }',
    `import * as ${camels} from './migrations/${migration}.ts'\n`,
  )
  insert('core/db/migrate.ts', /^\]$/m, `  ['${migration}', ${camels}],\n`)
  insert('core/lib/ids.ts', "  category: ['cat_'", `  ${object}: ['${object}_', 24],\n`)
  insert('core/http/scopes.ts', "'customers',", `'${kebab}', `)
}

/** Inserts a text before the first match of a pattern. */
function insert(file, before, text) {
  const path = join(src, file)
  const content = readFileSync(path, 'utf8')
  const at = typeof before === 'string' ? content.indexOf(before) : content.search(before)
  if (at < 0) stop(`${file} does not contain ${before}: update scripts/new.mjs.`)
  writeFileSync(path, content.slice(0, at) + text + content.slice(at))
  if (!written.includes(path)) written.push(path)
}
