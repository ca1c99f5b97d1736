import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { limits } from '../../core/lib/limits.ts'
import { type Answering, copyAccount, newFolder, type Reply, serveAccount } from '../../testing/account-server.ts'
import { type AccountKeys, openAccount } from './client.ts'
import { downloadAccount } from './download.ts'
import type { AccountFolder, DownloadState } from './folder.ts'
import { newPublicFetch } from './public-fetch.ts'

interface Row {
  id: string
  created_at: string
}

const keysAt = (base: string): AccountKeys => ({ base, app_id: 'app', app_token: 'token', management: null })

/** Rows a second apart, some with the same moment. */
const rowsOf = (prefix: string, count: number): Row[] =>
  Array.from({ length: count }, (_, n) => ({
    id: `${prefix}${String(n).padStart(6, '0')}`,
    created_at: new Date(Date.UTC(2025, 0, 1) + Math.floor(n / 7) * 1_000).toISOString(),
  }))

/** A list as the public contract has it: pages of 100 up to the 99th, and bounds of `created_at` that include their ends. */
function pageOf(rows: readonly Row[], { searchParams }: URL): Reply {
  const [after, before] = [searchParams.get('created_at[after]'), searchParams.get('created_at[before]')]
  const page = Number(searchParams.get('page') ?? 1)
  if (page > 99) return { status: 400, body: { key: 'invalid_query_params', message: 'page' } }
  const sign = searchParams.get('order')?.startsWith('-') ? -1 : 1
  const found = rows
    .filter(({ created_at }) => (after === null || created_at >= after) && (before === null || created_at <= before))
    .sort((a, b) => sign * (a.created_at < b.created_at || (a.created_at === b.created_at && a.id < b.id) ? -1 : 1))
  const limit = Number(searchParams.get('limit') ?? 10)
  return {
    status: 200,
    body: {
      object: 'list',
      data_ref: 'data',
      data: found.slice((page - 1) * limit, page * limit),
      total: found.length,
    },
  }
}

async function idsIn(folder: AccountFolder, list: string): Promise<string[]> {
  const state = (await folder.readState('download')) as DownloadState
  const ids: string[] = []
  for await (const { rows } of folder.batches(list, { from: 0, to: state.lists[list]?.bytes ?? 0 }, 500))
    ids.push(...rows.map(({ id }) => String(id)))
  return ids
}

const idsOf = (rows: readonly Row[]) => rows.map(({ id }) => id)

test('a list that is longer than its pages reach is read in periods, each row once', async () => {
  const customers = rowsOf('cust_', 25_000)
  const { base, requests } = await serveAccount((url) =>
    url.pathname === '/v1/customers' ? pageOf(customers, url) : null,
  )
  const folder = await newFolder()
  const { lists } = await copyAccount(keysAt(base), folder, ['customers'])
  const found = await idsIn(folder, 'customers')
  expect(found).toHaveLength(25_000)
  expect(new Set(found)).toEqual(new Set(idsOf(customers)))
  expect(lists.customers?.unreachable).toBe(0)
  // 250 full pages; the rest are looks for the right length of a period.
  expect(requests.length).toBeLessThan(400)
})

test('rows of one moment that its pages do not reach are counted', async () => {
  const customers = rowsOf('cust_', 10_050).map((row) => ({ ...row, created_at: '2025-01-01T00:00:00.000Z' }))
  const { base } = await serveAccount((url) => pageOf(customers, url))
  const folder = await newFolder()
  const { lists } = await copyAccount(keysAt(base), folder, ['customers'])
  expect(lists.customers).toMatchObject({ rows: 9_900, unreachable: 150 })
})

