import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer, type Server as TcpServer } from 'node:net'
import { buffer, text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { until } from '../../testing/background.ts'
import { newAsk } from './ask.ts'
import { newObserver } from './observer.ts'
import { newProxy } from './proxy.ts'
import { differenceText, reportText, Tally } from './report.ts'

async function listening(server: Server | TcpServer): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

async function proxyTo(upstreamPort: number, tally = new Tally()): Promise<number> {
  const ask = async () => ({ status: 200, answer: {} })
  const observer = newObserver({ ask, tally, log: null, redeem: false, onError: () => {} })
  return listening(newProxy(new URL(`http://127.0.0.1:${upstreamPort}`), observer))
}

/** Sends bytes, and returns everything until the other end closes. */
function sent(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.write(bytes)
  return text(socket)
}

test.each(['DELETE', 'GET', 'OPTIONS'])(
  'a body of %s whose length Connection names is no second request',
  async (method) => {
    const seen: string[] = []
    const upstream = createServer(async (incoming: IncomingMessage, outgoing: ServerResponse) => {
      const body = await text(incoming)
      seen.push(`${incoming.method} ${incoming.url} ${body}`)
      outgoing.end('done')
    })
    const port = await proxyTo(await listening(upstream))
    const smuggled = 'GET /v1/customers HTTP/1.1\r\nHost: a\r\n\r\n'
    const head = `${method} /v1/any HTTP/1.1\r\nHost: a\r\nConnection: close, content-length\r\nContent-Length: ${smuggled.length}\r\n\r\n`
    expect(await sent(port, head + smuggled)).toContain('done')
    await sent(port, 'GET /v1/last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    expect(seen).toEqual([`${method} /v1/any ${smuggled}`, 'GET /v1/last '])
  },
)

test.each([
  'HTTP/1.1 099 Low\r\ncontent-length: 0\r\n\r\n',
  'HTTP/1.1 000 None\r\ncontent-length: 0\r\n\r\n',
  'HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: other\r\n\r\n',
])('an answer that cannot be passed on is 502 for the shop, and the proxy goes on: %j', async (answer) => {
  const upstream = createTcpServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.write(answer))
  })
  const port = await proxyTo(await listening(upstream))
  for (const _ of [1, 2])
    expect(await sent(port, 'GET /v1/any HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')).toMatch(/^HTTP\/1\.1 502 /)
})

test.each(['O\x01K', 'O\x7fK', 'OK\xe9'])('words beside the status do not end the proxy: %j', async (reason) => {
  const upstream = createTcpServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.end(`HTTP/1.1 200 ${reason}\r\nconnection: close\r\n\r\nhi`, 'latin1'))
  })
  const port = await proxyTo(await listening(upstream))
  for (const _ of [1, 2])
    expect(await sent(port, 'GET /v1/any HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 200 .*hi/s,
    )
})

const cart = JSON.stringify({ redeemables: [{ object: 'voucher', id: 'TEN' }], order: { amount: 100 } })

test.each([
  ['of callers that the service does not know', 401, {}, cart],
  ['of callers without the right', 403, {}, cart],
  ['above a limit of calls', 429, {}, cart],
  ['that are compressed, and may be large inside', 200, { 'content-encoding': 'gzip' }, gzipSync(cart)],
])('requests %s pass through and cost nothing more', async (_, status, headers, body) => {
  const upstream = createServer(async (incoming, outgoing) => {
    await buffer(incoming)
    outgoing.writeHead(status, { 'content-type': 'application/json' }).end('{"valid":true}')
  })
  const tally = new Tally()
  const address = `http://127.0.0.1:${await proxyTo(await listening(upstream), tally)}/v1/validations`
  const answer = await fetch(address, { method: 'POST', body, headers })
  expect([answer.status, await answer.json()]).toEqual([status, { valid: true }])
  await until(() => tally.skipped === 1 || undefined)
  expect(tally.report()).toMatchObject({ compared: 0 })
})

test('all copies together have room for 32 MiB, which is free again afterwards', async () => {
  const [all, fit] = [40, 33]
  let arrived = 0
  let answerAll = () => {}
  const everybodyIsThere = new Promise<void>((resolve) => {
    answerAll = resolve
  })
  const upstream = createServer(async (incoming, outgoing) => {
    await buffer(incoming)
    if (++arrived === all) answerAll()
    await everybodyIsThere
    outgoing.end('{"valid":true}')
  })
  const tally = new Tally()
  const address = `http://127.0.0.1:${await proxyTo(await listening(upstream), tally)}/v1/validations`
  const body = JSON.stringify({ redeemables: [{ object: 'voucher', id: 'TEN' }], text: 'x'.repeat(1_000_000) })
  const post = async () => (await fetch(address, { method: 'POST', body })).json()
  expect(await Promise.all(Array.from({ length: all }, post))).toHaveLength(all)
  await until(() => tally.report().compared === fit || undefined)
  expect(tally.dropped).toBe(all - fit)
  await post()
  await until(() => tally.report().compared === fit + 1 || undefined)
})

