import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { newProject, type Shop } from '../../testing/app.ts'
import { runAsyncActions } from '../../testing/background.ts'
import { countedRows } from '../../testing/counting-action.ts'
import { ApiError } from '../http/errors.ts'
import { operation } from '../http/operation.ts'
import { csvRow } from '../lib/csv.ts'
import { limits } from '../lib/limits.ts'
import { type AsyncActionDefinition, runAsyncAction } from './async-action.ts'
import { StartedAsyncAction } from './async-actions/schema.ts'
import { type CsvRow, defineCsvImport } from './csv-import.ts'
import { type Refusal, startFileImport } from './file-import.ts'
import { CsvFile } from './files/schema.ts'
import { rowByRow } from './row-by-row.ts'

/** Counts each row by its `name`, so that a row imported twice or never is detected; names `bad…` are refused. */
const counting = (onStep: (rows: CsvRow[]) => void = () => {}) =>
  defineCsvImport<{ prefix: string }>({
    type: 'PRODUCTS.IMPORT_CSV',
    noun: 'product(s)',
    required: ['name'],
    prepare: async () => ({ prefix: 'row ' }),
    async rows({ db, project_id }, rows, { prefix }) {
      const [bad = [], good = []] = [true, false].map((isBad) =>
        rows.filter(({ cells }) => (cells.name?.startsWith('bad') ?? false) === isBad),
      )
      await sql`
        insert into guards as c (project_id, name, version, touched_at)
        select ${project_id}, ${prefix}::text || name, 1, now() from unnest(${good.map(({ cells }) => cells.name ?? '')}::text[]) as name
        on conflict (project_id, name) do update set version = c.version + 1`.execute(db)
      onStep(rows)
      return bad.map(({ row, cells }) => ({ row, reason: `${cells.name} is not good` }))
    },
    failure: ({ row, cells }) => ({ source_id: cells.source_id, row }),
  })

const probe = operation({
  id: 'probeImport',
  method: 'POST',
  path: '/v1/probes/importCSV',
  summary: 'Import rows',
  consumes: 'multipart',
  body: CsvFile,
  reply: StartedAsyncAction,
  status: 202,
  errors: ['invalid_payload'],
  run: (ctx, { body }) => startFileImport(ctx, counting(), [body.file], {}),
})

const shopWithProbe = () => newProject({ extra: [probe] })

async function upload(shop: Shop, file: string | Uint8Array): Promise<string> {
  const head = '--part\r\nContent-Disposition: form-data; name="file"; filename="rows.csv"\r\n\r\n'
  const body = Buffer.concat([Buffer.from(head), Buffer.from(file as string), Buffer.from('\r\n--part--\r\n')])
  const answer = await shop.call('POST', '/v1/probes/importCSV', body, {
    'content-type': 'multipart/form-data; boundary=part',
  })
  expect(answer).toMatchObject({ status: 202, body: { async_action_id: expect.stringMatching(/^aa_/) } })
  return answer.body.async_action_id
}

const run = (shop: Shop, action: AsyncActionDefinition = counting() as AsyncActionDefinition) =>
  runAsyncActions(shop.service.runtime, shop.project_id, [action])

const read = async (shop: Shop, id: string) => (await shop.call('GET', `/v1/async-actions/${id}`)).body

async function imported(shop: Shop, file: string | Uint8Array, action?: AsyncActionDefinition) {
  const id = await upload(shop, file)
  await run(shop, action)
  expect(await filesOf(shop)).toBe(0)
  return read(shop, id)
}

const filesOf = async ({ service: { runtime }, project_id }: Shop) => {
  const { rows } = await sql<{ files: number }>`
    select (select count(*) from files where project_id = ${project_id}) + (select count(*) from file_chunks where project_id = ${project_id}) as files
  `.execute(runtime.database.db)
  return rows[0]?.files
}

const counted = ({ service: { runtime }, project_id }: Shop) => countedRows({ db: runtime.database.db, project_id })

const rowsNamed = (count: number, from = 1) =>
  Array.from({ length: count }, (_, n) => csvRow([`r${from + n}`, `s${from + n}`])).join('')