test('cursors that come back to one of before end the list', async () => {
  const cards = rowsOf('camp_', 1).map((row) => ({ ...row, campaign_type: 'LOYALTY_PROGRAM' }))
  let page = 0
  const { base, requests } = await serveAccount((url) => {
    if (url.pathname === '/v1/campaigns') return pageOf(cards, url)
    if (!url.pathname.endsWith('/pending-points')) return null
    page += 1
    const data = [{ id: `lopp_${page}`, created_at: '2025-01-01T00:00:00.000Z' }]
    return {
      status: 200,
      body: { object: 'list', data_ref: 'data', data, has_more: true, more_starting_after: `c${page % 70}` },
    }
  })
  await copyAccount(keysAt(base), await newFolder(), ['campaigns', 'pending-points'])
  expect(requests.length).toBeLessThan(4 * 70)
})

test('ids that are no text, and moments before any date, do not end the copy', async () => {
  const row = { id: { toString: 1 }, name: 'Odd', created_at: '-271821-04-20T00:00:00Z' }
  const { base } = await serveAccount((url) => pageOf([row as never], url))
  const folder = await newFolder()
  const { lists } = await copyAccount(keysAt(base), folder, ['locations', 'customers'])
  expect(lists).toMatchObject({ locations: { rows: 1, is_done: true }, customers: { is_done: true } })
})

test('an address where nobody has ever answered is given up after three attempts', async () => {
  const waits: string[] = []
  const client = openAccount(keysAt('http://127.0.0.1:1'), { onWait: (reason) => void waits.push(reason) })
  await expect(client.get('/v1/campaigns')).rejects.toThrow('http://127.0.0.1:1 could not be reached')
  expect(waits).toHaveLength(2)
})

test('a list without periods is read from both ends, and what lies between is counted', async () => {
  const orders = rowsOf('ord_', 20_000)
  const { base } = await serveAccount((url) => pageOf(orders, url))
  const folder = await newFolder()
  const { lists } = await copyAccount(keysAt(base), folder, ['orders'])
  expect(lists.orders).toMatchObject({ rows: 19_800, unreachable: 200 })
})

test('a list that does not say how long it is is read up to the first page that is not full', async () => {
  const [customers, locations] = [rowsOf('cust_', 5_000), rowsOf('loc_', 250)]
  const { base } = await serveAccount((url) => {
    const { status, body } = pageOf(url.pathname === '/v1/customers' ? customers : locations, url)
    return { status, body: { ...(body as object), total: undefined } }
  })
  const folder = await newFolder()
  await copyAccount(keysAt(base), folder, ['customers', 'locations'])
  expect(new Set(await idsIn(folder, 'locations'))).toEqual(new Set(idsOf(locations)))
  expect(new Set(await idsIn(folder, 'customers'))).toEqual(new Set(idsOf(customers)))
})

test('what the account counts and does not show of a list in one piece is counted', async () => {
  const rows = rowsOf('cat_', 10)
  const { base } = await serveAccount(() => ({ status: 200, body: { data_ref: 'data', data: rows, total: 12 } }))
  const { lists } = await copyAccount(keysAt(base), await newFolder(), ['categories'])
  expect(lists.categories).toMatchObject({ rows: 10, unreachable: 2 })
})

test('rows that are deleted and created while a list is read do not hide others', async () => {
  const stable = rowsOf('cust_', 1_000)
  let customers = [...stable.map((row, n) => ({ ...row, id: `cust_a${String(n).padStart(6, '0')}` })), ...stable]
  const kept = new Set(idsOf(stable))
  let answered = 0
  const { base } = await serveAccount((url) => {
    const reply = pageOf(customers, url)
    answered += 1
    // Ten rows before those that are read next disappear, and a new one appears at the end.
    if (answered < 20) {
      const gone = new Set(customers.filter(({ id }) => !kept.has(id)).slice(0, 10))
      customers = [
        ...customers.filter((row) => !gone.has(row)),
        { id: `cust_new${answered}`, created_at: new Date().toISOString() },
      ]
    }
    return reply
  })
  const folder = await newFolder()
  await copyAccount(keysAt(base), folder, ['customers'])
  const found = new Set(await idsIn(folder, 'customers'))
  expect(idsOf(stable).filter((id) => !found.has(id))).toEqual([])
})

