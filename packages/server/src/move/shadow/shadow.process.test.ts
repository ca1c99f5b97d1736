import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { type ShadowOptions, shadowCommand } from '../../command-line/shadow.ts'
import { limits } from '../../core/lib/limits.ts'
import { newProject, type Shop } from '../../testing/app.ts'
import { until } from '../../testing/background.ts'
import { amountOff, newDiscount, newProduct, percentOff, setStackingRules, vouchers } from '../../testing/checkout.ts'
import { newCommands } from '../../testing/command.ts'
import { ok } from '../../testing/orders.ts'
import { newAsk } from './ask.ts'
import { exchangeLine } from './log-line.ts'
import { replayLog } from './replay.ts'

let there: Shop
let here: Shop
let address: string

/** The same shop twice, with one difference for each code. */
beforeAll(async () => {
  // Settings of their own, so that other files do not share the port.
  const env = { CLIENT_RATE_LIMIT: '', LOG_LEVEL: 'warn' }
  there = await newProject({ env })
  here = await newProject({ env })
  address = await there.service.app.listen({ port: 0, host: '127.0.0.1' })
  const past = { start_date: '2020-01-01T00:00:00Z', expiration_date: '2021-01-01T00:00:00Z' }
  const both = [there, here]
  for (const shop of both) await newDiscount(shop, 'SAME', percentOff(10))
  await newDiscount(there, 'ONLY-THERE', amountOff(100))
  await newDiscount(here, 'ONLY-HERE', amountOff(100))
  await newDiscount(there, 'SWITCHED-OFF', amountOff(100))
  await newDiscount(here, 'SWITCHED-OFF', amountOff(100), { active: false })
  await newDiscount(there, 'ENDED', amountOff(100), past)
  await newDiscount(here, 'ENDED', amountOff(100))
  await newDiscount(there, 'REASON', amountOff(100), past)
  await newDiscount(here, 'REASON', amountOff(100), { active: false })
  await newDiscount(there, 'PERCENT', percentOff(10))
  await newDiscount(here, 'PERCENT', percentOff(20))
  await newDiscount(there, 'CENT', percentOff(33.33))
  await newDiscount(here, 'CENT', percentOff(33.34))
  await newDiscount(there, 'SPLIT', amountOff(500, { effect: 'APPLY_TO_ORDER' }))
  await newDiscount(here, 'SPLIT', amountOff(500, { effect: 'APPLY_TO_ITEMS_PROPORTIONALLY' }))
  for (const [place, shop] of both.entries()) {
    await newProduct(shop, 'Mug', { source_id: 'mug', price: place === 0 ? 1_000 : 1_100 })
    await setStackingRules(shop, { redeemables_sorting_rule: 'CATEGORY_HIERARCHY' })
    for (const [hierarchy, name] of (place === 0 ? ['first', 'second'] : ['second', 'first']).entries()) {
      const { id } = await ok(shop, 'POST', '/v1/categories', { name, hierarchy })
      await newDiscount(shop, `STACK-${name}`, amountOff(100), { category_id: id })
    }
  }
})

const order = {
  items: [
    { quantity: 1, price: 7_000 },
    { quantity: 1, price: 3_000 },
  ],
}
const catalogueOrder = { items: [{ source_id: 'mug', related_object: 'product', quantity: 2 }] }

/** Lets the other service answer, and logs it. */
async function exchanged(path: string, request: object): Promise<string> {
  const { status, body } = await there.call('POST', path, request)
  return exchangeLine({ at: new Date().toISOString(), method: 'POST', path, request, status, answer: body })
}

const carts: Array<[cause: string, body: object]> = [
  ['', { redeemables: vouchers('SAME'), order }],
  ['missing_here', { redeemables: vouchers('ONLY-THERE'), order }],
  ['missing_there', { redeemables: vouchers('ONLY-HERE'), order }],
  ['refused_here', { redeemables: vouchers('SWITCHED-OFF'), order }],
  ['refused_there', { redeemables: vouchers('ENDED'), order }],
  ['other_reason', { redeemables: vouchers('REASON'), order }],
  ['other_discount', { redeemables: vouchers('PERCENT'), order }],
  ['rounding', { redeemables: vouchers('CENT'), order }],
  ['other_lines', { redeemables: vouchers('SPLIT'), order }],
  ['other_stacking_order', { redeemables: vouchers('STACK-first', 'STACK-second'), order }],
  ['other_amount', { redeemables: vouchers('SAME'), order: catalogueOrder }],
]

const service = () => ({ base: address, app_id: here.app_id, app_token: here.app_token })
const replayed = (text: string, redeem = false) =>
  replayLog(Readable.from([Buffer.from(text)]), newAsk(service()), { redeem, as_of: true })

