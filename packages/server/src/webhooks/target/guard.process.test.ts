import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { lookupOfTests, privateTargets } from '../../testing/private-targets.ts'
import { quick } from '../../testing/process.ts'
import { startWebhookReceiver, type WebhookReceiver } from '../../testing/webhook-receiver.ts'
import { checkTargetUrl } from './check-url.ts'
import { type AttemptResult, newTargetClient, type TargetClientOptions } from './client.ts'
import type { Lookup } from './lookup.ts'

let receiver: WebhookReceiver
beforeAll(async () => {
  receiver = await startWebhookReceiver()
})

const body = Buffer.from('{}')

async function post(url: string, options: Partial<TargetClientOptions> = {}): Promise<AttemptResult> {
  const client = newTargetClient({ timeout_ms: 200_000, allow_private: false, ...options })
  onTestFinished(() => client.close())
  return client.post(url, {}, body)
}

const refused = (error: string) => ({ status_code: null, error, response_body: null })

describe('no connection is made to a private address', () => {
  test.each(privateTargets)('%s', async (url, why) => {
    expect(await post(url, { lookup: lookupOfTests })).toMatchObject(refused(why))
  })

  test('not to the receiver either, which would have seen it', async () => {
    const own = await startWebhookReceiver()
    const hosts = ['127.0.0.1', '127.1', '2130706433', '[::ffff:127.0.0.1]', 'localhost', 'loop.example']
    const lookup: Lookup = async () => [{ address: '127.0.0.1', family: 4 }]
    for (const host of hosts) {
      expect(await post(`http://${host}:${own.ports.http}/ok`, { lookup })).toMatchObject({ status_code: null })
      expect(await post(`https://${host}:${own.ports.https}/ok`, { lookup })).toMatchObject({ status_code: null })
    }
    await own.allRequests()
    expect(own.connections().made).toBe(0)
    // With private targets allowed, the same URLs reach it.
    const lookupAll: Lookup = async () => [{ address: '127.0.0.1', family: 4 }]
    for (const host of hosts)
      expect(
        await post(`http://${host}:${own.ports.http}/ok`, { allow_private: true, lookup: lookupAll }),
      ).toMatchObject({ status_code: 200 })
  })

  test('a name that was public when the webhook was saved and is private now gains nothing', async () => {
    const url = `http://rebinding.example:${receiver.ports.http}/rebinding`
    let count = 0
    const lookup: Lookup = async () => [{ address: count++ === 0 ? '93.184.215.14' : '127.0.0.1', family: 4 }]
    await checkTargetUrl(url, { allow_private: false, lookup })
    expect(await post(url, { lookup })).toMatchObject(refused('the address 127.0.0.1 is loopback'))
    expect(await requestsFor('/rebinding')).toEqual([])
  })

  test('a name is resolved once for a connection: what was judged is what is connected to', async () => {
    let count = 0
    const lookup: Lookup = async () => {
      count++
      return [{ address: '127.0.0.1', family: 4 }]
    }
    const result = await post(`http://once.example:${receiver.ports.http}/once`, { allow_private: true, lookup })
    expect(result).toMatchObject({ status_code: 200 })
    expect(count).toBe(1)
  })

  test.each(['http', 'https'] as const)(
    'if an address changes between judgement and connection, the other end of the connection decides: %s',
    async (scheme) => {
      const own = await startWebhookReceiver()
      const lookup: Lookup = async () => [changingAddress()]
      const url = `${scheme}://toctou.example:${own.ports[scheme]}/ok`
      expect(await post(url, { lookup })).toMatchObject(refused('the address 127.0.0.1 is loopback'))
      expect(await own.allRequests()).toEqual([])
      expect(own.connections().bytes_read).toBe(0)
    },
  )

  test('a name with one private address among public ones is refused', async () => {
    const addresses = ['93.184.215.14', '2606:2800:21f:cb07:6820:80da:af6b:8b2c', '::ffff:10.0.0.1']
    const lookup: Lookup = async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
    expect(await post('http://some.example/', { lookup })).toMatchObject(
      refused('the address ::ffff:10.0.0.1 is private'),
    )
  })

  test.each([
    ['no addresses', [], 'the name odd.example does not resolve'],
    ['no address but a name', ['localhost'], 'the address localhost is not valid'],
    ['an address with a zone', ['fe80::1%lo'], 'the address fe80::1%lo is not valid'],
    ['an empty text', [''], 'the address  is not valid'],
  ])('a lookup that answers %s', async (_what, addresses, why) => {
    const lookup: Lookup = async () => addresses.map((address) => ({ address, family: 4 }))
    expect(await post('http://odd.example/', { lookup })).toMatchObject(refused(why))
  })

  test('a name that does not resolve is said so', async () => {
    const missing = 'the name missing.example does not resolve (ENOTFOUND)'
    expect(await post('http://missing.example/', { lookup: lookupOfTests })).toMatchObject(refused(missing))
  })
})

