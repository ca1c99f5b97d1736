import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { until } from '../../testing/background.ts'
import type { Behaviour } from '../../testing/webhook-behaviours.ts'
import { startWebhookReceiver, type WebhookReceiver } from '../../testing/webhook-receiver.ts'
import { type AttemptResult, newTargetClient, type TargetClient, type TargetClientOptions } from './client.ts'
import type { Lookup } from './lookup.ts'

let receiver: WebhookReceiver
beforeAll(async () => {
  receiver = await startWebhookReceiver()
})

const body = Buffer.from('{"a":1,"b":"ü"}')

/** Long enough that no attempt of a test ends by it, also on a busy machine. */
const ample = 200_000

function newClient(options: Partial<TargetClientOptions> = {}): TargetClient {
  const client = newTargetClient({ timeout_ms: ample, allow_private: true, ...options })
  onTestFinished(() => client.close())
  return client
}

const post = (client: TargetClient, behaviour: Behaviour): Promise<AttemptResult> =>
  client.post(`${receiver.address}/${behaviour}`, { 'Content-Type': 'application/json' }, body)

const untilAllClosed = ({ connections }: WebhookReceiver) =>
  until(() => (connections().made > 0 && connections().open === 0) || undefined)

const closed = 'the connection was closed before a response'
const notHttp = 'the response is not valid HTTP'
const tooLarge = 'the headers of the response are too large'

type Row = [Behaviour, status_code: number | null, error: string | null, response_body: string | null]

describe('what a target answers', () => {
  test.each<Row>([
    ['ok', 200, null, 'thank you'],
    ['chunked', 200, null, 'thank you'],
    ['until_close', 200, null, 'thank you'],
    ['no_content', 204, null, null],
    ['201', 201, null, 'status 201'],
    ['299', 299, null, 'status 299'],
    ['300', 300, 'the target answered 300', 'status 300'],
    ['304', 304, 'the target answered 304', null],
    ['400', 400, 'the target answered 400', 'status 400'],
    ['404', 404, 'the target answered 404', 'status 404'],
    ['410', 410, 'the target answered 410', 'status 410'],
    ['500', 500, 'the target answered 500', 'status 500'],
    ['503', 503, 'the target answered 503', 'status 503'],
    ['999', 999, 'the target answered 999', 'status 999'],
    ['redirect', 302, 'the target redirects (302)', 'moved'],
    ['redirect_to_private', 307, 'the target redirects (307)', 'moved'],
    ['redirect_for_ever', 308, 'the target redirects (308)', 'moved'],
    ['processing', 200, null, 'thank you'],
    ['continue', null, 'the target sent a response that nobody asked for', null],
    ['upgrade', null, 'the target switches the protocol', null],
    ['close', null, closed, null],
    ['reset', null, closed, null],
    ['close_in_headers', null, closed, null],
    ['close_in_body', 200, null, 'thank'],
    ['close_in_bad_body', 500, 'the target answered 500', 'sorry'],
    ['garbage', null, notHttp, null],
    ['bad_status', null, notHttp, null],
    ['199', null, notHttp, null],
    ['two_lengths', null, notHttp, null],
    ['length_and_chunks', null, notHttp, null],
    ['bad_chunks', 200, null, null],
    ['endless', 200, null, 'endless '.repeat(1_280)],
    ['endless_chunks', 200, null, 'endless '.repeat(1_280)],
    ['endless_tiny_chunks', 200, null, 'a'.repeat(2_001)],
    ['endless_extension', 200, null, null],
    ['endless_trailers', 200, null, null],
    ['endless_headers', null, tooLarge, null],
    ['endless_status', null, tooLarge, null],
    ['endless_information', null, 'the target sends too many interim responses', null],
    ['endless_responses', 200, null, 'thank you'],
    ['megabyte', 200, null, 'm'.repeat(10_240)],
    ['ten_kibibytes', 200, null, 'k'.repeat(10_240)],
    ['long_umlauts', 200, null, `a${'ü'.repeat(5_119)}`], // 1 + 2 × 5,119 = 10,239 bytes; the next ü would be cut
    ['zeros', 200, null, 'a\uFFFDb'],
    ['not_utf8', 200, null, 'a\uFFFD\uFFFDb'],
  ])('%s leads to %s, %s', async (behaviour, statusCode, error, responseBody) => {
    const result = await post(newClient(), behaviour)
    expect(result).toEqual({
      status_code: statusCode,
      error,
      response_body: responseBody,
      duration_ms: expect.any(Number),
    })
    expect(result.duration_ms).toBeLessThan(ample)
  })

  test('a compressed response that nobody asked for is kept as it is, as valid text', async () => {
    const { status_code, error, response_body } = await post(newClient(), 'gzip')
    expect({ status_code, error }).toEqual({ status_code: 200, error: null })
    expect(response_body?.startsWith('\u001f')).toBe(true)
    expect(response_body).not.toContain('thank you')
    expect(response_body?.isWellFormed()).toBe(true)
    expect(response_body).not.toContain('\0')
  })

  test('a target that answers without reading a large body has answered, and is not sent the rest', async () => {
    const own = await startWebhookReceiver()
    const large = Buffer.alloc(30_000_000, ' ')
    expect(await newClient().post(`${own.address}/unread`, {}, large)).toMatchObject({ status_code: 200, error: null })
    await untilAllClosed(own)
    expect(own.connections().bytes_read).toBeLessThan(large.length)
  })

  test('what arrived together with the end of an attempt is not parsed', async () => {
    // 64 KiB hold 2,300 interim responses; the attempt ends at the 21st.
    let count = 0
    const countHeads = () => void count++
    subscribe('undici:request:headers', countHeads)
    onTestFinished(() => void unsubscribe('undici:request:headers', countHeads))
    await post(newClient(), 'endless_information')
    expect(count).toBe(21)
  })

  test('a redirect is not followed', async () => {
    const client = newClient()
    const before = (await receiver.allRequests()).length
    await post(client, 'redirect')
    await post(client, 'ok')
    expect((await receiver.allRequests()).slice(before).map(({ path }) => path)).toEqual(['/redirect', '/ok'])
  })
})

