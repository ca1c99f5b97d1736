import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { chromium, type Page } from 'playwright-core'
import { expect, inject, onTestFinished, test } from 'vitest'
import { newContext } from '../../dashboard/journeys/ground/browser-context.ts'
import { type Shop, startShop } from '../../dashboard/journeys/ground/shop.ts'
import { createGuerdon, type createGuerdonClientSide, unwrap } from '../src/index.ts'
import { bundle } from './bundle.ts'

const { browser: endpoint, templates } = inject('journeys')

/** What the bundle sets on a page. */
interface PageGlobals {
  guerdon: { createGuerdonClientSide: typeof createGuerdonClientSide }
}

type Key = { app_id: string; secret: string }

test.runIf(endpoint !== null)(
  'a page of another origin validates and redeems with its client key, in strict mode, and proves its customer',
  async () => {
    const shop = await startShop({ filling: 'nothing', templates, env: { AUTH_MODE: 'strict' } })
    onTestFinished(shop.close)
    const page = await openPage(shop)
    const project = `/projects/${shop.project_id}`
    await shop.manage('PUT', project, {
      client_trusted_domains: ['127.0.0.1'],
      client_redeem_enabled: true,
      client_identity: 'proven',
    })
    const serverKey = await newKey(shop, 'server')
    const guerdon = createGuerdon({
      baseUrl: shop.address,
      applicationId: serverKey.app_id,
      secretKey: serverKey.secret,
    })
    const discount = { type: 'PERCENT', percent_off: 25 } as const
    unwrap(await guerdon.createVoucherWithCode({ code: 'PAGE' }, { type: 'DISCOUNT_VOUCHER', discount }))
    const { id } = unwrap(await guerdon.createCustomer({ source_id: 'ann' }))
    const { tracking_id: trackingId } = unwrap(await guerdon.issueTrackingId({ customerId: id }))

    const outcome = await page.evaluate(
      async ({ baseUrl, key, proof }) => {
        const { guerdon: library } = window as unknown as PageGlobals
        const client = library.createGuerdonClientSide({
          baseUrl,
          clientApplicationId: key.app_id,
          clientSecretKey: key.secret,
          trackingId: proof,
        })
        const cart = { redeemables: [{ object: 'voucher' as const, id: 'PAGE' }], order: { amount: 4_000 } }
        const validated = await client.validateRedeemablesOnClient(cart)
        const redeemed = await client.redeemOnClient(cart)
        const refused = await client.redeemOnClient({ ...cart, redeemables: [{ object: 'voucher', id: 'NOPE' }] })
        return {
          valid: validated.ok && validated.data.valid,
          total: redeemed.ok ? redeemed.data.order?.total_amount : redeemed.error,
          requestId: redeemed.ok && redeemed.requestId,
          refusal: !refused.ok && refused.error.key,
        }
      },
      { baseUrl: shop.address, key: await newKey(shop, 'client'), proof: trackingId },
    )
    expect(outcome).toEqual({
      valid: true,
      total: 3_000,
      requestId: expect.stringMatching(/^v-/),
      refusal: 'not_found',
    })
    const { redemptions } = unwrap(await guerdon.listRedemptions())
    expect(redemptions.filter(({ result }) => result === 'SUCCESS')).toMatchObject([{ customer_id: id }])
  },
)

/** An empty page of another origin that has loaded the client, in the browser of the journeys. */
async function openPage(shop: Shop): Promise<Page> {
  const script = await bundle('iife')
  const server = createServer(({ url }, response) => {
    const isScript = url === '/guerdon.js'
    response.writeHead(200, { 'Content-Type': isScript ? 'text/javascript' : 'text/html' })
    response.end(isScript ? script : '<!doctype html><script src="/guerdon.js"></script>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const browser = await chromium.connect(endpoint as string)
  onTestFinished(() => browser.close())
  const page = await (await newContext(browser, shop)).newPage()
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  return page
}

const newKey = (shop: Shop, kind: string): Promise<Key> =>
  shop.manage('POST', `/projects/${shop.project_id}/api-keys`, { name: `The ${kind}`, kind })
