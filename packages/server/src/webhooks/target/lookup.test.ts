import { createSocket } from 'node:dgram'
import type { LookupAddress } from 'node:dns'
import { isIPv4 } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { until } from '../../testing/background.ts'
import { newDnsLookup, newLookup } from './lookup.ts'

interface NameServer {
  address: string
  /** `A shop.example`, in the order of arrival. */
  questions: string[]
}

/** A DNS server on the loopback interface. It never answers for names that begin with `silent`, and knows no others than those given. */
async function startNameServer(names: Record<string, readonly string[]>): Promise<NameServer> {
  const questions: string[] = []
  const socket = createSocket('udp4')
  socket.on('message', (query, { port, address }) => {
    const { name, type, end } = questionIn(query)
    questions.push(`${type} ${name}`)
    if (name.startsWith('silent')) return
    const addresses = names[name]?.filter((text) => isIPv4(text) === (type === 'A'))
    socket.send(reply(query.subarray(0, end), addresses), port, address)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  onTestFinished(() => void socket.close())
  return { address: `127.0.0.1:${socket.address().port}`, questions }
}

function questionIn(query: Buffer): { name: string; type: string; end: number } {
  const labels: string[] = []
  let at = 12
  while (query[at] !== 0) {
    const length = query[at] as number
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += length + 1
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1) === 1 ? 'A' : 'AAAA', end: at + 5 }
}

/** `addresses` undefined: there is no such name. */
function reply(question: Buffer, addresses: readonly string[] | undefined): Buffer {
  const header = Buffer.from(question.subarray(0, 12))
  header.writeUInt16BE(addresses === undefined ? 0x8183 : 0x8180, 2)
  header.writeUInt16BE(addresses?.length ?? 0, 6)
  header.writeUInt32BE(0, 8)
  const records = (addresses ?? []).map((text) => {
    const data = bytesOf(text)
    const record = Buffer.from([0xc0, 0x0c, 0, isIPv4(text) ? 1 : 28, 0, 1, 0, 0, 0, 0, 0, data.length])
    return Buffer.concat([record, data])
  })
  return Buffer.concat([header, question.subarray(12), ...records])
}

/** Of IPv6, addresses with all eight groups. */
const bytesOf = (text: string): Buffer =>
  isIPv4(text)
    ? Buffer.from(text.split('.').map(Number))
    : Buffer.from(
        text.split(':').flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]),
      )

/** Asks again if the machine was too busy for an answer in time. */
const lookupAt = ({ address }: NameServer) => {
  const { lookup, close } = newDnsLookup([address])
  onTestFinished(close)
  return async function ask(name: string): Promise<LookupAddress[]> {
    try {
      return await lookup(name, { all: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ETIMEOUT') return ask(name)
      throw error
    }
  }
}

test('a name has the addresses of both families, or of one', async () => {
  const server = await startNameServer({
    'both.example': ['1.2.3.4', '2606:4700:0:0:0:0:0:1', '5.6.7.8'],
    'four.example': ['1.2.3.4'],
    'six.example': ['2606:4700:0:0:0:0:0:1'],
  })
  const lookup = lookupAt(server)
  expect(await lookup('both.example')).toEqual([
    { address: '1.2.3.4', family: 4 },
    { address: '5.6.7.8', family: 4 },
    { address: '2606:4700::1', family: 6 },
  ])
  expect(await lookup('four.example')).toEqual([{ address: '1.2.3.4', family: 4 }])
  expect(await lookup('six.example')).toEqual([{ address: '2606:4700::1', family: 6 }])
})

test('a name that does not exist, or has no address, is an error', async () => {
  const lookup = lookupAt(await startNameServer({ 'empty.example': [] }))
  await expect(lookup('missing.example')).rejects.toMatchObject({ code: 'ENOTFOUND' })
  await expect(lookup('empty.example')).rejects.toMatchObject({ code: 'ENODATA' })
})

test('lookups of one name at the same time are one query, and the next asks again', async () => {
  const server = await startNameServer({ 'shop.example': ['1.2.3.4'] })
  const lookup = lookupAt(server)
  await Promise.all(Array.from({ length: 10 }, () => lookup('shop.example')))
  const count = server.questions.length
  expect(count).toBeLessThan(10) // two, and their repetitions if the machine is busy, instead of twenty
  await lookup('shop.example')
  expect(server.questions.length).toBeGreaterThan(count)
})

test('names that are never answered delay no other, and end when the client is closed', async () => {
  const server = await startNameServer({ 'shop.example': ['1.2.3.4'] })
  const { lookup, close } = newDnsLookup([server.address])
  const waiting = Array.from({ length: 100 }, (_, index) =>
    lookup(`silent-${index}.example`, { all: true }).then(
      () => 'found',
      ({ code }) => code,
    ),
  )
  await until(() => server.questions.length >= 200 || undefined)
  expect(await lookupAt(server)('shop.example')).toEqual([{ address: '1.2.3.4', family: 4 }])
  close()
  for (const code of await Promise.all(waiting)) expect(['ECANCELLED', 'ETIMEOUT']).toContain(code)
})

test('where private targets are allowed, the hosts file counts', async () => {
  const { lookup, close } = newLookup({ allow_private: true })
  onTestFinished(close)
  const found = await Promise.all(Array.from({ length: 20 }, () => lookup('localhost', { all: true })))
  for (const addresses of found) expect(addresses.map(({ address }) => address)).toContain('127.0.0.1')
})
