import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { newId } from '../../core/lib/ids.ts'
import { newProject, type Shop, send } from '../../testing/app.ts'
import { assertQuietZone, modulesOf, readPng, readSvg, scanBarcode, scanQr } from '../../testing/scan.ts'
import { assetsOf } from './urls.ts'

/** Inserts a voucher, in a campaign if given; returns its asset id. */
async function insertCode({ service, project_id }: Shop, code: string, campaignId: string | null = null) {
  const assetId = randomUUID()
  await service.runtime.database.db
    .insertInto('vouchers')
    .values({
      project_id,
      id: newId('voucher'),
      code,
      code_key: code,
      type: 'DISCOUNT_VOUCHER',
      campaign_id: campaignId as `camp_${string}` | null,
      terms_id: newId('terms'),
      active: true,
      is_referral_code: false,
      asset_id: assetId,
      created_at: new Date().toISOString(),
    })
    .execute()
  return assetId
}

async function insertCampaign({ service, project_id }: Shop): Promise<string> {
  const id = newId('campaign')
  await service.runtime.database.db
    .insertInto('campaigns')
    .values({
      project_id,
      id,
      name: id,
      campaign_type: 'DISCOUNT_COUPONS',
      type: 'STATIC',
      voucher_type: 'DISCOUNT_VOUCHER',
      voucher: '{}',
      terms_id: newId('terms'),
      auto_join: false,
      join_once: false,
      use_voucher_metadata_schema: false,
      active: true,
      metadata: '{}',
      status: 'DONE',
      created_at: new Date().toISOString(),
      config_version: 1,
    })
    .execute()
  return id
}

/** Without credentials, like a mail client. */
async function image({ service }: Shop, path: string) {
  const { statusCode, headers, rawPayload } = await service.app.inject({ method: 'GET', url: `/v1/assets/${path}` })
  return { status: statusCode, headers, bytes: rawPayload }
}

async function qr(shop: Shop, assetId: string, size = 10) {
  const { status, bytes } = await image(shop, `qr/${assetId}?size=${size}`)
  expect(status).toBe(200)
  const modules = modulesOf(readPng(bytes), { width: size, height: size })
  assertQuietZone(modules, { x: 4, y: 4 })
  return scanQr(modules)
}

async function barcode(shop: Shop, assetId: string, size = 10) {
  const { status, bytes } = await image(shop, `barcode/${assetId}?size=${size}`)
  expect(status).toBe(200)
  const modules = modulesOf(readPng(bytes), { width: Math.ceil(size / 5), height: 10 * size })
  expect(modules).toHaveLength(1)
  assertQuietZone(modules, { x: 10, y: 0 })
  return scanBarcode(modules[0] as boolean[])
}

const isUnknown = { status: 404, body: { key: 'not_found', details: 'There is no such image' } }

test('a voucher contains the URLs of its images', () => {
  expect(assetsOf({ base_url: 'https://shop.example/guerdon' }, 'a1')).toEqual({
    qr: { id: 'a1', url: 'https://shop.example/guerdon/v1/assets/qr/a1' },
    barcode: { id: 'a1', url: 'https://shop.example/guerdon/v1/assets/barcode/a1' },
  })
})

describe('a scanner reads the exact code', () => {
  const codes: Array<[name: string, code: string]> = [
    ['letters and digits', 'SUMMER-2026'],
    ['one character', 'x'],
    ['digits, an even number and an odd one', '1234567890'],
    ['digits at last', 'AB12345'],
    ['small letters and signs', 'aB/3_$%^FNC1"\'<>&`{|}~'],
    ['what looks like an escape', '^065^NUL\\x41%00'],
    ['blanks inside', 'two  words'],
    ['255 letters', 'k'.repeat(255)],
    ['255 digits', '7'.repeat(255)],
    ['255 mixed', `${'aB3$'.repeat(63)}end`],
  ]
  test.each(codes)('%s', async (_, code) => {
    const shop = await newProject()
    const assetId = await insertCode(shop, code)
    expect(await qr(shop, assetId, 3)).toEqual({ text: code, level: 'M' })
    expect(await barcode(shop, assetId, 3)).toBe(code)
  })

  const beyondAscii: Array<[name: string, code: string]> = [
    ['umlauts', 'GRÜSSE'],
    ['Chinese, whose bytes look like Shift JIS', '中文优惠券'.repeat(17)],
    ['an emoji', '🎁'],
    ['63 emoji', '🎁'.repeat(63)],
    ['half-width kana', 'ｱｲｳｴｵ'],
    ['a BOM in the middle', 'a\ufeffb'],
  ]
  test.each(beyondAscii)('%s: as a QR code, but not as a bar code', async (_, code) => {
    const shop = await newProject()
    const assetId = await insertCode(shop, code)
    expect(await qr(shop, assetId, 2)).toEqual({ text: code, level: 'M' })
    expect(await send(shop.service.app, 'GET', `/v1/assets/barcode/${assetId}`)).toMatchObject(isUnknown)
  })
})