/** Public when it is read for the first time, then loopback. */
function changingAddress(): { address: string; family: number } {
  let reads = 0
  return {
    get address() {
      return reads++ === 0 ? '93.184.215.14' : '127.0.0.1'
    },
    family: 4,
  }
}

const requestsFor = async (path: string) =>
  (await receiver.allRequests()).filter((request) => request.path.startsWith(path))

describe('TLS', () => {
  const folder = fileURLToPath(new URL('../../testing/tls/', import.meta.url))
  const notValid = (why: string) => `the certificate is not valid: ${why}`

  /** The results of attempts in a process with this environment, which must end by itself. */
  async function postElsewhere(env: Record<string, string>, ...urls: string[]): Promise<AttemptResult[]> {
    const script = fileURLToPath(new URL('../../testing/webhook-post.ts', import.meta.url))
    const { stdout } = await promisify(execFile)(process.execPath, [...quick.args, script, ...urls], {
      env: { PATH: process.env.PATH ?? '', ...quick.env, ...env },
    })
    return JSON.parse(stdout)
  }

  test('certificates are verified', async () => {
    const { https, self_signed, expired, http } = receiver.ports
    const results = [
      [https, notValid('unable to verify the first certificate')],
      [self_signed, notValid('self-signed certificate')],
      [expired, notValid('certificate has expired')],
      [http, 'the TLS handshake failed: wrong version number'],
    ] as const
    for (const [port, error] of results)
      expect(await post(`https://127.0.0.1:${port}/tls`, { allow_private: true })).toMatchObject(refused(error))
    expect(await requestsFor('/tls')).toEqual([])
  })

  test('NODE_EXTRA_CA_CERTS adds an authority, for the name in the certificate only', async () => {
    const { https, expired } = receiver.ports
    const [valid, again, otherName, old] = await postElsewhere(
      { NODE_EXTRA_CA_CERTS: `${folder}authority.pem` },
      `https://127.0.0.1:${https}/ok`,
      `https://127.0.0.1:${https}/ok`,
      `https://localhost:${https}/ok`,
      `https://127.0.0.1:${expired}/ok`,
    )
    expect([valid, again]).toMatchObject([{ status_code: 200 }, { status_code: 200 }])
    expect(otherName?.error).toMatch(
      /^the certificate is not valid: Hostname\/IP does not match certificate's altnames/,
    )
    expect(old).toMatchObject(refused(notValid('certificate has expired')))
  })

  test('the environment cannot switch verification off, nor lead requests through a proxy', async () => {
    const proxy = `http://127.0.0.1:${receiver.ports.http}`
    const { https } = receiver.ports
    const own = await startWebhookReceiver()
    const [unverified, direct] = await postElsewhere(
      {
        NODE_TLS_REJECT_UNAUTHORIZED: '0',
        NODE_USE_ENV_PROXY: '1',
        HTTP_PROXY: proxy,
        HTTPS_PROXY: proxy,
        http_proxy: proxy,
      },
      `https://127.0.0.1:${https}/unverified`,
      `${own.address}/direct`,
    )
    expect(unverified).toMatchObject(refused(notValid('unable to verify the first certificate')))
    expect(direct).toMatchObject({ status_code: 200 })
    expect((await own.allRequests()).map(({ path }) => path)).toEqual(['/direct'])
    // A proxy would have got the whole URL, or CONNECT.
    expect(await requestsFor(own.address)).toEqual([])
    expect(await requestsFor('127.0.0.1')).toEqual([])
  })

  test('the server is told the name, without its final dot, and no address', async () => {
    const named: string[] = []
    const options = { cert: readFileSync(`${folder}server.pem`), key: readFileSync(`${folder}server.key`) }
    const server = createTlsServer({
      ...options,
      SNICallback(name, answer) {
        named.push(name)
        answer(null)
      },
    }).on('tlsClientError', () => {})
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const lookup: Lookup = async () => [{ address: '127.0.0.1', family: 4 }]
    for (const host of ['127.0.0.1', 'shop.example', 'SHOP.example.', 'bücher.example'])
      await post(`https://${host}:${port}/`, { allow_private: true, lookup })
    expect(named).toEqual(['shop.example', 'shop.example', 'xn--bcher-kva.example'])
  })
})
