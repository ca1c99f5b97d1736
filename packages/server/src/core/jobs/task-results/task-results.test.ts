import { request as httpRequest, type IncomingMessage } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { newProject, newTestApp, type Shop, send, uniqueName, waitForRequests } from '../../../testing/app.ts'
import { asRequest, until } from '../../../testing/background.ts'
import { limits } from '../../lib/limits.ts'
import { openLog } from '../../lib/log.ts'
import { appendToFile, insertFile, publishFile } from '../files/store.ts'
import { taskResults } from './routes.ts'

/** A report as a bulk update writes it. */
async function insertReport(
  { service: { runtime }, project_id }: Shop,
  content: Uint8Array,
  endsInMs = 60_000,
): Promise<string> {
  const token = uniqueName('token')
  const project = await runtime.credentials.project(project_id)
  await asRequest(runtime, project as NonNullable<typeof project>, async (ctx) => {
    const id = await insertFile(ctx, { expires_at: null })
    await appendToFile(ctx, id, content)
    await publishFile(ctx, id, { token, expires_at: new Date(Date.parse(ctx.now) + endsInMs).toISOString() })
  })
  return token
}

const report = Buffer.from('source_id,found,updated,message\nu1,true,true,\n')
const isUnknown = { status: 404, body: { key: 'not_found', details: 'There is no such report, or its time is over' } }

test('a request with the secret URL gets the report, with or without credentials', async () => {
  const shop = await newProject()
  const other = await newProject()
  const path = `/v1/task-results/${await insertReport(shop, report)}`
  const callers: Array<Record<string, string>> = [
    {},
    other.headers,
    { authorization: 'Bearer x' },
    { accept: 'image/png' },
  ]
  for (const headers of callers) {
    const answer = await send(shop.service.app, 'GET', path, undefined, headers)
    expect(answer).toMatchObject({ status: 200, body: report.toString() })
    expect(answer.headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-disposition': 'attachment; filename="report.csv"',
      'content-length': String(report.length),
      'cache-control': 'private, no-store',
      'x-request-id': expect.stringMatching(/^v-/),
    })
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin')
  }
  const head = await send(shop.service.app, 'HEAD', path)
  expect(head).toMatchObject({ status: 200, body: null, headers: { 'content-length': String(report.length) } })
})

test('a download does not count against rate limits', async () => {
  const shop = await newProject({ env: { RATE_LIMIT_API_CALLS: '1/PT1H' } })
  const path = `/v1/task-results/${await insertReport(shop, report)}`
  for (let call = 0; call < 3; call += 1) {
    const answer = await shop.call('GET', path)
    expect(answer.status).toBe(200)
    expect(answer.headers).not.toHaveProperty('x-rate-limit-limit')
  }
  expect(await shop.call('GET', '/v1/categories')).toMatchObject({ status: 200 })
})

test('an unknown, unpublished or expired report, or one of a deleted project, gives 404', async () => {
  const shop = await newProject()
  const read = (token: string) => shop.call('GET', `/v1/task-results/${token}`)
  expect(await read('nothing')).toMatchObject(isUnknown)
  expect(await read(await insertReport(shop, report, 0))).toMatchObject(isUnknown)
  const { runtime } = shop.service
  const { id } = await runtime.database.db
    .selectFrom('files')
    .where('project_id', '=', shop.project_id)
    .select('id')
    .executeTakeFirstOrThrow()
  expect(await read(id)).toMatchObject(isUnknown)

  const token = await insertReport(shop, report)
  expect(await read(token)).toMatchObject({ status: 200 })
  expect(
    await send(shop.service.app, 'DELETE', `/management/v1/projects/${shop.project_id}`, undefined, shop.management),
  ).toMatchObject({ status: 204 })
  expect(await send(shop.service.app, 'GET', `/v1/task-results/${token}`)).toMatchObject(isUnknown)
})

/** Reads nothing: waits until all buffers are full and no more bytes arrive. */
async function untilFull({ socket }: IncomingMessage): Promise<void> {
  let [bytes, looks] = [0, 0]
  await until(() => {
    looks = socket.bytesRead === bytes ? looks + 1 : 0
    bytes = socket.bytesRead
    return looks === 5 || undefined
  })
}

test('a slow download of a large report occupies no database connection', async () => {
  const shop = await newProject()
  const content = Buffer.alloc(40 * limits.file_chunk_bytes_max, 'source_id,found,updated,message\n')
  const token = await insertReport(shop, content)
  const app = newTestApp(shop.service.runtime, taskResults)
  onTestFinished(() => app.close())
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  const response = await new Promise<IncomingMessage>((resolve) =>
    httpRequest(`${address}/v1/task-results/${token}`, resolve).end(),
  )
  expect(response.headers['content-length']).toBe(String(content.length))
  await untilFull(response)
  expect(await shop.call('POST', '/v1/categories', { name: 'Meanwhile', hierarchy: 1 })).toMatchObject({ status: 200 })

  const received: Buffer[] = []
  for await (const piece of response) received.push(piece)
  expect(Buffer.concat(received).equals(content)).toBe(true)
})

test('a download is aborted, not truncated silently, if the report is deleted meanwhile', async () => {
  const shop = await newProject()
  const token = await insertReport(shop, Buffer.alloc(40 * limits.file_chunk_bytes_max, 'x'))
  const app = newTestApp(shop.service.runtime, taskResults)
  onTestFinished(() => app.close())
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  const response = await new Promise<IncomingMessage>((resolve) =>
    httpRequest(`${address}/v1/task-results/${token}`, resolve).end(),
  )
  await untilFull(response)
  await shop.service.runtime.database.db.deleteFrom('files').where('project_id', '=', shop.project_id).execute()
  await expect(
    (async () => {
      for await (const _ of response);
    })(),
  ).rejects.toThrow('aborted')
})

test('the token is never logged, not even for an invalid call', async () => {
  const shop = await newProject()
  const token = await insertReport(shop, report)
  const written: string[] = []
  const log = openLog('trace', { write: (line) => void written.push(line) })
  const app = newTestApp({ ...shop.service.runtime, log }, taskResults)
  const allEnded = waitForRequests(app)
  await app.ready()
  onTestFinished(() => app.close())
  const path = `/v1/task-results/${token}`
  for (const [method, url] of [
    ['GET', path],
    ['HEAD', path],
    ['POST', path],
    ['GET', `${path}/`],
    ['GET', `${path}/more`],
    ['GET', `${path}?token=${token}`],
  ] as const)
    await send(app, method, url)
  await allEnded()
  const lines = written.map((line) => JSON.parse(line))
  expect(lines.map(({ path, status }) => `${status} ${path}`)).toEqual([
    '200 /v1/task-results/{token}',
    '200 /v1/task-results/{token}',
    '405 /v1/task-results/{token}',
    '200 /v1/task-results/{token}',
    '404 /v1/task-results/{token}',
    '200 /v1/task-results/{token}',
  ])
  expect(written.join('')).not.toContain(token)
})
