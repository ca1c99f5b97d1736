import { array, assert, asyncProperty, integer, tuple } from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { asRequest, insertProject, openIdleRuntime } from '../../../testing/background.ts'
import { testDatabase } from '../../../testing/database.ts'
import type { Ctx, Runtime } from '../../context.ts'
import type { Project } from '../../db/project-row.ts'
import type { FileRow } from '../../db/tables.ts'
import { limits } from '../../lib/limits.ts'
import { appendToFile, deleteFile, findFile, insertFile, readFilePieces, readFileRange } from './store.ts'

let runtime: Runtime
let project: Project
beforeAll(async () => {
  runtime = await openIdleRuntime(await testDatabase())
  project = await insertProject(runtime)
})

const inProject = <T>(work: (ctx: Ctx) => Promise<T>) => asRequest(runtime, project, work)

const newFile = (...pieces: Uint8Array[]) =>
  inProject(async (ctx) => {
    const id = await insertFile(ctx, { expires_at: null })
    for (const piece of pieces) await appendToFile(ctx, id, piece)
    return id
  })

/** Bytes whose values depend on their position. */
const bytesOf = (size: number, from = 0) =>
  Buffer.from(Uint8Array.from({ length: size }, (_, at) => ((from + at) * 7) % 251))

const chunksOf = async (id: FileRow['id']) =>
  (
    await runtime.database.db
      .selectFrom('file_chunks')
      .where('project_id', '=', project.id)
      .where('file_id', '=', id)
      .orderBy('start')
      .select(['start', 'bytes'])
      .execute()
  ).map(({ start, bytes }) => [start, bytes.length])

test('a file consists of the appended bytes, in chunks of limited size', async () => {
  const size = 2 * limits.file_chunk_bytes_max + 10
  const id = await newFile(bytesOf(size), Buffer.alloc(0), bytesOf(5, size))
  expect(await chunksOf(id)).toEqual([
    [0, limits.file_chunk_bytes_max],
    [limits.file_chunk_bytes_max, limits.file_chunk_bytes_max],
    [2 * limits.file_chunk_bytes_max, 10],
    [size, 5],
  ])
  const file = await inProject((ctx) => findFile(ctx, id))
  expect(file).toEqual({ project_id: project.id, id, size: size + 5 })
  const pieces: Buffer[] = []
  for await (const piece of readFilePieces(runtime.database.db, file as NonNullable<typeof file>)) pieces.push(piece)
  expect(pieces.map(({ length }) => length)).toEqual([limits.file_chunk_bytes_max, limits.file_chunk_bytes_max, 10, 5])
  expect(Buffer.concat(pieces).equals(bytesOf(size + 5))).toBe(true)
})

test('any range of it can be read, across chunks and past the end', async () => {
  const length = integer({ min: 0, max: 40 })
  await assert(
    asyncProperty(
      array(length, { maxLength: 6 }),
      tuple(integer({ min: 0, max: 120 }), length),
      async (lengths, [start, count]) => {
        const whole = bytesOf(lengths.reduce((sum, one) => sum + one, 0))
        const starts = lengths.map((_, index) => lengths.slice(0, index).reduce((sum, one) => sum + one, 0))
        const id = await newFile(
          ...lengths.map((one, n) => whole.subarray(starts[n] as number, (starts[n] as number) + one)),
        )
        expect(await inProject((ctx) => readFileRange(ctx, id, start, count))).toEqual(
          whole.subarray(start, start + count),
        )
      },
    ),
    { numRuns: 40 },
  )
  const large = await newFile(bytesOf(3 * limits.file_chunk_bytes_max))
  for (const start of [
    0,
    1,
    limits.file_chunk_bytes_max - 1,
    limits.file_chunk_bytes_max,
    limits.file_chunk_bytes_max + 1,
  ]) {
    const range = await inProject((ctx) => readFileRange(ctx, large, start, limits.file_chunk_bytes_max + 2))
    expect(range.equals(bytesOf(limits.file_chunk_bytes_max + 2, start)), `${start}`).toBe(true)
  }
})

test('another project can neither read nor delete a file; deleting it removes all chunks', async () => {
  const id = await newFile(bytesOf(10))
  const other = await insertProject(runtime)
  await asRequest(runtime, other, async (ctx) => {
    expect(await findFile(ctx, id)).toBeUndefined()
    expect(await readFileRange(ctx, id, 0, 10)).toHaveLength(0)
    await deleteFile(ctx, id)
  })
  expect(await inProject((ctx) => readFileRange(ctx, id, 0, 10))).toHaveLength(10)
  await inProject((ctx) => deleteFile(ctx, id))
  expect(await inProject((ctx) => findFile(ctx, id))).toBeUndefined()
  expect(await chunksOf(id)).toEqual([])
})

test('reading a file that is deleted meanwhile throws', async () => {
  const id = await newFile(bytesOf(5), bytesOf(5))
  const pieces = readFilePieces(runtime.database.db, { project_id: project.id, id, size: 10 })
  expect((await pieces.next()).value).toHaveLength(5)
  await inProject((ctx) => deleteFile(ctx, id))
  await expect(pieces.next()).rejects.toThrow('was deleted while it was read')
})