describe('size and format', () => {
  const sizes: Array<[size: number, module_px: number]> = [
    [1, 1],
    [5, 1],
    [6, 2],
    [10, 2],
    [11, 3],
    [37, 8],
    [100, 20],
  ]
  test.each(sizes)('at size %i a bar is a multiple of %i pixels wide', async (size, modulePx) => {
    const shop = await newProject()
    const assetId = await insertCode(shop, 'SIZE-1')
    const png = readPng((await image(shop, `qr/${assetId}?size=${size}`)).bytes)
    // 21 modules, the smallest QR code there is, and four on either side.
    expect([png.width, png.height]).toEqual([29 * size, 29 * size])
    const bars = readPng((await image(shop, `barcode/${assetId}?size=${size}`)).bytes)
    // Six characters of 11 modules, start, check and stop, and ten on either side.
    expect([bars.width, bars.height]).toEqual([(6 * 11 + 11 + 11 + 13 + 20) * modulePx, 10 * size])
    expect(await qr(shop, assetId, size)).toMatchObject({ text: 'SIZE-1' })
    expect(await barcode(shop, assetId, size)).toBe('SIZE-1')
  })

  test('SVG and PNG agree pixel by pixel; the default is PNG of size 10', async () => {
    const shop = await newProject()
    const assetId = await insertCode(shop, '<svg onload="alert(1)">&')
    for (const kind of ['qr', 'barcode']) {
      const unasked = await image(shop, `${kind}/${assetId}`)
      expect(unasked.bytes).toEqual((await image(shop, `${kind}/${assetId}?size=10&format=png`)).bytes)
      for (const size of [1, 10]) {
        const png = readPng((await image(shop, `${kind}/${assetId}?size=${size}`)).bytes)
        const text = (await image(shop, `${kind}/${assetId}?size=${size}&format=svg`)).bytes.toString()
        expect(text).not.toContain('alert')
        const svg = readSvg(text)
        const one = { width: 1, height: 1 }
        expect(modulesOf(svg, one)).toEqual(modulesOf(png, one))
      }
    }
  })

  test('an image may be cached publicly for a day', async () => {
    const shop = await newProject()
    const assetId = await insertCode(shop, 'KEEP')
    for (const [query, type, name] of [
      ['', 'image/png', 'qr.png'],
      ['?format=svg', 'image/svg+xml', 'qr.svg'],
    ]) {
      const { status, headers, bytes } = await image(shop, `qr/${assetId}${query}`)
      expect(status).toBe(200)
      expect(headers).toMatchObject({
        'content-type': type,
        'content-length': String(bytes.length),
        'content-disposition': `inline; filename="${name}"`,
        'cache-control': 'public, max-age=86400',
        'x-content-type-options': 'nosniff',
      })
    }
    const head = await send(shop.service.app, 'HEAD', `/v1/assets/barcode/${assetId}`)
    expect(head).toMatchObject({ status: 200, body: null, headers: { 'content-type': 'image/png' } })
  })

  test.each([
    'size=0',
    'size=101',
    'size=-1',
    'size=1.5',
    'size=ten',
    'size=1e9',
    'size[a]=1',
    'size=1&size=2',
    'format=gif',
    'format=PNG',
  ])('an invalid query (%s) is refused whether or not the image exists', async (query) => {
    const shop = await newProject()
    const assetId = await insertCode(shop, 'NONE')
    for (const id of [assetId, randomUUID()])
      for (const kind of ['qr', 'barcode'])
        expect(await send(shop.service.app, 'GET', `/v1/assets/${kind}/${id}?${query}`)).toMatchObject({
          status: 400,
          body: { key: 'invalid_query_params' },
        })
  })

  test('the largest possible image does not block other requests', async () => {
    const shop = await newProject()
    const assetId = await insertCode(shop, '🎁'.repeat(63))
    const { status, bytes } = await image(shop, `qr/${assetId}?size=100`)
    expect(status).toBe(200)
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([7_300, 7_300])
    expect(bytes.length).toBeLessThan(500_000)
  })
})

describe('there is no image', () => {
  const paths = (id: string) => [`/v1/assets/qr/${id}`, `/v1/assets/barcode/${id}`]

  test.each([
    randomUUID(),
    'nothing',
    '%20',
    "'",
    'a'.repeat(3_000),
    '00000000-0000-0000-0000-00000000000g',
    '{00000000-0000-0000-0000-000000000000}',
  ])('for an unknown id: %s', async (id) => {
    const shop = await newProject()
    for (const path of paths(id)) {
      const answer = await send(shop.service.app, 'GET', path)
      expect(answer).toMatchObject({ status: 404, body: { key: 'not_found' } })
      expect(answer.headers).toMatchObject({ 'cache-control': 'no-store' })
    }
  })

  test('for a code of more than 255 bytes', async () => {
    const shop = await newProject()
    const assetId = await insertCode(shop, '🎁'.repeat(64))
    for (const path of paths(assetId)) expect(await send(shop.service.app, 'GET', path)).toMatchObject(isUnknown)
  })

  test('for a voucher in the bin, or whose campaign or project is deleted', async () => {
    const shop = await newProject()
    const { db } = shop.service.runtime.database
    const campaignId = await insertCampaign(shop)
    const [binned, inside, outside] = [
      await insertCode(shop, 'BINNED'),
      await insertCode(shop, 'INSIDE', campaignId),
      await insertCode(shop, 'OUTSIDE'),
    ]
    const statuses = async () => {
      const found: number[] = []
      for (const path of [binned, inside, outside].flatMap(paths))
        found.push((await send(shop.service.app, 'GET', path)).status)
      return found
    }
    expect(await statuses()).toEqual([200, 200, 200, 200, 200, 200])
    const now = new Date().toISOString()
    await db.updateTable('vouchers').set({ deleted_at: now }).where('asset_id', '=', binned).execute()
    expect(await statuses()).toEqual([404, 404, 200, 200, 200, 200])
    await db.updateTable('campaigns').set({ deleted_at: now }).where('project_id', '=', shop.project_id).execute()
    expect(await statuses()).toEqual([404, 404, 404, 404, 200, 200])
    await send(shop.service.app, 'DELETE', `/management/v1/projects/${shop.project_id}`, undefined, shop.management)
    expect(await statuses()).toEqual([404, 404, 404, 404, 404, 404])
  })
})
