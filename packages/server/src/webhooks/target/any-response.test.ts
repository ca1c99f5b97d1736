import { type AddressInfo, createServer, type Socket } from 'node:net'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { scaled } from '../../testing/scale.ts'
import { newTargetClient } from './client.ts'

const heads = [
  'HTTP/1.1 200 OK\r\n',
  'HTTP/1.1 204 No Content\r\n',
  'HTTP/1.1 304 Not Modified\r\n',
  'HTTP/1.0 200 OK\r\n',
  'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n',
  'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 500 Oh\r\n',
  'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: h2c\r\n',
]
const headers = [
  'Content-Length: 0\r\n',
  'Content-Length: 5\r\n',
  'Content-Length: 99999999999999999999\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Connection: close\r\n',
  'Connection: upgrade\r\nUpgrade: h2c\r\n',
  'Keep-Alive: timeout=0\r\n',
  'Keep-Alive: timeout=99999999999\r\n',
  'Trailer: a\r\n',
  `Long: ${'a'.repeat(17_000)}\r\n`,
  'a:\r\n'.repeat(500),
  'no colon\r\n',
]
const bodies = [
  '',
  'hello',
  '5\r\nhello\r\n0\r\n\r\n',
  '5;extension=1\r\nhello\r\n0\r\na: b\r\n\r\n',
  'fffffffffffffffff\r\n',
  'a'.repeat(20_000),
  '\0\r\n\n\r',
]

/** What a target sends when a request arrives, in how many writes, and what it does then. */
const response = fc.record({
  text: fc
    .tuple(
      fc.constantFrom(...heads),
      fc.array(fc.constantFrom(...headers), { maxLength: 3 }),
      fc.constantFrom(...bodies),
    )
    .map(([head, lines, body]) => `${head}${lines.join('')}\r\n${body}`),
  again: fc.boolean(),
  cut_at: fc.nat({ max: 400 }),
  after: fc.constantFrom('stay', 'end', 'destroy', 'reset'),
})

test('whatever a target sends, an attempt ends, the next one too, and the process lives', async () => {
  let send = (_socket: Socket) => {}
  const server = createServer((socket) => socket.on('error', () => {}).on('data', () => send(socket)))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const client = newTargetClient({ timeout_ms: 60, allow_private: true })
  onTestFinished(async () => {
    await client.close()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const post = () => client.post(url, { 'Content-Type': 'application/json' }, Buffer.from('{}'))
  await fc.assert(
    fc.asyncProperty(response, async ({ text, again, cut_at, after }) => {
      send = (socket) => {
        socket.write(text.slice(0, cut_at), 'latin1')
        socket.write(text.slice(cut_at) + (again ? text : ''), 'latin1')
        if (after === 'end') socket.end()
        if (after === 'destroy') socket.destroy()
        if (after === 'reset') socket.resetAndDestroy()
      }
      for (const result of await Promise.all([post(), post()])) {
        expect(result.error === null).toBe(result.status_code !== null && Math.trunc(result.status_code / 100) === 2)
        expect(result.error ?? '').toMatch(/^(?:the |no (?:response|connection) within 60 ms|$)/)
        expect(result.error ?? '').not.toContain('the connection failed')
      }
      await post() // on what was kept
    }),
    { numRuns: scaled(300, 40) },
  )
})