describe('time', () => {
  const timeoutMs = 4_000
  const late = 'no response within 4 s'

  test.concurrent.each<[...Row]>([
    ['hang', null, late, null],
    ['slow_headers', null, late, null],
    ['slow_body', 200, null, 'a'],
    ['slow_bad_body', 500, 'the target answered 500', 'a'],
    ['slow_chunk_size', 200, null, null],
  ])('%s ends at the deadline with %s, %s', async (behaviour, statusCode, error, start) => {
    const client = newTargetClient({ timeout_ms: timeoutMs, allow_private: true })
    const result = await post(client, behaviour)
    await client.close()
    expect(result).toMatchObject({ status_code: statusCode, error })
    expect(result.response_body?.slice(0, 1) ?? null).toBe(start)
    expect(result.duration_ms).toBeGreaterThanOrEqual(timeoutMs - 50)
  })

  test('the connection of a late target is destroyed', async () => {
    const own = await startWebhookReceiver()
    const client = newClient({ timeout_ms: 100 })
    for (const behaviour of ['hang', 'slow_headers', 'slow_body'])
      await client.post(`${own.address}/${behaviour}`, {}, body)
    await untilAllClosed(own)
  })

  test('a TLS handshake that never ends and a name whose server never answers are given up after 5 s', async () => {
    const client = newClient({ lookup: () => new Promise(() => {}) })
    const urls = [`https://127.0.0.1:${receiver.ports.silent}/`, 'http://slow.example/']
    for (const result of await Promise.all(urls.map((url) => client.post(url, {}, body))))
      expect(result).toMatchObject({ status_code: null, error: 'no connection within 5 s' })
  })

  test('a process that accepts connections and does nothing is late', async () => {
    const paused = await startWebhookReceiver()
    const client = newClient({ timeout_ms: 300 })
    paused.pause()
    const result = await client.post(`${paused.address}/ok`, {}, body)
    paused.resume()
    expect(result).toMatchObject({ status_code: null, error: 'no response within 300 ms' })
  })

  test('nobody listens', async () => {
    const gone = await startWebhookReceiver()
    await gone.kill()
    for (const address of [gone.address, `https://127.0.0.1:${gone.ports.https}`])
      expect(await newClient().post(address, {}, body)).toMatchObject({
        status_code: null,
        error: 'the connection was refused',
      })
  })
})

