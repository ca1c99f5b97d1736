import { connect, createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { until } from '../../testing/background.ts'
import { postgresUrl } from '../../testing/nodes.ts'
import { connectPostgres } from './connect.ts'

/** A proxy before PostgreSQL that can hold new connections back, and its URL. */
async function openProxy() {
  const { hostname, port } = new URL(postgresUrl())
  const sockets: Socket[] = []
  let held: (() => void)[] | null = null
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => {})
    const pass = () => {
      const target = connect(Number(port), hostname)
      target.on('error', () => socket.destroy())
      socket.on('close', () => target.destroy())
      socket.pipe(target).pipe(socket)
    }
    if (held === null) pass()
    else held.push(pass)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const url = new URL(postgresUrl())
  url.port = String((server.address() as { port: number }).port)
  return {
    url: url.href,
    sockets,
    hold: () => (held = []),
    release: () => held?.splice(0).forEach((pass) => void pass()),
    waiting: () => held?.length ?? 0,
  }
}

test('a listener that is closed while it reconnects ends the new connection', async () => {
  const proxy = await openProxy()
  const database = connectPostgres({ connectionString: proxy.url })
  onTestFinished(() => database.close())
  const listener = await database.listen(
    'closed_while_it_reconnects',
    () => {},
    () => {},
  )
  proxy.hold()
  proxy.sockets[0]?.destroy()
  await until(async () => (proxy.waiting() > 0 ? true : undefined))
  const closed = listener.close()
  proxy.release()
  await closed
  await until(async () => (proxy.sockets.every((socket) => socket.destroyed) ? true : undefined))
  expect(proxy.sockets).toHaveLength(2)
})