test('a file is imported in steps and then deleted', async () => {
  const shop = await shopWithProbe()
  const steps: CsvRow[][] = []
  const file = `name,source_id\n${rowsNamed(2 * limits.csv_step_rows + 7)}`
  const id = await upload(shop, file)
  expect(await filesOf(shop)).toBe(2)
  expect(await read(shop, id)).toMatchObject({ status: 'ENQUEUED', progress: 0 })
  await run(shop, counting((rows) => steps.push(rows)) as AsyncActionDefinition)

  expect(await read(shop, id)).toMatchObject({
    status: 'DONE',
    operation_status: 'SUCCESS',
    progress: 100,
    result: {
      message: '1007 product(s) imported successfully, 0 failed.',
      failed: [],
      done_count: 1007,
      failed_count: 0,
    },
  })
  expect(steps.map((rows) => rows.length)).toEqual([limits.csv_step_rows, limits.csv_step_rows, 7])
  expect(steps[2]?.[0]).toEqual({ row: 1001, cells: { name: 'r1001', source_id: 's1001' } })
  expect(await counted(shop)).toEqual({ 1: 1007 })
  expect(await filesOf(shop)).toBe(0)
})

test('an invalid row fails alone: refused, wrong length, bad quotes, not UTF-8, or a character that cannot be stored', async () => {
  const shop = await shopWithProbe()
  const file = Buffer.concat([
    Buffer.from(
      'name,source_id\r\ngood1,a\r\nbad1,b\r\n\r\n,\r\ntoo,many,cells\r\nfew\r\n"not closed,c\r\ngood2,d\r\n',
    ),
    Buffer.from([0xff]),
    Buffer.from(',e\r\nnull\0,f\r\n"good, 3","g\nh"'),
  ])
  expect(await imported(shop, file)).toMatchObject({
    status: 'DONE',
    operation_status: 'FAILED',
    result: {
      message: '3 product(s) imported successfully, 6 failed.',
      done_count: 3,
      failed_count: 6,
      failed: [
        { source_id: 'b', row: 2, reason: 'bad1 is not good' },
        { row: 3, reason: 'The row has 3 cells where the header has 2' },
        { row: 4, reason: 'The row has 1 cells where the header has 2' },
        { row: 5, reason: 'The quotation marks of the row do not match' },
        { row: 7, reason: 'The row is not UTF-8' },
        { row: 8, reason: 'The row contains the character U+0000' },
      ],
    },
  })
  expect(await counted(shop)).toEqual({ 1: 3 })
})

describe('a file with an invalid header fails as a whole, with the reason, and is deleted', () => {
  test.each([
    ['', 'The file has no header row'],
    ['\n\n', 'The file has no header row'],
    [',,\na,b,c\n', 'The file has no header row'],
    ['source_id\nx\n', "The header row has no column 'name'"],
    ['name,a,name\nx,y,z\n', "The header row names 'name' twice"],
    ['name,__proto__\nx,y\n', '"__proto__" cannot be the name of a column'],
    ['name,a\0b\nx,y\n', '"a\\u0000b" cannot be the name of a column'],
    ['name,a\0b,a\0b\nx,y,z\n', '"a\\u0000b" cannot be the name of a column'],
    ['"name\nx\n', 'The header row cannot be read: The quotation marks of the row do not match'],
    [`name${',x'.repeat(limits.csv_columns_max)}\n`, 'The file has more than 1000 columns'],
  ])('%j', async (file, message) => {
    const shop = await shopWithProbe()
    expect(await imported(shop, file)).toMatchObject({
      status: 'FAILED',
      operation_status: 'FAILED',
      result: { message, done_count: 0, failed_count: 0, failed: [] },
    })
    expect(await counted(shop)).toEqual({})
  })

  test('a file in another encoding fails as a whole too', async () => {
    const message = 'The header row cannot be read: The row is not UTF-8'
    expect(await imported(await shopWithProbe(), Buffer.from('\ufeffname\nMug\n', 'utf16le'))).toMatchObject({
      status: 'FAILED',
      result: { message },
    })
  })
})

test('a header alone imports no row; byte order mark and blanks are not part of a column name, unnamed columns are ignored', async () => {
  const shop = await shopWithProbe()
  expect(await imported(shop, 'name\n')).toMatchObject({ status: 'DONE', result: { done_count: 0, failed_count: 0 } })
  const seen: CsvRow[] = []
  await imported(
    shop,
    '\ufeff NAME ,, Color \nMug,x, blue \n',
    counting((rows) => seen.push(...rows)) as AsyncActionDefinition,
  )
  expect(seen).toEqual([{ row: 1, cells: { NAME: 'Mug', Color: ' blue ' } }])
})

test('rows larger than one read are imported, rows over the size limit are reported', async () => {
  const shop = await shopWithProbe()
  const large = 'x'.repeat(limits.csv_record_bytes_max - 100)
  const seen: number[] = []
  const file = `name,text\na,${large}\nb,"${large}\n${large}"\nc,${large}${large}\nd,"${large}"\n`
  const action = counting((rows) => seen.push(...rows.map(({ cells }) => cells.text?.length ?? 0)))
  expect(await imported(shop, file, action as AsyncActionDefinition)).toMatchObject({
    result: {
      done_count: 2,
      failed: [
        { row: 2, reason: 'The row is longer than 1048576 bytes' },
        { row: 3, reason: 'The row is longer than 1048576 bytes' }, // the second line of the second row
        { row: 4, reason: 'The row is longer than 1048576 bytes' },
      ],
    },
  })
  expect(seen).toEqual([large.length, large.length])
})

