import { newProject, type Shop } from '../../server/src/testing/app.ts'
import { createGuerdon, createGuerdonClientSide, type Guerdon, type GuerdonClientSide } from '../src/index.ts'
import { type FlakyProxy, openFlakyProxy } from './flaky-proxy.ts'

export interface OpenShop {
  shop: Shop
  /** Between the clients and the service: it records and disturbs. */
  proxy: FlakyProxy
  guerdon: Guerdon
  clientSide: GuerdonClientSide
  /** What a client of this shop is made with. */
  options: Parameters<typeof createGuerdon>[0]
}

/** What programs that are compiled without `exactOptionalPropertyTypes` may set a member to. */
export const notSet = undefined as never

/** Waits that a test need not wait out. */
const quick = { delayMs: 5 }

interface ShopOptions {
  env?: Record<string, string>
  project?: Record<string, unknown>
}

/** A project on a service that listens, in strict mode unless `env` says otherwise, and clients of it. */
export async function openShop({ env = {}, project = {} }: ShopOptions = {}): Promise<OpenShop> {
  const shop = await newProject({
    env: { AUTH_MODE: 'strict', CLIENT_RATE_LIMIT: '', ...env },
    project: { client_trusted_domains: ['shop.example'], ...project },
  })
  const { server } = shop.service.app
  if (!server.listening) await shop.service.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = server.address() as { port: number }
  const proxy = await openFlakyProxy(port)
  const auth = env.AUTH_MODE === 'either' ? ('either' as const) : ('strict' as const)
  const options = {
    baseUrl: proxy.url,
    applicationId: shop.app_id,
    secretKey: shop.app_token,
    managementId: shop.management_id,
    managementSecret: shop.management_token,
    auth,
    retry: quick,
  }
  const clientSide = createGuerdonClientSide({
    baseUrl: proxy.url,
    clientApplicationId: shop.client_id,
    clientSecretKey: shop.client_token,
    auth,
    retry: quick,
    // Browsers send it by themselves.
    headers: { Origin: 'https://shop.example' },
  })
  return { shop, proxy, guerdon: createGuerdon(options), clientSide, options }
}