test('a shop that hangs up, and a service that does, leave no copy behind', async () => {
  const upstream = createServer(async (incoming, outgoing) => {
    await buffer(incoming)
    if (incoming.headers['x-end'] === 'service') incoming.socket.destroy()
    if (incoming.headers['x-end'] === undefined) outgoing.end('{"valid":true}')
  })
  const tally = new Tally()
  const address = `http://127.0.0.1:${await proxyTo(await listening(upstream), tally)}/v1/validations`
  const body = JSON.stringify({ redeemables: [{ object: 'voucher', id: 'TEN' }], text: 'x'.repeat(1_000_000) })
  for (let times = 0; times < 40; times += 1) {
    const broken = await fetch(address, { method: 'POST', body, headers: { 'x-end': 'service' } })
    expect(broken.status).toBe(502)
    const impatient = fetch(address, {
      method: 'POST',
      body,
      headers: { 'x-end': 'shop' },
      signal: AbortSignal.timeout(50),
    })
    await expect(impatient).rejects.toThrow()
  }
  await (await fetch(address, { method: 'POST', body })).json()
  await until(() => tally.report().compared === 1 || undefined)
  expect(tally.dropped).toBe(0)
})

test('a code cannot write lines of the report', () => {
  const outcome = { kind: 'refused', key: 'a\nb', redeemable: null } as const
  const difference = { cause: 'other_reason', detail: 'there: a\nb' } as const
  const example = {
    number: 1,
    path: '/v1/validations',
    redeemables: ['x\n9999 compared\u202e'],
    there: outcome,
    here: outcome,
  }
  expect(differenceText(difference, example).split('\n')).toHaveLength(2)
  const tally = new Tally()
  tally.add(difference, example)
  expect(reportText(tally.report()).split('\n')).toHaveLength(7)
  expect(reportText(tally.report())).not.toContain('\u202e')
})

test('an answer that comes before the body was read reaches the shop, though the service then closes', async () => {
  const upstream = createServer((_, outgoing) =>
    outgoing.writeHead(413, { connection: 'close' }).end('too large', () => void outgoing.socket?.destroy()),
  )
  const address = `http://127.0.0.1:${await proxyTo(await listening(upstream))}/v1/any`
  const body = Buffer.alloc(4_000_000, 'x')
  const statuses = new Set<number>()
  for (let times = 0; times < 30; times += 1) {
    const answer = await fetch(address, { method: 'POST', body })
    expect(await answer.text()).toBe('too large')
    statuses.add(answer.status)
  }
  expect([...statuses]).toEqual([413])
})

test('a report keeps little of what the other service sends, however long it is', () => {
  const tally = new Tally()
  const long = 'x'.repeat(100_000)
  const there = {
    kind: 'valid' as const,
    applied: Array.from({ length: 1_000 }, () => long),
    money: { amount: 1, discount: 1, total: 1, lines: Array.from({ length: 100_000 }, () => 1) },
  }
  const here = { kind: 'refused' as const, key: long, redeemable: long }
  tally.add({ cause: 'other_reason', detail: long }, { number: 1, path: long, redeemables: there.applied, there, here })
  expect(JSON.stringify(tally.report()).length).toBeLessThan(30_000)
})

test('the key of the compared service does not follow a redirect', async () => {
  const keys: unknown[] = []
  const thief = await listening(
    createServer(({ headers }, outgoing) => {
      keys.push(headers['x-app-token'])
      outgoing.end('{}')
    }),
  )
  const service = await listening(
    createServer((_, outgoing) =>
      outgoing.writeHead(307, { location: `http://localhost:${thief}/`, connection: 'close' }).end(),
    ),
  )
  const ask = newAsk({ base: `http://127.0.0.1:${service}`, app_id: 'id', app_token: 'secret' })
  expect(await ask({ path: '/v1/validations', body: {}, redeemables: [] })).toMatchObject({ status: 503 })
  expect(keys).toEqual([])
})

test('a token that could not be fetched once is fetched with the next question', async () => {
  let tokens = 0
  const service = await listening(
    createServer(({ url, headers }, outgoing) => {
      const answer = (status: number, body: object) =>
        outgoing.writeHead(status, { connection: 'close' }).end(JSON.stringify(body))
      if (url !== '/v1/oauth/token') return answer(headers.authorization === undefined ? 401 : 200, {})
      tokens += 1
      return tokens === 1 ? outgoing.destroy() : answer(200, { access_token: 'token' })
    }),
  )
  const ask = newAsk({ base: `http://127.0.0.1:${service}`, app_id: 'id', app_token: 'secret' })
  const question = { path: '/v1/validations', body: {}, redeemables: [] }
  expect(await ask(question)).toMatchObject({ status: 503 })
  expect(await ask(question)).toMatchObject({ status: 200 })
  expect(await ask(question)).toMatchObject({ status: 200 })
  expect(tokens).toBe(2)
})

test.each(['', '/'])('a service behind a path prefix is asked below it: "/shop%s"', async (end) => {
  const paths: unknown[] = []
  const service = await listening(
    createServer(({ url }, outgoing) => {
      paths.push(url)
      outgoing.setHeader('connection', 'close').end('{}')
    }),
  )
  const ask = newAsk({ base: `http://127.0.0.1:${service}/shop${end}`, app_id: 'id', app_token: 'secret' })
  await ask({ path: '/v1/validations', body: {}, redeemables: [] })
  expect(paths).toEqual(['/shop/v1/validations'])
})
