/* What must compile and what must not: `npm run check` compiles this file, nothing runs it. */
import { createGuerdon, createGuerdonClientSide, GuerdonError, unwrap, verifyWebhook } from '../src/index.ts'

const guerdon = createGuerdon({ baseUrl: '', applicationId: '', secretKey: '' })
const clientSide = createGuerdonClientSide({ baseUrl: '', clientApplicationId: '', clientSecretKey: '' })

export async function calls(): Promise<void> {
  const voucher = unwrap(await guerdon.getVoucher({ code: 'A' }))
  voucher.code satisfies string
  // @ts-expect-error: a voucher has no such member
  voucher.kode
  // @ts-expect-error: the path has a parameter
  guerdon.getVoucher()
  // @ts-expect-error: of another name
  guerdon.getVoucher({ voucherId: 'A' })

  guerdon.redeem({ redeemables: [{ object: 'voucher', id: 'A' }], order: { amount: 100 } })
  // @ts-expect-error: a redemption needs redeemables
  guerdon.redeem({ order: { amount: 100 } })
  // @ts-expect-error: no such kind of redeemable
  guerdon.redeem({ redeemables: [{ object: 'vouchers', id: 'A' }] })
  // @ts-expect-error: no such member of an order
  guerdon.redeem({ redeemables: [{ object: 'voucher', id: 'A' }], order: { ammount: 100 } })

  guerdon.listVouchers()
  guerdon.listVouchers({ limit: 5, created_at: { after: '2026-01-01' } }, { timeoutMs: 500 })
  // @ts-expect-error: no such order
  guerdon.listVouchers({ order: 'colour' })
  // @ts-expect-error: its query is required
  guerdon.searchProject()
  // @ts-expect-error: an operation without a query has none among its options
  guerdon.enableVoucher({ code: 'A' }, { query: {} })

  clientSide.redeemVoucherOnClient({ order: { amount: 100 } }, { query: { code: 'A' } })
  // @ts-expect-error: the code is in its query
  clientSide.redeemVoucherOnClient({ order: { amount: 100 } })
  // @ts-expect-error: a page has no operation of the server side
  clientSide.redeem({ redeemables: [] })

  for await (const row of guerdon.listVouchers.each({ limit: 5 })) row.code satisfies string
  // @ts-expect-error: no list
  guerdon.getVoucher.each({ code: 'A' })
}

export async function results(): Promise<void> {
  const result = await guerdon.getVoucher({ code: 'A' })
  // @ts-expect-error: whether there are data is not known yet
  result.data
  if (result.ok) result.data.code satisfies string
  else if (result.error.kind === 'refused') result.error.resource_id satisfies string | undefined
  else result.error.cause satisfies unknown
  if (!result.ok) throw new GuerdonError(result.error)

  const verified = await verifyWebhook('', {}, '')
  if (verified.ok && verified.data.type === 'redemption.succeeded') verified.data.data.redemption.id satisfies string
  // @ts-expect-error: no such event
  if (verified.ok && verified.data.type === 'redemption.suceeded') return
}

// @ts-expect-error: no key at all
createGuerdon({ baseUrl: '' })
createGuerdon({ baseUrl: '', managementId: '', managementSecret: '' })