test.each(carts)('validation and redemption: "%s"', async (cause, body) => {
  const text = (await exchanged('/v1/validations', body)) + (await exchanged('/v1/redemptions', body))
  const { compared, differences } = await replayed(text)
  expect(compared).toBe(2)
  const found = differences.map(({ cause, count }) => [cause, count])
  expect(found, JSON.stringify(differences)).toEqual(cause === '' ? [] : [[cause, 2]])
})

test('a replay writes no redemption and holds nothing; with --redeem it redeems', async () => {
  await newDiscount(there, 'ONCE', amountOff(100), { redemption: { quantity: 1 } })
  await newDiscount(here, 'ONCE', amountOff(100), { redemption: { quantity: 1 } })
  const session = { type: 'LOCK', ttl: 1, ttl_unit: 'HOURS' }
  const text = await exchanged('/v1/redemptions', { redeemables: vouchers('ONCE'), order, session })
  const redeemedHere = async () => (await ok(here, 'GET', '/v1/vouchers/ONCE')).redemption.redeemed_quantity
  for (const _ of [1, 2]) expect(await replayed(text)).toMatchObject({ compared: 1, equal: 1 })
  expect(await redeemedHere()).toBe(0)
  expect(await replayed(text, true)).toMatchObject({ compared: 1, equal: 1 })
  expect(await redeemedHere()).toBe(1)
})

test('a line that is too long is skipped, and the others are compared', async () => {
  const equal = Buffer.from(await exchanged('/v1/validations', { redeemables: vouchers('SAME'), order }))
  const piece = Buffer.alloc(1_048_576, 'x')
  async function* lines() {
    yield equal
    for (let bytes = 0; bytes <= limits.moved_line_bytes_max; bytes += piece.length) yield piece
    yield Buffer.concat([piece, Buffer.from('\n'), equal])
  }
  const report = await replayLog(lines(), newAsk(service()), { redeem: false, as_of: true })
  expect(report).toMatchObject({ compared: 2, equal: 2, skipped: 1 })
})

test('the command prints causes with an example, writes the report, and fails if answers differ', async () => {
  const folder = newFolder()
  const { environment, outputOf } = await newCommands()
  const [log, report] = [join(folder, 'log.jsonl'), join(folder, 'report.json')]
  const run = (more: ShadowOptions = {}) =>
    outputOf((given) =>
      shadowCommand(given, { log, report, base: address, 'app-id': here.app_id, 'app-token': here.app_token, ...more }),
    )
  const equal = await exchanged('/v1/validations', { redeemables: vouchers('SAME'), order })
  writeFileSync(log, `${equal}not json\n${exchangeLine({ method: 'GET', path: '/v1/vouchers', status: 200 })}`)
  expect(await run()).toBe('1 compared, 1 equal (100.00 %), 2 skipped, 0 dropped.\n')
  writeFileSync(log, equal + (await exchanged('/v1/validations', { redeemables: vouchers('PERCENT'), order })))
  let said = ''
  const say = (text: string) => {
    said += text
  }
  await expect(
    shadowCommand(
      { ...environment, say },
      { log, report, base: address, 'app-id': here.app_id, 'app-token': here.app_token },
    ),
  ).rejects.toThrow('1 of 2 answers differ.')
  expect(said).toContain('2 compared, 1 equal (50.00 %)')
  expect(said).toContain('other discount')
  expect(said).toContain('there valid: PERCENT; 10000 - 1000 = 9000')
  expect(said).toContain('here  valid: PERCENT; 10000 - 2000 = 8000')
  expect(JSON.parse(readFileSync(report, 'utf8'))).toMatchObject({
    share_equal: 0.5,
    differences: [{ cause: 'other_discount', count: 1 }],
  })
  await expect(run({ 'app-token': undefined })).rejects.toThrow('Usage:')
  await expect(run({ listen: '9000' })).rejects.toThrow('Usage:')
})

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'guerdon-shadow-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** The command as a proxy on a free port of the loopback. */
async function openProxy(upstream: string, more: ShadowOptions = {}) {
  const { environment } = await newCommands()
  const log = join(newFolder(), 'proxy.jsonl')
  let said = ''
  let stop = () => {}
  const stopped = new Promise<void>((resolve) => (stop = resolve))
  const options = {
    listen: '0',
    upstream,
    log,
    base: address,
    'app-id': here.app_id,
    'app-token': here.app_token,
    ...more,
  }
  const say = (text: string) => {
    said += text
  }
  const ended = shadowCommand({ ...environment, say }, options, () => stopped)
  const proxy = await until(async () => /Passing requests to (http:\S+) on/.exec(said)?.[1])
  const end = async () => {
    stop()
    await ended
    return said
  }
  onTestFinished(async () => void (await end()))
  return { proxy, log, end }
}