test('a refused call is repeated when the account says so, and a broken one after a while', async () => {
  const customers = rowsOf('cust_', 500)
  let calls = 0
  const { base } = await serveAccount((url) => {
    calls += 1
    if (calls % 3 === 0)
      return {
        status: 429,
        headers: { 'retry-after': '0' },
        body: { key: 'too_many_requests', message: 'Too many requests' },
      }
    if (calls === 4) return { status: 502, body: { message: 'Bad gateway' } }
    return pageOf(customers, url)
  })
  const folder = await newFolder()
  await copyAccount(keysAt(base), folder, ['customers'])
  expect(await idsIn(folder, 'customers')).toHaveLength(500)
})

test('while an account refuses with 429, no further call is sent before its time', async () => {
  const customers = rowsOf('cust_', 2_000)
  let refusedAt = 0
  const askedLater: number[] = []
  const refusal = Promise.withResolvers<void>()
  const { base } = await serveAccount(async (url) => {
    if (refusedAt > 0) {
      askedLater.push(Date.now())
      // Those that were on their way are answered once the refusal has arrived: then their lanes are free to go on.
      await refusal.promise
    } else if (Number(url.searchParams.get('page')) > 1) {
      refusedAt = Date.now()
      return { status: 429, headers: { 'x-rate-limit-retry': '1' }, body: { message: 'Too many requests' } }
    }
    return pageOf(customers, url)
  })
  const folder = await newFolder()
  await downloadAccount({
    keys: keysAt(base),
    client: openAccount(keysAt(base), { onWait: () => refusal.resolve() }),
    folder,
    only: ['customers'],
    now: Date.now,
    onProgress: () => {},
  })
  const underWay = limits.account_requests_at_once - 1
  expect(askedLater.slice(underWay).filter((at) => at < refusedAt + 1_000)).toEqual([])
  // The other 16 of 20 pages, and the refused one again.
  expect(askedLater.slice(underWay).length).toBeGreaterThanOrEqual(16)
  expect(await idsIn(folder, 'customers')).toHaveLength(2_000)
})

test('an account that refuses with 429 and does not say for how long is asked later every time', async () => {
  let calls = 0
  const { base } = await serveAccount(() => {
    calls += 1
    return calls < 3 ? { status: 429, body: {} } : { status: 200, body: { id: 'camp_1' } }
  })
  const waits: number[] = []
  await openAccount(keysAt(base), { onWait: (_, seconds) => waits.push(seconds) }).get('/v1/campaigns/camp_1')
  expect(waits).toEqual([1, 2])
})

test.each([
  ['a moment that has passed', -60, 0.1],
  ['a moment that is far away', 86_400, 300],
])('an account may name the moment at which to ask again: %s', async (_, seconds, waited) => {
  const moment = new Date(Date.now() + seconds * 1_000).toUTCString()
  const { base } = await serveAccount(() => ({ status: 429, headers: { 'retry-after': moment }, body: {} }))
  const stop = new AbortController()
  const waits: number[] = []
  const onWait = (__: string, wait: number) => {
    waits.push(wait)
    stop.abort(new Error('stopped'))
  }
  await expect(openAccount(keysAt(base), { onWait, signal: stop.signal }).get('/v1/campaigns/camp_1')).rejects.toThrow()
  expect(waits).toEqual([waited])
})

test('wrong keys end the copy at once, a list that is not there does not', async () => {
  const denied = await serveAccount(() => ({ status: 401, body: { message: 'Unauthorized' } }))
  await expect(copyAccount(keysAt(denied.base), await newFolder())).rejects.toThrow('answered with 401: Unauthorized')
  expect(denied.requests).toHaveLength(1)

  const empty = await serveAccount(() => null)
  const folder = await newFolder()
  const { refused } = await copyAccount(keysAt(empty.base), folder)
  expect(refused['event-schemas']).toBe('no management keys were given')
  expect(refused.customers).toContain('answered with 404')
  expect(refused.vouchers).toBe('it belongs to the list campaigns, which was not read')
})

