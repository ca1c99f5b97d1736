import { request as httpRequest } from 'node:http'
import { beforeAll, describe, expect, test } from 'vitest'
import { importVouchers } from './incentives/vouchers/import.ts'
import { newProject, type Shop } from './testing/app.ts'
import { runAsyncActions } from './testing/background.ts'
import { newDiscount, newRule, newTier, percentOff, setStackingRules, vouchers, when } from './testing/checkout.ts'
import { createExport, workOnExports } from './testing/exports.ts'
import { longestStretch } from './testing/longest-stretch.ts'
import { newPromotion } from './testing/promotions.ts'

/*
 * No request that is accepted, and none that is refused, keeps the other requests waiting: `/health/live` is answered within
 * 100 ms. What is measured is the longest CPU time between two turns of the event loop, because the time on the clock is that
 * of the whole machine. On PostgreSQL alone: the embedded database computes in this process. The numbers before and after are in docs/decisions/0041-no-request-holds-the-event-loop.md.
 */
const stretchMax = 100

let shop: Shop
let address: string
beforeAll(async () => {
  shop = await newProject({ env: { CLIENT_RATE_LIMIT: '' } })
  address = await shop.service.app.listen({ port: 0, host: '127.0.0.1' })
})

const json = { 'content-type': 'application/json' }
const manyDigits = (count: number) => `${'9'.repeat(count)}x`
const lines = (count: number, more: (index: number) => object = () => ({})) =>
  Array.from({ length: count }, (_, index) => ({
    product_id: `p-${index}`,
    quantity: 1 + (index % 5),
    price: 100 + index,
    ...more(index),
  }))
const order = (count: number, more?: (index: number) => object) => ({ amount: 1_000_000, items: lines(count, more) })

/** Sends a request as a client of another process would, as far as that is possible here: of the answer, it counts the bytes. */
async function call(
  method: 'GET' | 'POST',
  path: string,
  body?: string | object,
  headers: Record<string, string> = {},
): Promise<number> {
  const sent = Buffer.from(typeof body === 'object' ? JSON.stringify(body) : (body ?? ''))
  const length = { ...(body === undefined ? {} : json), 'content-length': String(sent.length) }
  let bytes = 0
  const status = await new Promise<number>((resolve, reject) => {
    const request = httpRequest(new URL(path, address), { method, headers: { ...shop.headers, ...length, ...headers } })
    request.on('response', (answer) => {
      answer.on('data', (piece: Buffer) => {
        bytes += piece.length
      })
      answer.on('end', () => resolve(answer.statusCode as number))
    })
    // The service closes the connection when it does not read the rest of a body.
    request.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EPIPE' || error.code === 'ECONNRESET' ? resolve(413) : reject(error),
    )
    request.end(sent)
  })
  expect(status).toBeLessThan(500)
  return bytes
}

/**
 * Sends the same request once, since the first call of an operation compiles its schemas, and measures the next ones: the best of
 * three, because on a shared machine the same work takes up to twice the CPU time.
 */
async function expectPauses(request: () => Promise<unknown>): Promise<void> {
  await request()
  let best = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < 3 && best >= stretchMax; attempt += 1)
    best = Math.min(best, (await longestStretch(request)).longest)
  expect(best).toBeLessThan(stretchMax)
}

describe('before anything else is known about a request', () => {
  test('an Accept header of spaces', () =>
    expectPauses(() => call('GET', '/v1/vouchers', undefined, { accept: `a${' '.repeat(45_000)}b` })))
  test('an Accept header of very many ranges', () =>
    expectPauses(() => call('GET', '/v1/vouchers', undefined, { accept: 'a/b;q=0,'.repeat(2_000) })))
  test('a query of very many parameters and brackets', () =>
    expectPauses(() => call('GET', `/v1/vouchers?${'a[b][c][]=1&'.repeat(1_300)}`)))
  test('an authorization of spaces', () =>
    expectPauses(() => call('GET', '/v1/vouchers', undefined, { authorization: `Bearer${' '.repeat(15_000)}x y` })))
})