const post = (base: string, path: string, body: object | string, headers: Record<string, string> = {}) =>
  fetch(`${base}${path}`, {
    method: 'POST',
    headers: { ...there.headers, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

test('the proxy passes answers through, compares them afterwards, and logs no credentials', async () => {
  const { proxy, log, end } = await openProxy(address)
  expect(proxy).toMatch(/^http:\/\/127\.0\.0\.1:/)
  const read = { headers: there.headers }
  const [direct, passed] = [
    await fetch(`${address}/v1/vouchers/SAME`, read),
    await fetch(`${proxy}/v1/vouchers/SAME`, read),
  ]
  expect([passed.status, await passed.text()]).toEqual([direct.status, await direct.text()])
  expect(passed.headers.get('content-type')).toBe(direct.headers.get('content-type'))
  expect((await fetch(`${proxy}/v1/vouchers/SAME`)).status).toBe(401)

  const asked = 'grant_type=client_credentials&scope=api'
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  expect((await post(proxy, '/v1/oauth/token', asked, form)).status).toBe(200)
  const answer = await post(proxy, '/v1/redemptions?key=proof', { redeemables: vouchers('SAME'), order })
  expect(await answer.json()).toMatchObject({ redemptions: [{ result: 'SUCCESS' }] })
  expect((await post(proxy, '/v1/validations', { redeemables: vouchers('PERCENT'), order })).status).toBe(200)

  const said = await end()
  expect(said).toContain('2: other discount: /v1/validations PERCENT')
  expect(said).toContain('2 compared, 1 equal (50.00 %), 0 skipped, 0 dropped.')
  const logged = readFileSync(log, 'utf8')
  expect(logged.trimEnd().split('\n')).toHaveLength(2)
  for (const secret of [there.app_token, there.access_token, 'access_token', 'oauth', 'proof'])
    expect(logged).not.toContain(secret)
  expect(statSync(log).mode & 0o777).toBe(0o600)
  expect(await replayed(logged)).toMatchObject({ compared: 2, equal: 1 })
})

test('the shop gets its answers when our service is away, and 502 when the present one is', async () => {
  const nobody = await closedAddress()
  const withoutUs = await openProxy(address, { base: nobody })
  const answer = await post(withoutUs.proxy, '/v1/validations', { redeemables: vouchers('SAME'), order })
  expect(await answer.json()).toMatchObject({ valid: true })
  expect(await withoutUs.end()).toContain('no verdict here')
  const withoutThem = await openProxy(nobody)
  expect((await post(withoutThem.proxy, '/v1/validations', { redeemables: vouchers('SAME') })).status).toBe(502)
})

async function closedAddress(): Promise<string> {
  const server = createServer()
  const url = await listening(server)
  await new Promise((resolve) => server.close(resolve))
  return url
}

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('bodies of any size, in chunks and of any method, pass unchanged; too large ones are not compared', async () => {
  const echo = createServer((incoming, outgoing) => {
    outgoing.writeHead(
      207,
      'Several',
      [
        ['x-method', incoming.method as string],
        ['set-cookie', 'a=1'],
        ['set-cookie', 'b=2'],
      ].flat(),
    )
    incoming.pipe(outgoing)
  })
  const upstream = await listening(echo)
  onTestFinished(() => void echo.close())
  const { proxy, end } = await openProxy(`${upstream}/prefix`)
  const large = JSON.stringify({ redeemables: [], text: 'x'.repeat(limits.shadow_body_bytes_max) })
  for (const [method, path] of [
    ['POST', '/v1/validations'],
    ['DELETE', '/v1/any'],
    ['PUT', '/v1/any?a=b'],
  ] as const) {
    const body = Readable.toWeb(Readable.from([Buffer.from(large.slice(0, 10)), Buffer.from(large.slice(10))]))
    const answer = await fetch(`${proxy}${path}`, {
      method,
      body: body as ReadableStream,
      duplex: 'half',
    } as RequestInit)
    expect([answer.status, answer.statusText, answer.headers.get('x-method')]).toEqual([207, 'Several', method])
    expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
    expect((await answer.text()) === large).toBe(true)
  }
  expect(await end()).toContain('0 compared, 0 equal, 1 skipped, 0 dropped.')
})

test('compressed answers pass as they are, and are compared', async () => {
  const { body } = await there.call('POST', '/v1/validations', { redeemables: vouchers('SAME'), order })
  const compressed = gzipSync(JSON.stringify(body))
  const upstream = createServer((incoming, outgoing) => {
    incoming.resume()
    outgoing.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(compressed)
  })
  const url = await listening(upstream)
  onTestFinished(() => void upstream.close())
  const { proxy, end } = await openProxy(url)
  const answer = await post(proxy, '/v1/validations', { redeemables: vouchers('SAME'), order })
  expect(answer.headers.get('content-encoding')).toBe('gzip')
  expect(await answer.json()).toEqual(body)
  expect(await end()).toContain('1 compared, 1 equal')
})
