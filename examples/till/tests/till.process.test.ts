import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createGuerdon, type Guerdon, unwrap } from '@guerdon/client'
import { expect, onTestFinished, test, vi } from 'vitest'
import { newProject, type Shop } from '../../../packages/server/src/testing/app.ts'
import { startExample } from '../../testing/start-example.ts'
import { openJournal } from '../src/journal.ts'
import { prepareOffers } from '../src/offers.ts'
import { reportOf } from '../src/report.ts'
import { sell } from '../src/sell.ts'
import { settle } from '../src/settle.ts'
import { type Snapshot, takeSnapshot } from '../src/snapshot.ts'

test('the till sells while the service is stopped, settles when it runs again, and reports what was granted but refused', async () => {
  const till = startExample('till')
  expect(await till.ended).toBe(0)
  expect(till.lines).toEqual([
    'Snapshot: 2 products, 1 promotions, 1 codes',
    'Offline: no answer (network)',
    expect.stringMatching(/^Sold for 39\.15: Promotion promo_\w+ takes 4\.35 off/), // 3 × 14.50 less 10 %
    expect.stringMatching(/^Sold for 11\.60: Voucher ONCE takes 2\.90 off/), // 14.50 less 20 %
    'Sold for 19.99: Voucher ONCE cannot be used: quantity exceeded (redemption.quantity: 1 of 1).',
    'Sold for 19.99: Voucher NOPE cannot be used: resource not found.',
    '4 sales wait for the service',
    'Online: the service answers',
    '4 sales are settled; the service agrees with 3.',
    expect.stringMatching(/^Sale [\w-]{36}: 2\.90 was granted and is refused: quantity exceeded$/),
  ])
})

test('a settlement whose answer is lost is done again, and nothing is redeemed twice', async () => {
  const { shop, guerdon, snapshot, file } = await openTill()
  const journal = openJournal(file)
  const { sale } = sell(snapshot, journal, { items: { 'till-mug': 1 }, codes: ['ONCE'] })
  const deaf = clientOf(shop, async (...request) => {
    const answer = await fetch(...request)
    if (String(request[0]).endsWith('/v1/redemptions')) throw new TypeError('The connection was cut')
    return answer
  })
  await expect(settle(deaf, journal)).rejects.toThrow('no_answer')
  journal.close()

  // Switched off and on, in the middle of writing a line.
  appendFileSync(file, '{"settlement":{"sale_id":"')
  const reopened = openJournal(file)
  expect(reopened.pending()).toEqual([sale])
  await settle(guerdon, reopened)
  await settle(guerdon, reopened)
  expect(reportOf(reopened.settlements())).toEqual(['1 sales are settled; the service agrees with 1.'])
  reopened.close()
  const { redemption } = unwrap(await guerdon.getVoucher({ code: 'ONCE' }))
  expect(redemption?.redeemed_quantity).toBe(1)
  expect(unwrap(await guerdon.getOrder({ orderId: sale.id }))).toMatchObject({ status: 'PAID', total_amount: 1_160 })
})

test('a refused sale is stored as it was paid, and a changed discount is reported', async () => {
  const { guerdon, snapshot, file } = await openTill()
  const journal = openJournal(file)
  const { sale: changed } = sell(snapshot, journal, { items: { 'till-shirt': 1 }, codes: ['ONCE'] })
  expect(changed.total).toBe(1_599) // 19.99 less 4.00 (3.998)
  const discount = { type: 'PERCENT', percent_off: 50 } as const
  unwrap(await guerdon.updateVoucher({ code: 'ONCE' }, { discount }))
  await settle(guerdon, journal)
  const { promotions } = snapshot
  const { sale: refused } = sell(snapshot, journal, { items: { 'till-mug': 4 }, codes: [] })
  expect(refused.total).toBe(5_220) // 58.00 less 10 %
  unwrap(await guerdon.disablePromotionTier({ promotionTierId: promotions[0]?.id ?? '' }))
  await settle(guerdon, journal)
  expect(reportOf(journal.settlements())).toEqual([
    '2 sales are settled; the service agrees with 0.',
    `Sale ${changed.id}: the till charged 15.99, the service counts 9.99`,
    expect.stringContaining(`Sale ${refused.id}: 5.80 was granted and is refused: `),
  ])
  journal.close()
  expect(unwrap(await guerdon.getOrder({ orderId: refused.id }))).toMatchObject({ status: 'PAID', total_amount: 5_220 })
})