describe('bodies', () => {
  const runs = (bytes: number) => `[${`${'1'.repeat(308)},`.repeat(bytes / 309)}1]`
  const bulk = '/v1/products/bulk/async'

  test('10 MB of 308 digits, again and again', () => {
    const text = `[{"source_id":"a","metadata":{"a":${runs(10_400_000)}}}]`
    return expectPauses(() => call('POST', bulk, text))
  })
  test('1 MB of 308 digits, again and again', () => {
    const text = `{"order":{"metadata":{"a":${runs(1_000_000)}}}}`
    return expectPauses(() => call('POST', '/v1/validations', text))
  })
  test('10 MB of empty objects in a bulk update', () => {
    const text = `[${'{},'.repeat(3_400_000)}{}]`
    return expectPauses(() => call('POST', bulk, text))
  })
  test('10 MB of empty objects on the client side', () => {
    const text = `[${'{},'.repeat(3_400_000)}{}]`
    return expectPauses(() => call('POST', '/client/v1/qualifications', text))
  })
  test('1 MB of empty lines in an order', () => {
    const text = `{"order":{"items":[${'{},'.repeat(340_000)}{}]}}`
    return expectPauses(() => call('POST', '/v1/qualifications', text))
  })
  test('1 MB of names in an object', () => {
    const names = Array.from({ length: 90_000 }, (_, index) => `"k${index}":1`)
    return expectPauses(() => call('POST', '/v1/validations', `{"metadata":{${names}}}`))
  })
  test('a text of 1 MB where a name belongs', () => {
    const text = JSON.stringify({ name: '🎁'.repeat(250_000), hierarchy: 1 })
    return expectPauses(() => call('POST', '/v1/categories', text))
  })
  test('100,000 valid elements of a bulk update', () => {
    const text = JSON.stringify(
      Array.from({ length: 100_000 }, (_, index) => ({
        source_id: `hostile-${index}`,
        metadata: { a: index, b: 'text', c: true },
      })),
    )
    return expectPauses(() => call('POST', '/v1/customers/bulk/async', text))
  })
  test('100,000 source ids of a metadata update', () => {
    const sourceIds = Array.from({ length: 100_000 }, (_, index) => `hostile-${index}-${'x'.repeat(80)}`)
    const text = JSON.stringify({ source_ids: sourceIds, metadata: { a: 1 } })
    return expectPauses(() => call('POST', '/v1/customers/metadata/async', text))
  })
})

describe('numbers and texts that filters and rules compare', () => {
  test('a filter with a very long number', () => {
    const filters = `filters[metadata.a][conditions][$more_than]=${manyDigits(16_000)}`
    return expectPauses(() => call('GET', `/v1/customers?${filters}`))
  })
  test('an export with a filter of very long numbers', () =>
    expectPauses(async () => {
      await createExport(shop, 'customer', {
        filters: { junction: 'and', 'metadata.a': { conditions: { $is: [manyDigits(60_000)] } } },
      })
      await workOnExports(shop)
    }))
  test('a very long number in metadata that a rule compares', async () => {
    await newDiscount(shop, 'LONG-NUMBER', percentOff(10))
    await newRule(shop, when('order.metadata', { $more_than: [5] }, { property: 'a' }), { voucher: 'LONG-NUMBER' })
    const sent = { redeemables: vouchers('LONG-NUMBER'), order: { amount: 1_000, metadata: { a: manyDigits(64_000) } } }
    await expectPauses(() => call('POST', '/v1/validations', sent))
  })
  test('very long numbers in the metadata of twenty lines', async () => {
    await newDiscount(shop, 'LONG-NUMBERS', percentOff(10))
    await newRule(shop, when('order.items.metadata_any', { $more_than: [5] }, { property: 'a' }), {
      voucher: 'LONG-NUMBERS',
    })
    const sent = {
      redeemables: vouchers('LONG-NUMBERS'),
      order: order(20, () => ({ metadata: { a: manyDigits(20_000) } })),
    }
    await expectPauses(() => call('POST', '/v1/validations', sent))
  })
})