test.each([402, 403, 404, 405])(
  'a list that was refused with %i is asked for again, with the lists that belong to it',
  async (status) => {
    let isRefused = true
    const { base } = await serveAccount((url, request) =>
      isRefused && url.pathname === '/v1/products' ? { status, body: {} } : withChildren(url, request),
    )
    const folder = await newFolder()
    const first = await copyAccount(keysAt(base), folder, ['products', 'skus'])
    expect(first.refused).toEqual({
      products: `GET /v1/products was answered with ${status}: `,
      skus: 'it belongs to the list products, which was not read',
    })
    isRefused = false
    const second = await copyAccount(keysAt(base), folder, ['products', 'skus'])
    expect(second.refused).toEqual({})
    expect(await idsIn(folder, 'skus')).toHaveLength(6)
  },
)

test('a list of children that is refused for one parent goes on with it', async () => {
  let isRefused = true
  const { base } = await serveAccount((url, request) =>
    isRefused && url.pathname.startsWith('/v1/products/prod_000001')
      ? { status: 403, body: {} }
      : withChildren(url, request),
  )
  const folder = await newFolder()
  await copyAccount(keysAt(base), folder, ['products', 'skus'])
  isRefused = false
  const { refused } = await copyAccount(keysAt(base), folder, ['products', 'skus'])
  expect(refused).toEqual({})
  expect(await idsIn(folder, 'skus')).toHaveLength(6)
})

test('a copy goes on behind its last checkpoint, whatever a crash left in the file', async () => {
  const customers = rowsOf('cust_', 12_000)
  const stop = new AbortController()
  const windows: string[] = []
  const answer: Answering = (url) => {
    if (url.searchParams.get('page') === '1') windows.push(url.searchParams.get('created_at[after]') ?? '')
    if (windows.length > 8) stop.abort(new Error('stopped'))
    return pageOf(customers, url)
  }
  const { base } = await serveAccount(answer)
  const folder = await newFolder()
  await expect(copyAccount(keysAt(base), folder, ['customers'], stop.signal)).rejects.toThrow()
  const { lists } = (await folder.readState('download')) as DownloadState
  expect(lists.customers?.rows).toBeGreaterThan(0)
  expect(lists.customers?.rows).toBeLessThan(12_000)
  writeFileSync(join(folder.path, 'customers.jsonl'), '{"id":"cust_half', { flag: 'a' })

  const again = await serveAccount((url) => pageOf(customers, url))
  await folder.saveState('download', { ...(await folder.readState('download')), base: again.base })
  await copyAccount(keysAt(again.base), folder, ['customers'])
  const found = await idsIn(folder, 'customers')
  expect(found).toHaveLength(12_000)
  expect(new Set(found).size).toBe(12_000)
})

test.each([
  'http://127.0.0.1:1/latest/meta-data',
  'http://localhost:1/',
  'http://[::ffff:10.0.0.1]/',
  'file:///etc/passwd',
  'data:text/csv,a',
  'nowhere',
])('a file that the account names inside of our network is not read: %s', async (url) => {
  const { base, requests } = await serveAccount(({ pathname }) => {
    if (pathname === '/v1/campaigns')
      return {
        status: 200,
        body: { data_ref: 'data', data: [{ id: 'camp_1', campaign_type: 'LOYALTY_PROGRAM' }], total: 1 },
      }
    return { status: 200, body: { id: 'exp_1', status: 'DONE', result: { url } } }
  })
  const copied = copyAccount(keysAt(base), await newFolder(), ['campaigns', 'points-expirations'])
  await expect(copied).rejects.toThrow('The account named a file at an address that is not public')
  expect(requests.at(-1)).toBe('GET /v1/exports/exp_1')
})

