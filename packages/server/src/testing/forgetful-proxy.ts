import { connect, createServer, type Socket } from 'node:net'
import { atEnd } from './closings.ts'

/** What happens to the bytes of a connection: nothing is ever closed. */
type Passing = 'all' | 'requests' | 'none'

export interface ForgetfulProxy {
  /** The URL of the database behind the proxy. */
  url: string
  /** From now on, existing connections lose all bytes, or only the answers of the server. New connections work. */
  forget(passing?: Exclude<Passing, 'all'>): void
  /** New connections are accepted, but lose all bytes as well. */
  forgetAll(): void
  /** New connections work again. The forgotten ones stay forgotten. */
  remember(): void
}

/** A proxy on the loopback interface before PostgreSQL that loses packets, as a network that has forgotten a connection. */
export async function openForgetfulProxy(databaseUrl: string): Promise<ForgetfulProxy> {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  const links = new Set<{ passing: Passing }>()
  let isDown = false
  const server = createServer((near) => {
    const link: { passing: Passing } = { passing: isDown ? 'none' : 'all' }
    links.add(link)
    const far = connect(Number(target.port), target.hostname)
    const passOn = (from: Socket, to: Socket, isPassing: () => boolean) => {
      sockets.add(from)
      from.on('error', () => {})
      from.on('data', (bytes) => void (isPassing() && to.write(bytes)))
      from.on('close', () => {
        sockets.delete(from)
        if (isPassing()) to.destroy()
      })
    }
    passOn(near, far, () => link.passing !== 'none')
    passOn(far, near, () => link.passing === 'all')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEnd(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const url = new URL(databaseUrl)
  url.port = String((server.address() as { port: number }).port)
  const setAll = (passing: Passing) => {
    for (const link of links) link.passing = passing
  }
  return {
    url: url.href,
    forget: (passing = 'none') => setAll(passing),
    forgetAll() {
      isDown = true
      setAll('none')
    },
    remember() {
      isDown = false
    },
  }
}
