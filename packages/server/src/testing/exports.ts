import { sql } from 'kysely'
import { expect } from 'vitest'
import type { Export } from '../exports/schema.ts'
import { workOnExport } from '../exports/work.ts'
import { type Answer, type Shop, send } from './app.ts'

export const createExport = async (shop: Shop, exportedObject: string, parameters?: object): Promise<Export> => {
  const { status, body } = await shop.call('POST', '/v1/exports', {
    exported_object: exportedObject,
    ...(parameters && { parameters }),
  })
  expect(body).toMatchObject({ status: 'SCHEDULED', result: null })
  expect(status).toBe(200)
  return body
}

/** Runs the export work of the nodes until the project has no export left; returns the number of steps. */
export async function workOnExports({ service: { runtime }, project_id }: Shop): Promise<number> {
  let steps = 0
  while ((await workOnExport(runtime, { only: project_id })) !== null) steps += 1
  return steps
}

export const readExport = async (shop: Shop, id: string): Promise<Export> =>
  (await shop.call('GET', `/v1/exports/${id}`)).body

export const followExport = (shop: Shop, url: string, headers: Record<string, string> = {}) =>
  send(shop.service.app, 'GET', url.replace(/^http:\/\/[^/]+/, ''), undefined, headers) as unknown as Promise<
    Answer<string>
  >

/** Creates an export, completes it, and returns the lines of its file. */
export async function exportLines(shop: Shop, exportedObject: string, parameters?: object): Promise<string[]> {
  return finishedLines(shop, await createExport(shop, exportedObject, parameters))
}

/** Completes an export and returns the lines of its file. */
export async function finishedLines(shop: Shop, { id }: Export): Promise<string[]> {
  await workOnExports(shop)
  const { status, result } = await readExport(shop, id)
  expect(status).toBe('DONE')
  const answer = await followExport(shop, result?.url ?? '')
  expect(answer.status).toBe(200)
  expect(answer.body.endsWith('\n')).toBe(true)
  return answer.body.slice(0, -1).split('\n')
}

type Rows = ReadonlyArray<Record<string, unknown>>

/** Inserts rows, with defaults for the required columns. */
export async function insertExportable(
  { service: { runtime }, project_id }: Shop,
  table: string,
  rows: Rows,
): Promise<void> {
  const defaults: Record<string, object> = {
    orders: { status: 'CREATED', items: [], metadata: {} },
    customers: { metadata: {} },
    products: { attributes: [], metadata: {} },
    skus: { product_id: 'prod_1', attributes: {}, metadata: {} },
  }
  for (const [index, row] of rows.entries()) {
    const createdAt = `2026-01-01T00:00:00.${String(index).padStart(3, '0')}Z`
    const all = { project_id, created_at: createdAt, ...defaults[table], ...row }
    const values = Object.values(all).map((value) =>
      typeof value === 'object' && value !== null ? JSON.stringify(value) : value,
    )
    await sql`insert into ${sql.table(table)} (${sql.join(Object.keys(all).map((name) => sql.ref(name)))})
      values (${sql.join(values)})`.execute(runtime.database.db)
  }
}