describe('evaluations', () => {
  const client = (body: object) => () => call('POST', '/client/v1/qualifications', body)
  const small = (index: number) => ({ product_id: `p${index}` })

  beforeAll(async () => {
    shop = await newProject({ env: { CLIENT_RATE_LIMIT: '' } })
    const codes = Array.from({ length: 3_000 }, (_, index) => ({
      code: `OPEN-${index}`,
      discount: { type: 'PERCENT', percent_off: 1 + (index % 50), effect: 'APPLY_TO_ITEMS' },
    }))
    expect((await shop.call('POST', '/v1/vouchers/import', codes)).status).toBe(202)
    await runAsyncActions(shop.service.runtime, shop.project_id, [importVouchers])
  })

  test('a qualification of 500 lines over 3,000 codes, by the best deal', () =>
    expectPauses(client({ order: order(500, small), options: { sorting_rule: 'BEST_DEAL', limit: 50 } })))
  test('the same, newest first, with explanations', () =>
    expectPauses(() =>
      call('POST', '/v1/qualifications', {
        order: order(500, small),
        options: { limit: 50, explain: true, expand: ['redeemable', 'category', 'validation_rules'] },
      }),
    ))
  test('thirty codes on 500 lines, with explanations', async () => {
    const codes = Array.from({ length: 30 }, (_, index) => `OPEN-${index}`)
    await expectPauses(() =>
      call('POST', '/v1/validations', {
        redeemables: vouchers(...codes),
        order: order(500),
        options: { explain: true },
      }),
    )
  })
  test('thirty codes redeemed on 500 lines', async () => {
    const codes = Array.from({ length: 30 }, (_, index) => `OPEN-${index}`)
    await expectPauses(() => call('POST', '/v1/redemptions', { redeemables: vouchers(...codes), order: order(500) }))
  })

  const texts = (count: number) => Array.from({ length: count }, (_, index) => `${'x'.repeat(9)}y${index}`)
  const numbered = (count: number, rule: (index: number) => object) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [String(index + 1), rule(index)]))
  const goods = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ object: 'product', source_id: `none-${index}` }))

  /** Each within the limits of a rule, and most beyond what an evaluation may take. */
  const hostileRules: Record<string, object> = {
    '250 rules that look for 10 texts in the metadata of every line': {
      rules: numbered(250, () => ({
        name: 'order.items.metadata_each',
        property: 'a',
        conditions: { $not_contain: texts(10) },
      })),
    },
    '1,000 texts in the metadata of every line': {
      rules: numbered(20, () => ({
        name: 'order.items.metadata_each',
        property: 'a',
        conditions: { $not_contain: texts(1_000) },
      })),
    },
    '1,000 dates in the metadata of every line': {
      rules: numbered(10, () => ({
        name: 'order.items.metadata_each',
        property: 'd',
        conditions: { $is_days_ago: Array(1_000).fill(1_000_000) },
      })),
    },
    '16 rules about 1,000 products': {
      rules: numbered(16, () => ({
        name: 'product.id',
        conditions: { $is_not: Array.from({ length: 1_000 }, (_, index) => `none-${index}`) },
        rules: { '1': { name: 'product.quantity', conditions: { $more_than: [0] } } },
      })),
    },
    '1,000 included and 1,000 excluded products': {
      rules: {},
      applicable_to: { included: goods(1_000), excluded: goods(1_000), included_all: true },
    },
    'a bundle of 100 products': {
      rules: {},
      bundle_rules: {
        limit: 100,
        ...numbered(100, () => ({
          name: 'order.items.any',
          conditions: { $is: [{ id: 'pc_a11pr0dUc75', object: 'products_collection' }] },
          rules: { '1': { name: 'order.items.aggregated_quantity', conditions: { $is: [3] } } },
        })),
      },
    },
  }
  const hostileOrder = order(500, () => ({ metadata: { a: 'x'.repeat(400), d: '2025-01-01T00:00:00Z' } }))

  test.each(Object.entries(hostileRules))('a rule with %s', async (name, rule) => {
    const code = `HOSTILE-${Object.keys(hostileRules).indexOf(name)}`
    await newDiscount(shop, code, percentOff(10))
    await newRule(shop, rule, { voucher: code })
    const sent = { redeemables: vouchers(code), order: hostileOrder }
    await expectPauses(() => call('POST', '/v1/validations', sent))
  })

  test('all of these rules in one qualification', () =>
    expectPauses(() => call('POST', '/v1/qualifications', { order: hostileOrder, options: { limit: 50 } })))

  test.each([
    ['of many operands', `MIN(${Array(150).fill('CHEAPEST_ORDER_ITEM_PRICE').join(';')})`],
    ['of long numbers', Array(60).fill('(ORDER_ITEM_AMOUNT/7919)').join('*')],
  ])('a formula %s on every line', async (kind, formula) => {
    const code = `FORMULA-${kind}`
    const discount = { type: 'AMOUNT', amount_off: 1, amount_off_formula: formula, effect: 'APPLY_TO_ITEMS' }
    expect(
      await shop.call('POST', `/v1/vouchers/${encodeURIComponent(code)}`, { type: 'DISCOUNT_VOUCHER', discount }),
    ).toMatchObject({ status: 200 })
    await expectPauses(() => call('POST', '/v1/validations', { redeemables: vouchers(code), order: order(500) }))
  })
})

