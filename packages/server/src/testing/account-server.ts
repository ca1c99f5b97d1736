import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type AccountKeys, openAccount } from '../move/account/client.ts'
import { downloadAccount } from '../move/account/download.ts'
import { type AccountFolder, openFolder } from '../move/account/folder.ts'
import { accountLists } from '../move/account/lists.ts'
import type { Shop } from './app.ts'
import { workOnExports } from './exports.ts'

export interface Reply {
  status: number
  headers?: Record<string, string>
  body: unknown
}

/** Answers a request to an account; null: as if there were no such list. */
export type Answering = (
  url: URL,
  request: { method: string; headers: IncomingMessage['headers']; body: string },
) => Reply | null | Promise<Reply | null>

export interface AccountServer {
  base: string
  /** Method, path and query of every request. */
  requests: string[]
}

/** An account of another service, on the loopback interface until the test ends. */
export async function serveAccount(answer: Answering): Promise<AccountServer> {
  const requests: string[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const method = request.method ?? 'GET'
    requests.push(`${method} ${request.url}`)
    const url = new URL(request.url ?? '/', 'http://account')
    const found = await answer(url, { method, headers: request.headers, body: Buffer.concat(chunks).toString() })
    const {
      status,
      headers = {},
      body,
    } = found ?? { status: 404, body: { key: 'not_found', message: 'Resource not found' } }
    const isText = typeof body === 'string'
    response.writeHead(status, { 'content-type': isText ? 'text/csv' : 'application/json', ...headers })
    response.end(isText ? body : JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}

/** A project of our own as such an account; `before` may answer in its place. */
export async function serveShop(shop: Shop, before: Answering = () => null): Promise<AccountServer> {
  const server: AccountServer = await serveAccount(async (url, request) => {
    const instead = await before(url, request)
    if (instead !== null) return instead
    const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers
    const authorization = url.pathname.startsWith('/v1/') ? { authorization: shop.headers.authorization } : {}
    const answer = await shop.service.app.inject({
      method: request.method as 'GET',
      url: `${url.pathname}${url.search}`,
      headers: { ...(headers as Record<string, string>), ...authorization },
      ...(request.body === '' ? {} : { payload: request.body }),
    })
    if (url.pathname.endsWith('/export')) await workOnExports(shop)
    // A file is downloaded from where the service says it listens.
    const text = answer.body.replaceAll(/http:\/\/[\w.:]+(?=\/v1\/exports\/)/g, server.base)
    return {
      status: answer.statusCode,
      body: answer.headers['content-type']?.toString().includes('json') ? JSON.parse(text) : text,
    }
  })
  return server
}

export const keysOf = (shop: Shop, base: string): AccountKeys => ({
  base,
  app_id: shop.app_id,
  app_token: shop.app_token,
  management: { id: shop.management_id, token: shop.management_token, project_id: shop.project_id },
})

export async function newFolder(): Promise<AccountFolder> {
  const path = mkdtempSync(join(tmpdir(), 'guerdon-account-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return openFolder(path)
}

/** Copies an account; `only` names some of its lists. */
export const copyAccount = (
  keys: AccountKeys,
  folder: AccountFolder,
  only: string[] | null = null,
  signal?: AbortSignal,
) => downloadAccount({ keys, client: openAccount(keys, { signal }), folder, only, now: Date.now, onProgress: () => {} })

/** A copy of an account that a test makes up: rows by the name of their list. */
export async function folderWith(lists: Record<string, object[]>): Promise<AccountFolder> {
  const folder = await newFolder()
  const checkpoints: Record<string, object> = {}
  for (const { name } of accountLists) {
    const rows = lists[name] ?? []
    const bytes = await folder.append(name, 0, rows)
    checkpoints[name] = { bytes, rows: rows.length, is_done: true, cursor: {}, unreachable: 0, missing: 0 }
  }
  await folder.saveState('download', {
    base: 'http://account',
    app_id: 'a',
    started_at: '2026-01-31T00:00:00.000Z',
    lists: checkpoints,
    refused: {},
  })
  return folder
}