describe('what is sent', () => {
  test('a POST with the given headers and the exact bytes, and nothing that invites an encoding', async () => {
    const headers = { 'Content-Type': 'application/json', 'User-Agent': 'Guerdon/1', 'webhook-id': 'whs_1' }
    await newClient().post(`${receiver.address}/ok/ü?a=1&b=%20#part`, headers, body)
    const { head, body: bytes } = (await receiver.allRequests()).at(-1)!
    expect(bytes.equals(body)).toBe(true)
    expect(head.split('\r\n')).toEqual([
      'POST /ok/%C3%BC?a=1&b=%20 HTTP/1.1',
      `host: 127.0.0.1:${receiver.ports.http}`,
      'connection: keep-alive',
      'Content-Type: application/json',
      'User-Agent: Guerdon/1',
      'webhook-id: whs_1',
      'content-length: 16',
    ])
  })

  test('a header that would begin another line is not sent', async () => {
    const before = (await receiver.allRequests()).length
    const result = await newClient().post(`${receiver.address}/ok`, { 'X-Bad': 'a\r\nHost: other' }, body)
    expect(result).toMatchObject({ status_code: null, error: 'the request cannot be sent' })
    expect((await receiver.allRequests()).length).toBe(before)
  })
})

describe('connections', () => {
  test('if one address of a name does not answer, the next is tried', async () => {
    const lookup: Lookup = async () => [
      { address: '::1', family: 6 }, // the receiver listens at 127.0.0.1 only
      { address: '127.0.0.1', family: 4 },
    ]
    const url = `http://shop.example:${receiver.ports.http}/ok`
    expect(await newClient({ lookup }).post(url, {}, body)).toMatchObject({ status_code: 200 })
  })

  const requestsFor = async (path: string) => (await receiver.allRequests()).filter((request) => request.path === path)

  test('are kept for the next attempt, unless the response was not read to its end', async () => {
    const client = newClient()
    const first = (await receiver.allRequests()).length
    for (const behaviour of ['ok', '500', 'redirect', 'no_content', 'chunked'] as const) await post(client, behaviour)
    await post(client, 'megabyte')
    await post(client, 'ok')
    const [one, ...others] = (await receiver.allRequests()).slice(first).map(({ connection }) => connection)
    expect(others.slice(0, 5)).toEqual(Array(5).fill(one))
    expect(others[5]).not.toBe(one)
  })

  test('a response that nobody asked for ends a kept connection', async () => {
    const own = await startWebhookReceiver()
    const client = newClient()
    expect(await client.post(`${own.address}/unasked`, {}, body)).toMatchObject({ response_body: 'thank you' })
    await untilAllClosed(own)
    expect(await client.post(`${own.address}/500`, {}, body)).toMatchObject({ response_body: 'status 500' })
  })

  test('a kept connection that the target closes while it is reused is replaced by a new one, once', async () => {
    const client = newClient()
    await post(client, 'close_when_reused')
    expect(await post(client, 'ok')).toMatchObject({ status_code: 200, error: null })
    // On the new connection the same is a failure of the target.
    await post(client, 'close_when_reused')
    await receiver.answer('/closing', 'close')
    const before = (await requestsFor('/closing')).length
    expect(await client.post(`${receiver.address}/closing`, {}, body)).toMatchObject({
      status_code: null,
      error: closed,
    })
    expect((await requestsFor('/closing')).length - before).toBeLessThanOrEqual(2)
  })

  test('a target that closes each connection after its response, unannounced, gets every attempt', async () => {
    const client = newClient()
    const inTurn = async () => {
      const errors: Array<string | null> = []
      for (let n = 0; n < 60; n += 1) {
        errors.push((await post(client, 'close_unannounced')).error)
        await sleep(Math.random() * 4) // the next begins before, while and after the connection is closed
      }
      return errors
    }
    const errors = (await Promise.all(Array.from({ length: 10 }, inTurn))).flat()
    expect(new Set(errors)).toEqual(new Set([null]))
  })

  test('a target that was killed and started again gets the next attempt', async () => {
    const client = newClient()
    const killed = await startWebhookReceiver()
    expect(await client.post(`${killed.address}/ok`, {}, body)).toMatchObject({ status_code: 200 })
    await killed.kill()
    const again = await startWebhookReceiver({ port: killed.ports.http })
    expect(await client.post(`${again.address}/ok`, {}, body)).toMatchObject({ status_code: 200 })
    expect((await again.allRequests()).length).toBe(1)
    expect((await killed.allRequests()).length).toBe(1)
  })

  test('at most ten idle ones are kept for a target, and none longer than a few seconds', async () => {
    const own = await startWebhookReceiver()
    const client = newClient()
    const round = () => Promise.all(Array.from({ length: 40 }, () => client.post(`${own.address}/ok`, {}, body)))
    await round()
    await round()
    await own.allRequests()
    expect(own.connections().made).toBeGreaterThanOrEqual(40 + 30)
    await untilAllClosed(own)
  })

  test('at most 64 idle ones are kept for all targets', async () => {
    const own = await startWebhookReceiver()
    const client = newClient({ lookup: async () => [{ address: '127.0.0.1', family: 4 }] })
    const urls = Array.from({ length: 120 }, (_, index) => `http://target-${index}.example:${own.ports.http}/ok`)
    const round = () => Promise.all(urls.map((url) => client.post(url, {}, body)))
    const results = [...(await round()), ...(await round())]
    expect(new Set(results.map(({ error }) => error))).toEqual(new Set([null]))
    await own.allRequests()
    expect(own.connections().made).toBeGreaterThanOrEqual(120 + 120 - 64)
  })
})

