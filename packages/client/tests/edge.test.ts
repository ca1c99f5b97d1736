import { createContext, runInContext } from 'node:vm'
import { expect, test } from 'vitest'
import { bundle } from './bundle.ts'
import { openShop } from './open-shop.ts'

/** What browsers, Deno and edge runtimes have in common. */
const webGlobals = {
  AbortSignal,
  Blob,
  FormData,
  Headers,
  Response,
  TextEncoder,
  URLSearchParams,
  atob,
  crypto,
  fetch,
  setTimeout,
}

test('the client runs where there are only web interfaces: no Node, no DOM', async () => {
  const { shop, proxy } = await openShop()
  const context = createContext({ ...webGlobals, keys: { ...shop, service: undefined }, baseUrl: proxy.url })
  runInContext(await bundle('iife'), context)
  const outcome = await runInContext(
    `(async () => {
      const shop = guerdon.createGuerdon({ baseUrl, applicationId: keys.app_id, secretKey: keys.app_token })
      const discount = { type: 'AMOUNT', amount_off: 100 }
      guerdon.unwrap(await shop.createVoucherWithCode({ code: 'EDGE' }, { type: 'DISCOUNT_VOUCHER', discount }))
      const form = new FormData()
      form.set('file', new Blob(['source_id,name\\nann,Ann\\n'], { type: 'text/csv' }), 'customers.csv')
      guerdon.unwrap(await shop.importCustomersCsv(form))
      const redeemed = await shop.redeem({ redeemables: [{ object: 'voucher', id: 'EDGE' }], order: { amount: 300 } })
      const codes = []
      for await (const { code } of shop.listVouchers.each()) codes.push(code)
      const forged = await guerdon.verifyWebhook('{}', new Headers({ 'webhook-id': 'a',
        'webhook-timestamp': String(Date.now() / 1000), 'webhook-signature': 'v1,YWJj' }), 'secret')
      return JSON.stringify({ total: redeemed.data.order.total_amount, codes, forged: forged.error.key })
    })()`,
    context,
  )
  expect(JSON.parse(outcome)).toEqual({ total: 200, codes: ['EDGE'], forged: 'wrong_signature' })
})
