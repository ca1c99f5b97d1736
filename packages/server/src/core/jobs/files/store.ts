import { sql } from 'kysely'
import type { Ctx, InstallationCtx } from '../../context.ts'
import type { Db } from '../../db/database.ts'
import type { FileRow } from '../../db/tables.ts'
import { hashOf } from '../../http/secrets.ts'
import { newId } from '../../lib/ids.ts'
import { type Instant, toInstant } from '../../lib/instant.ts'
import { limits } from '../../lib/limits.ts'

/** A file of a project (import, report or export), stored in chunks that are read and written one at a time. */
export interface StoredFile {
  project_id: string
  id: FileRow['id']
  size: number
}

/** Creates an empty file, which maintenance deletes after `expires_at` unless that is null. */
export async function insertFile(
  { db, project_id, now }: Ctx,
  { expires_at }: { expires_at: Instant | null },
): Promise<FileRow['id']> {
  const id = newId('file', Date.parse(now))
  await db.insertInto('files').values({ project_id, id, token_hash: null, created_at: now, expires_at }).execute()
  return id
}

/** The expiry of a file created now. */
export const fileExpiry = ({ now }: Pick<Ctx, 'now'>): Instant =>
  toInstant(Date.parse(now) + limits.file_ttl_days * 86_400_000)

/** Appends bytes. The update locks the file row, so concurrent appends are serialised. */
export async function appendToFile({ db, project_id }: Ctx, id: FileRow['id'], bytes: Uint8Array): Promise<void> {
  if (bytes.length === 0) return
  const { size } = await db
    .updateTable('files')
    .set({ size: sql`size + ${bytes.length}` })
    .where('project_id', '=', project_id)
    .where('id', '=', id)
    .returning('size')
    .executeTakeFirstOrThrow()
  const end = size - bytes.length
  for (let at = 0; at < bytes.length; at += limits.file_chunk_bytes_max) {
    const piece = bytes.subarray(at, at + limits.file_chunk_bytes_max)
    // A view into the same memory: a large upload is not copied.
    const chunk = Buffer.from(piece.buffer, piece.byteOffset, piece.length)
    await db
      .insertInto('file_chunks')
      .values({ project_id, file_id: id, start: end + at, bytes: chunk })
      .execute()
  }
}

/** Allows downloads of the file with the token, until it expires. */
export async function publishFile(
  { db, project_id }: Ctx,
  id: FileRow['id'],
  { token, expires_at }: { token: string; expires_at: Instant | null },
): Promise<void> {
  await db
    .updateTable('files')
    .set({ token_hash: hashOf(token), expires_at })
    .where('project_id', '=', project_id)
    .where('id', '=', id)
    .execute()
}

export async function findFile({ db, project_id }: Ctx, id: FileRow['id']): Promise<StoredFile | undefined> {
  return db
    .selectFrom('files')
    .where('project_id', '=', project_id)
    .where('id', '=', id)
    .select(['project_id', 'id', 'size'])
    .executeTakeFirst()
}

/**
 * Finds a file by its download token, across projects: the token is long and random and contains no project. Files of a deleted
 * project are not found.
 */
export async function findPublishedFile(
  { db, credentials }: InstallationCtx,
  token: string,
): Promise<(StoredFile & { expires_at: Instant | null }) | undefined> {
  const file = await db
    .selectFrom('files')
    .where('token_hash', '=', hashOf(token))
    .select(['project_id', 'id', 'size', 'expires_at'])
    .executeTakeFirst()
  return file === undefined || (await credentials.project(file.project_id)) === null ? undefined : file
}

/** Reads `length` bytes from `start`, fewer at the end of the file. */
export async function readFileRange(
  { db, project_id }: Pick<Ctx, 'db' | 'project_id'>,
  id: FileRow['id'],
  start: number,
  length: number,
): Promise<Buffer> {
  // The database cuts the chunks, so only the requested bytes are transferred.
  const { rows } = await sql<{ piece: Buffer }>`
    select substring(bytes from greatest(1, ${start} - start + 1)::int
      for (${start}::bigint + ${length} - greatest(start, ${start}::bigint))::int) as piece
    from file_chunks
    where project_id = ${project_id} and file_id = ${id}
      and start > ${start - limits.file_chunk_bytes_max} and start < ${start + length}
    order by file_chunks.start`.execute(db)
  return Buffer.concat(rows.map(({ piece }) => piece))
}

/**
 * Reads a whole file chunk by chunk, as fast as the consumer takes them. Each chunk is a separate statement, so a slow client
 * occupies no connection.
 */
export async function* readFilePieces(db: Db, { project_id, id, size }: StoredFile): AsyncGenerator<Buffer> {
  for (let at = 0; at < size; ) {
    const chunk = await db
      .selectFrom('file_chunks')
      .where('project_id', '=', project_id)
      .where('file_id', '=', id)
      .where('start', '=', at)
      .select('bytes')
      .executeTakeFirst()
    if (chunk === undefined) throw new Error(`File ${id} was deleted while it was read`)
    const piece = Buffer.from(chunk.bytes.buffer, chunk.bytes.byteOffset, chunk.bytes.length)
    yield piece
    at += piece.length
  }
}

export async function deleteFile({ db, project_id }: Ctx, id: FileRow['id']): Promise<void> {
  await db.deleteFrom('files').where('project_id', '=', project_id).where('id', '=', id).execute()
}