describe('ending', () => {
  test('hundreds of attempts stopped at any moment end at once and leave nothing open', async () => {
    const own = await startWebhookReceiver()
    const behaviours: Behaviour[] = [
      'hang',
      'slow_headers',
      'slow_body',
      'endless',
      'ok',
      'megabyte',
      'close',
      'continue',
    ]
    const lookup: Lookup = async () => [{ address: '127.0.0.1', family: 4 }]
    const addresses = [own.address, `http://shop.example:${own.ports.http}`]
    // TLS handshakes in all states as well.
    const handshakes = [own.ports.silent, own.ports.https].map((port) => `https://127.0.0.1:${port}`)
    const urls = [
      ...addresses.flatMap((address) => behaviours.map((behaviour) => `${address}/${behaviour}`)),
      ...handshakes,
    ]
    const closedAfter = async (milliseconds: number) => {
      const client = newClient({ lookup })
      const attempts = urls.map((url) => client.post(url, {}, body))
      await sleep(milliseconds)
      await client.close()
      return Promise.all(attempts)
    }
    const results = (await Promise.all(Array.from({ length: 25 }, (_, index) => closedAfter(index * 3)))).flat()
    expect(results.filter(({ error }) => error === 'the attempt was stopped').length).toBeGreaterThan(100)
    expect(results.every(({ duration_ms }) => duration_ms < ample)).toBe(true)
    await untilAllClosed(own)
  })

  test('headers that arrived before the attempt was stopped decide', async () => {
    const client = newClient()
    const before = (await receiver.allRequests()).length
    const attempt = post(client, 'slow_body')
    await until(() => receiver.requests.length > before || undefined)
    await sleep(500)
    await client.close()
    expect(await attempt).toMatchObject({ status_code: 200, error: null })
  })

  test('closing ends running attempts, and no other begins', async () => {
    const own = await startWebhookReceiver()
    const client = newTargetClient({ timeout_ms: ample, allow_private: true })
    const attempt = client.post(`${own.address}/hang`, {}, body)
    await until(() => own.requests.length > 0 || undefined)
    await client.close()
    expect(await attempt).toMatchObject({ status_code: null, error: 'the attempt was stopped' })
    expect(await client.post(`${own.address}/ok`, {}, body)).toMatchObject({ error: 'the attempt was stopped' })
    await client.close()
    await untilAllClosed(own)
    expect(own.requests.length).toBe(1)
  })
})