/** What an answer repeats is bounded by its bytes, whatever lines and metadata are sent. */
describe('orders of many lines with many metadata', () => {
  const wide = (count: number, keys: number) => ({
    items: lines(count, () => ({
      metadata: Object.fromEntries(Array.from({ length: keys }, (_, key) => [`property_${key}`, 'x'])),
    })),
  })
  const codes = vouchers(...Array.from({ length: 30 }, (_, index) => `WIDE-${index}`))
  const [ofServer, ofPage] = [wide(490, 95), wide(55, 50)] // 0.9 MB and 55 kB

  beforeAll(async () => {
    shop = await newProject({ env: { CLIENT_RATE_LIMIT: '' } })
    const discount = { type: 'PERCENT', percent_off: 1, effect: 'APPLY_TO_ITEMS' }
    const vouchers = codes.map(({ id }) => ({ code: id, discount }))
    expect((await shop.call('POST', '/v1/vouchers/import', vouchers)).status).toBe(202)
    await runAsyncActions(shop.service.runtime, shop.project_id, [importVouchers])
    await setStackingRules(shop, { redeemables_limit: 30, applicable_redeemables_limit: 30 })
    const promotion = await newPromotion(shop)
    for (let index = 0; index < 150; index += 1) await newTier(shop, promotion, { action: { discount } })
  })

  test.each<[about: string, path: string, body: object, megabytes: number]>([
    ['a qualification of a page', '/client/v1/qualifications', { order: ofPage, options: { limit: 50 } }, 3],
    ['a validation by a page', '/client/v1/validations', { order: ofPage, redeemables: codes }, 6],
    ['a qualification', '/v1/qualifications', { order: ofServer, options: { limit: 50 } }, 4],
    ['the best deals', '/v1/qualifications', { order: ofServer, options: { limit: 50, sorting_rule: 'BEST_DEAL' } }, 4],
    ['a validation of thirty codes', '/v1/validations', { order: ofServer, redeemables: codes }, 7],
    ['thirty redemptions', '/v1/redemptions', { order: ofServer, redeemables: codes }, 8],
    ['all promotion tiers', '/v1/promotions/validation', { order: ofServer }, 5],
  ])('%s', async (_, path, body, megabytes) => {
    let bytes = 0
    await expectPauses(async () => {
      bytes = await call('POST', path, body)
    })
    expect(bytes).toBeGreaterThan(100_000)
    expect(bytes).toBeLessThan(megabytes * 1_000_000)
  })

  test('five of the largest at once are answered together within 300 MB', async () => {
    const before = process.memoryUsage().rss
    let highest = 0
    const timer = setInterval(() => {
      highest = Math.max(highest, process.memoryUsage().rss)
    }, 5)
    await Promise.all(Array.from({ length: 5 }, () => call('POST', '/v1/promotions/validation', { order: ofServer })))
    clearInterval(timer)
    expect(highest - before).toBeLessThan(300_000_000)
  })
})
