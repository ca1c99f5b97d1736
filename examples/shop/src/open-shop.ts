import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createGuerdon, GuerdonError, type GuerdonOptions } from '@guerdon/client'
import { Html } from './html.ts'
import { prepareOffers } from './offers.ts'
import { type Reply, routesOf } from './routes.ts'
import { openVisitors, type Visitor, type Visitors } from './visitors.ts'

const file = (name: string) => readFileSync(new URL(`../public/${name}`, import.meta.url))
const files: Record<string, { type: string; body: Buffer }> = {
  '/style.css': { type: 'text/css', body: file('style.css') },
  '/icon.svg': { type: 'image/svg+xml', body: file('icon.svg') },
}

/** Makes the offers where they are missing and returns the shop as a server that does not listen yet. */
export async function openShop(options: GuerdonOptions): Promise<Server> {
  const guerdon = createGuerdon(options)
  const routes = routesOf(guerdon, await prepareOffers(guerdon))
  const visitors = openVisitors()
  return createServer(async (request, response) => {
    try {
      const pathname = (request.url ?? '/').split('?', 1)[0] as string
      const found = files[pathname]
      if (found !== undefined) return void response.writeHead(200, { 'Content-Type': found.type }).end(found.body)
      const form = new URLSearchParams(request.method === 'POST' ? await readBody(request) : '')
      const visitor = recognise(visitors, request, response)
      const [route, rest] = findRoute(routes, `${request.method} ${pathname}`)
      const origin = `http://${request.headers.host}`
      answer(response, route === undefined ? null : await route({ visitor, form, rest, origin }))
    } catch (error) {
      fail(response, error)
    }
  })
}

/** The route of an address, and what follows its name. */
function findRoute<Route>(routes: Record<string, Route>, wanted: string): [Route | undefined, string] {
  if (Object.hasOwn(routes, wanted)) return [routes[wanted], '']
  const end = wanted.lastIndexOf('/') + 1
  const name = wanted.slice(0, end)
  // The first page takes no rest: any wrong address would show it.
  return [name.endsWith(' /') ? undefined : routes[name], wanted.slice(end)]
}

const bodyBytesMax = 10_000

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of request) {
    size += part.length
    if (size > bodyBytesMax) throw new Error('The form is too large')
    parts.push(part)
  }
  return Buffer.concat(parts).toString()
}

/** The visitor of the cookie, or a new one. Other sites cannot send the cookie with a form (SameSite). */
function recognise(visitors: Visitors, request: IncomingMessage, response: ServerResponse): Visitor {
  const id = /(?:^|; )visitor=([\w-]{36})(?:;|$)/.exec(request.headers.cookie ?? '')?.[1]
  const known = id === undefined ? undefined : visitors.find(id)
  if (known !== undefined) return known
  const visitor = visitors.add()
  response.setHeader('Set-Cookie', `visitor=${visitor.id}; Path=/; HttpOnly; SameSite=Lax`)
  return visitor
}

/** Without scripts, and without anything from elsewhere. */
const policy = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'"

function answer(response: ServerResponse, reply: Reply): void {
  if (reply === null)
    return void response.writeHead(404, { 'Content-Type': 'text/plain' }).end('There is no such page.')
  if (!(reply instanceof Html)) return void response.writeHead(303, { Location: reply.to }).end()
  const headers = { 'Content-Type': 'text/html', 'Content-Security-Policy': policy, 'Cache-Control': 'no-store' }
  response.writeHead(200, headers).end(reply.text)
}

/** The visitor is not told what went wrong inside. */
function fail(response: ServerResponse, error: unknown): void {
  process.stderr.write(`${error instanceof GuerdonError ? error.message : error}\n`)
  if (response.headersSent) return void response.end()
  response.writeHead(503, { 'Content-Type': 'text/plain', Connection: 'close' })
  response.end('The shop is busy. Please try again in a moment.')
}