test('the uses of a code at the till count once, whether they were settled before or after the snapshot', async () => {
  const { guerdon, shop, file } = await openTill()
  const discount = { type: 'PERCENT', percent_off: 20 } as const
  const twice = { type: 'DISCOUNT_VOUCHER', discount, redemption: { quantity: 2 } } as const
  unwrap(await guerdon.createVoucherWithCode({ code: 'TWICE' }, twice))
  const journal = openJournal(file)
  const snapshotNow = () => takeSnapshot(guerdon, { projectId: shop.project_id })
  const discountBy = (snapshot: Snapshot) =>
    sell(snapshot, journal, { items: { 'till-mug': 1 }, codes: ['TWICE'] }).sale.discount
  expect(discountBy(await snapshotNow())).toBe(290) // 20 % of 14.50
  await settle(guerdon, journal)
  // What is settled in the millisecond of a snapshot is counted twice rather than missed.
  const settledAt = journal.settlements().at(-1)?.settled_at ?? ''
  await vi.waitUntil(() => new Date().toISOString() > settledAt, { interval: 1 })
  const snapshot = await snapshotNow()
  expect(discountBy(snapshot)).toBe(290)
  await settle(guerdon, journal)
  expect(discountBy(snapshot)).toBe(0)
  journal.close()
})

test('what depends on the past or on collections is not granted offline', async () => {
  const { shop, guerdon } = await openTill()
  const counted = unwrap(
    await guerdon.createValidationRule({
      name: 'Once per customer',
      rules: { 1: { name: 'redemption.count.per_customer', conditions: { $less_than_or_equal: [1] } }, logic: '1' },
    }),
  )
  const discount = { type: 'AMOUNT', amount_off: 100 } as const
  unwrap(
    await guerdon.createVoucherWithCode(
      { code: 'COUNTED' },
      { type: 'DISCOUNT_VOUCHER', discount, validation_rules: [counted.id] },
    ),
  )
  const { vouchers } = await takeSnapshot(guerdon, { projectId: shop.project_id })
  expect(vouchers.map(({ id }) => id)).toEqual(['ONCE'])
})

interface OpenTill {
  shop: Shop
  guerdon: Guerdon
  snapshot: Snapshot
  /** Of the journal. */
  file: string
}

/** A till that has taken its snapshot. */
async function openTill(): Promise<OpenTill> {
  const shop = await newProject({ env: { AUTH_MODE: 'strict' } })
  if (!shop.service.app.server.listening) await shop.service.app.listen({ port: 0, host: '127.0.0.1' })
  const guerdon = clientOf(shop)
  await prepareOffers(guerdon)
  const folder = mkdtempSync(join(tmpdir(), 'guerdon-till-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const snapshot = await takeSnapshot(guerdon, { projectId: shop.project_id })
  return { shop, guerdon, snapshot, file: join(folder, 'journal.jsonl') }
}

function clientOf(shop: Shop, send: typeof fetch = fetch): Guerdon {
  const { port } = shop.service.app.server.address() as { port: number }
  return createGuerdon({
    baseUrl: `http://127.0.0.1:${port}`,
    applicationId: shop.app_id,
    secretKey: shop.app_token,
    managementId: shop.management_id,
    managementSecret: shop.management_token,
    fetch: send,
    retry: { attempts: 1 },
  })
}