describe('an interrupted import continues from its checkpoint and imports each row once', () => {
  const file = `name,source_id\n${rowsNamed(1_000)}bad1,x\n${rowsNamed(999, 1_001)}`
  const result = {
    message: '1999 product(s) imported successfully, 1 failed.',
    done_count: 1_999,
    failed: [{ source_id: 'x', row: 1_001, reason: 'bad1 is not good' }],
  }

  test('when the process stops', async () => {
    const shop = await shopWithProbe()
    const id = await upload(shop, file)
    const { runtime } = shop.service
    const stopping = new AbortController()
    const first: number[] = []
    const data = { project_id: shop.project_id, action_id: id as `aa_${string}` }
    const stopped = counting(([row]) => {
      first.push(row?.row ?? 0)
      if (first.length === 2) stopping.abort()
    }) as AsyncActionDefinition
    expect(await runAsyncAction(runtime, [stopped], data, { retries: 0, signal: stopping.signal })).toBe('again')
    expect(await read(shop, id)).toMatchObject({ status: 'IN_PROGRESS', progress: 44 })
    expect(await counted(shop)).toEqual({ 1: 1_000 })

    await run(shop, counting(([row]) => first.push(row?.row ?? 0)) as AsyncActionDefinition)
    expect(first).toEqual([1, 501, 1_001, 1_501])
    expect(await read(shop, id)).toMatchObject({ status: 'DONE', result })
    expect(await counted(shop)).toEqual({ 1: 1_999 })
    expect(await filesOf(shop)).toBe(0)
  })

  test('when the connection breaks before a step commits', async () => {
    const shop = await shopWithProbe()
    const id = await upload(shop, file)
    let steps = 0
    const interrupted = counting(() => {
      steps += 1
      if (steps === 3) throw Object.assign(new Error('gone'), { code: 'ECONNRESET' })
    }) as AsyncActionDefinition
    await expect(run(shop, interrupted)).rejects.toThrow('gone')
    expect(await counted(shop)).toEqual({ 1: 1_000 }) // the third step was rolled back
    await run(shop)
    expect(await read(shop, id)).toMatchObject({ status: 'DONE', result })
    expect(await counted(shop)).toEqual({ 1: 1_999 })
  })
})

test('a failed import reports its counts, and its file is deleted too', async () => {
  const shop = await shopWithProbe()
  let steps = 0
  const broken = counting(() => {
    steps += 1
    if (steps === 2) throw new Error('a bug')
  }) as AsyncActionDefinition
  expect(await imported(shop, `name,source_id\n${rowsNamed(700)}`, broken)).toMatchObject({
    status: 'FAILED',
    result: { message: 'Internal Server Error', done_count: 500, failed_count: 0 },
  })
  expect(await counted(shop)).toEqual({ 1: 500 })
})

test('a refused row leaves nothing behind', async () => {
  const shop = await shopWithProbe()
  const action = defineCsvImport<null>({
    type: 'PRODUCTS.IMPORT_CSV',
    noun: 'product(s)',
    prepare: async () => null,
    rows: async (ctx, rows) => {
      const insert = async ({ cells: { name = '' } }: CsvRow) => {
        await sql`insert into guards (project_id, name, version, touched_at) values (${ctx.project_id}, ${name}, 1, now())`.execute(
          ctx.db,
        )
        if (name === 'bad') throw new ApiError('invalid_product', { details: 'It is bad' })
      }
      const { failed } = await rowByRow(ctx, rows, insert, ({ row }, { message }) => ({ row, reason: message }))
      return failed as Refusal[]
    },
    failure: ({ row, cells }) => ({ name: cells.name, row }),
  })
  expect(await imported(shop, 'name\na\nbad\nb\na\n', action as AsyncActionDefinition)).toMatchObject({
    result: {
      done_count: 2,
      failed: [
        { name: 'bad', row: 2, reason: 'It is bad' },
        { name: 'a', row: 4, reason: 'A value cannot be stored' },
      ],
    },
  })
  expect(await counted(shop)).toEqual({ 1: 2 })
})

test('a refused upload leaves no file', async () => {
  const shop = await shopWithProbe()
  expect(await shop.call('POST', '/v1/probes/importCSV')).toMatchObject({
    status: 400,
    body: { key: 'invalid_payload', details: "Payload should have required property 'file'" },
  })
  expect(await filesOf(shop)).toBe(0)
})