test('a name that leads into our network when the file is read is not followed, whatever it was before', async () => {
  const { base, requests } = await serveAccount(() => ({ status: 200, body: 'id' }))
  let asked = 0
  const client = openAccount(keysAt('http://account.example'), {
    lookup: async () => {
      asked += 1
      return [{ address: '127.0.0.1', family: 4 }]
    },
  })
  const url = `http://rebinding.example:${new URL(base).port}/file.csv`
  await expect(client.download(url)).rejects.toThrow(
    'The account named a file at an address that is not public ("http://rebinding.example',
  )
  expect(asked).toBe(1)
  expect(requests).toEqual([])
})

test('a file elsewhere is read from the address that its name was judged by', async () => {
  const { base, requests } = await serveAccount((url) =>
    url.pathname === '/moved' ? { status: 302, headers: { location: '/file' }, body: '' } : { status: 200, body: 'id' },
  )
  const { port } = new URL(base)
  const lookup = async () => [{ address: '127.0.0.1', family: 4 }]
  const files = newPublicFetch({ allow_private: true, lookup })
  onTestFinished(() => files.close())
  const read = (path: string) => files.fetch(new URL(`http://files.example:${port}${path}`), { redirect: 'manual' })
  expect(await (await read('/file?signature=1')).text()).toBe('id')
  expect((await read('/moved')).status).toBe(302)
  expect(requests).toEqual(['GET /file?signature=1', 'GET /moved'])
})

test('an interrupted copy does not wait for a file that the account is writing', async () => {
  const stop = new AbortController()
  const { base } = await serveAccount(({ pathname }) => {
    if (pathname === '/v1/campaigns')
      return {
        status: 200,
        body: { data_ref: 'data', data: [{ id: 'camp_1', campaign_type: 'LOYALTY_PROGRAM' }], total: 1 },
      }
    return { status: 200, body: { id: 'exp_1', status: 'IN_PROGRESS' } }
  })
  const client = openAccount(keysAt(base), { signal: stop.signal })
  const copied = downloadAccount({
    keys: keysAt(base),
    client: {
      ...client,
      // Hours instead of seconds: nothing but the interruption ends the wait.
      wait: (seconds) => {
        setImmediate(() => stop.abort(new Error('stopped')))
        return client.wait(seconds * 100_000)
      },
    },
    folder: await newFolder(),
    only: ['campaigns', 'points-expirations'],
    now: Date.now,
    onProgress: () => {},
  })
  await expect(copied).rejects.toThrow()
})

/** Copies lists, and holds at most a megabyte. */
const copyHolding = (base: string, folder: AccountFolder, ...lists: string[]) =>
  downloadAccount({
    keys: keysAt(base),
    client: openAccount(keysAt(base), { held_bytes_max: 1_000_000 }),
    folder,
    only: lists,
    now: Date.now,
    onProgress: () => {},
  })

test('rows that are large are read in shorter periods, so that no more than the limit is held', async () => {
  const customers = rowsOf('cust_', 2_000).map((row) => ({ ...row, note: 'x'.repeat(2_000) }))
  const { base } = await serveAccount((url) => pageOf(customers, url))
  const folder = await newFolder()
  const { lists } = await copyHolding(base, folder, 'customers')
  expect(lists.customers).toMatchObject({ rows: 2_000, unreachable: 0 })
  expect((await idsIn(folder, 'customers')).sort()).toEqual(idsOf(customers))
})

test('a list whose pages are larger than the limit ends the copy, and no further page is asked for', async () => {
  const orders = rowsOf('ord_', 5_000).map((row) => ({ ...row, note: 'x'.repeat(2_000) }))
  const { base, requests } = await serveAccount((url) => pageOf(orders, url))
  await expect(copyHolding(base, await newFolder(), 'orders')).rejects.toThrow(
    'The pages of /v1/orders have more than 1000000 bytes together',
  )
  expect(requests.length).toBeLessThan(12)
})

