import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { Runtime } from '../core/context.ts'
import { asRequest, insertProject, openIdleRuntime } from '../testing/background.ts'
import { anotherConnection, ownDatabase } from '../testing/nodes.ts'
import { createExport } from './create.ts'
import { findExportFile } from './download.ts'
import { deleteExport, getExport } from './store.ts'
import { watchExports, workOnExport } from './work.ts'

test('several nodes that work on the same exports write every row once, and survive a concurrent deletion', async () => {
  const { database, url } = await ownDatabase()
  const runtimes = [await openIdleRuntime(database), await openIdleRuntime(anotherConnection(url as string))] as const
  const [runtime] = runtimes
  const project = await insertProject(runtime)
  await sql`
    insert into orders (project_id, id, status, items, metadata, created_at)
    select ${project.id}, 'ord_' || n, 'PAID', '[]', '{}', '2026-01-01'::timestamptz + n % 10 * interval '1 second'
    from generate_series(1, 3100) as n`.execute(database.db)
  const inProject = <T>(work: Parameters<typeof asRequest<T>>[2]) => asRequest(runtime, project, work)
  const created = await Promise.all(
    Array.from({ length: 4 }, () => inProject((ctx) => createExport(ctx, 'order', { fields: ['id'] }))),
  )
  const doomed = created.pop()?.id as string

  let last = ''
  for (const _ of [1, 2, 3, 4]) last = (await workOnExport(runtime, { after: last })) ?? '' // one step of each
  expect(await inProject((ctx) => getExport(ctx, doomed))).toMatchObject({ status: 'IN_PROGRESS' })
  for (const one of runtimes) watchExports(one) // for what a node below leaves because the other has locked it
  const work = async (one: Runtime) => {
    while ((await workOnExport(one)) !== null);
  }
  await Promise.all([...runtimes.map(work), inProject((ctx) => deleteExport(ctx, doomed))])

  for (const { id } of created) {
    await expect.poll(async () => (await inProject((ctx) => getExport(ctx, id))).status).toBe('DONE')
    const { result } = await inProject((ctx) => getExport(ctx, id))
    const token = new URL(result?.url as string).searchParams.get('token') as string
    const { pieces } = await inProject((ctx) => findExportFile({ ...ctx, db: database.db }, id, token))
    let text = ''
    for await (const piece of pieces) text += Buffer.from(piece).toString()
    const [header, ...rows] = text.trimEnd().split('\n')
    expect(header).toBe('ID')
    expect(rows).toHaveLength(3_100)
    expect(new Set(rows).size).toBe(3_100)
  }
  expect(
    await database.db.selectFrom('files').where('project_id', '=', project.id).select('id').execute(),
  ).toHaveLength(3)
})