test('pages of a list that is refused in the middle do not count as held by the next list', async () => {
  const large = (prefix: string) => rowsOf(prefix, 4).map((row) => ({ ...row, note: 'x'.repeat(100_000) }))
  const { base } = await serveAccount((url, request) => {
    if (url.pathname.startsWith('/v1/products/prod_000002')) return { status: 403, body: {} }
    if (url.pathname === '/v1/products') return withChildren(url, request)
    return pageOf(large(url.pathname === '/v1/orders' ? 'ord_' : 'sku_'), url)
  })
  const folder = await newFolder()
  // Two pages of SKUs have 800,000 bytes, and so may be held together; with that of the orders it is more than a megabyte.
  const { lists, refused } = await copyHolding(base, folder, 'products', 'skus', 'orders')
  expect(refused.skus).toContain('answered with 403')
  expect(lists.orders).toMatchObject({ rows: 4, is_done: true })
})

test('a folder belongs to one account', async () => {
  const { base } = await serveAccount(() => null)
  const folder = await newFolder()
  await copyAccount(keysAt(base), folder, ['customers'])
  await expect(copyAccount({ ...keysAt(base), app_id: 'other' }, folder)).rejects.toThrow(
    'has the copy of another account',
  )
})

test('nothing but reading is asked of the account, with its keys in headers', async () => {
  const seen: Array<Record<string, unknown>> = []
  const { base, requests } = await serveAccount((_, { headers }) => {
    seen.push(headers)
    return { status: 200, body: { object: 'list', data_ref: 'data', data: [], total: 0 } }
  })
  await copyAccount(keysAt(base), await newFolder())
  expect(requests.every((request) => request.startsWith('GET ') && !request.includes('token'))).toBe(true)
  expect(seen.every((headers) => headers['x-app-id'] === 'app' && headers['x-app-token'] === 'token')).toBe(true)
})

const codesOf = (campaignId: string | null): Row[] =>
  rowsOf(`v_${campaignId}_`, 250).map((row) => ({ ...row, campaign_id: campaignId }))

test.each<[string, (loose: Row[], all: Row[], url: URL) => Reply]>([
  ['knows the filter', (loose, _, url) => pageOf(loose, url)],
  ['refuses the filter', () => ({ status: 400, body: { key: 'invalid_query_params' } })],
  ['ignores the filter', (_, all, url) => pageOf(all, url)],
  ['finds nothing by the filter', (_, __, url) => pageOf([], url)],
])(
  'codes are read campaign by campaign, then those without one, then those of campaigns that are gone, each once: the account %s',
  async (_, filtered) => {
    const [first, gone, loose] = [codesOf('camp_a'), codesOf('camp_gone'), codesOf(null)]
    const all = [...first, ...gone, ...loose]
    const { base, requests } = await serveAccount((url) => {
      if (url.pathname === '/v1/campaigns')
        return pageOf([{ id: 'camp_a', created_at: '2025-01-01T00:00:00.000Z' }], url)
      if (url.searchParams.has('campaign_id')) return pageOf(first, url)
      return url.search.includes('is_unknown') ? filtered(loose, all, url) : pageOf(all, url)
    })
    const folder = await newFolder()
    const { lists } = await copyAccount(keysAt(base), folder, ['campaigns', 'vouchers'])
    expect((await idsIn(folder, 'vouchers')).sort()).toEqual(idsOf(all).sort())
    expect(lists.vouchers?.rows).toBe(750)
    expect(requests.some((request) => request.includes('campaign_id=camp_a'))).toBe(true)
  },
)

/** An account with a list of parents and their children, which are rows of `parent`. */
const withChildren: Answering = (url) => {
  if (url.pathname === '/v1/products') return pageOf(rowsOf('prod_', 3), url)
  const [, parent] = /^\/v1\/products\/(\w+)\/skus$/.exec(url.pathname) ?? []
  return parent === undefined ? null : pageOf(rowsOf(`sku_${parent}_`, 2), url)
}

test('a list that was not read for a reason of ours is read once the reason is gone, and no longer refused', async () => {
  const { base } = await serveAccount((url) => withChildren(url, { method: 'GET', headers: {}, body: '' }))
  const folder = await newFolder()
  const { refused } = await copyAccount(keysAt(base), folder, ['event-schemas', 'skus'])
  expect(refused).toEqual({
    'event-schemas': 'no management keys were given',
    skus: 'it belongs to the list products, which was not read',
  })
  const { base: managed } = await serveAccount((url, request) =>
    url.pathname.startsWith('/management/')
      ? { status: 200, body: { data_ref: 'data', data: [{ id: 'ms_1' }] } }
      : withChildren(url, request),
  )
  await folder.saveState('download', { ...(await folder.readState('download')), base: managed })
  const keys = { ...keysAt(managed), management: { id: 'id', token: 'token', project_id: 'proj_1' } }
  const state = await copyAccount(keys, folder, ['event-schemas', 'products', 'skus'])
  expect(state.refused).toEqual({})
  expect(await idsIn(folder, 'event-schemas')).toEqual(['ms_1'])
  expect(await idsIn(folder, 'skus')).toHaveLength(6)
})

test('publications beyond the last page are read campaign by campaign, each once, also after an interruption', async () => {
  const rows = rowsOf('pub_', 20_100).map((row, n) => ({ ...row, campaign: `camp_${n % 3}` }))
  const [stop, lanes] = [new AbortController(), new Set<string>()]
  const { base } = await serveAccount((url) => {
    const { searchParams } = url
    if (url.pathname === '/v1/campaigns')
      // One of them is gone: what only its pages would reach is counted.
      return pageOf(
        ['camp_0', 'camp_1'].map((name, n) => ({ id: `camp_${n}`, name, created_at: rows[n]?.created_at ?? '' })),
        url,
      )
    const [campaign, page] = [searchParams.get('campaign'), Number(searchParams.get('page'))]
    if (campaign !== null) lanes.add(campaign)
    if (lanes.size === 2) stop.abort(new Error('stopped'))
    const found = campaign === null ? rows : rows.filter((row) => row.campaign === campaign)
    const from = 100 * (page - 1)
    const data = searchParams.get('order')?.startsWith('-')
      ? found.slice(Math.max(0, found.length - from - 100), found.length - from)
      : found.slice(from, from + 100)
    return { status: 200, body: { data_ref: 'data', data, total: found.length } }
  })
  const stored = await newFolder()
  const reads: string[] = []
  const folder: AccountFolder = {
    ...stored,
    batches(list, checkpoint, size) {
      reads.push(list)
      return stored.batches(list, checkpoint, size)
    },
  }
  await expect(copyAccount(keysAt(base), folder, ['campaigns', 'publications'], stop.signal)).rejects.toThrow()
  reads.length = 0
  const { lists } = await copyAccount(keysAt(base), folder, ['campaigns', 'publications'])
  // Not once for each campaign: an account may have thousands.
  expect(reads).toEqual(['campaigns', 'publications'])
  // 300 lie between the ends, a third of them of each campaign.
  expect(lists.publications).toMatchObject({ rows: 20_000, unreachable: 100, is_done: true })
  expect(new Set(await idsIn(folder, 'publications')).size).toBe(20_000)
})

test('lists of parents that the account does not have are counted', async () => {
  const { base } = await serveAccount((url, request) =>
    url.pathname.includes('prod_000001') ? null : withChildren(url, request),
  )
  const folder = await newFolder()
  const { lists } = await copyAccount(keysAt(base), folder, ['products', 'skus'])
  expect(lists.skus).toMatchObject({ rows: 4, missing: 1 })
})
