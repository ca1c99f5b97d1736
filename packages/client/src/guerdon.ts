import type { SharedOptions } from './call.ts'
import { type AuthOptions, withApplicationKey, withHeaders } from './credentials.ts'
import type { ClientOperations, ServerOperations } from './generated/operations.ts'
import { clientTree, serverTree } from './generated/tree.ts'
import { type Methods, methodsOf } from './methods.ts'

export interface CommonOptions extends SharedOptions {
  /** Where the service is: `https://guerdon.example`. */
  baseUrl: string
  /** Another `fetch` than the global one, for proxies, logs and tests. */
  fetch?: typeof fetch
}

interface ApplicationKey {
  applicationId: string
  secretKey: string
}

/** For the operations below `/management/v1`. */
interface ManagementKey {
  managementId: string
  managementSecret: string
}

/** A server has an application key, a management key, or both. */
export type GuerdonOptions = CommonOptions &
  AuthOptions & {
    /** What the tokens admit to. Default: `api`, everything that the key's role allows. */
    scope?: string
  } & ((ApplicationKey & Partial<ManagementKey>) | (ManagementKey & Partial<ApplicationKey>))

export type Guerdon = Methods<ServerOperations>

/** The client of a server: `/v1` and `/management/v1`. */
export function createGuerdon(options: GuerdonOptions): Guerdon {
  const { applicationId, secretKey, managementId = '', managementSecret = '', scope } = options
  const application = withApplicationKey(options, applicationId, secretKey, scope)
  const management = withHeaders({ 'X-Management-Id': managementId, 'X-Management-Token': managementSecret })
  return methodsOf<ServerOperations>(serverTree, {
    ...options,
    authorise: (path) => (path.startsWith('/management/') ? management(path) : application(path)),
  })
}

export interface GuerdonClientSideOptions extends CommonOptions, AuthOptions {
  clientApplicationId: string
  clientSecretKey: string
  /** The proof of who the customer is, from `issueTrackingId` of the server: sent with every operation that takes one. */
  trackingId?: string
}

export type GuerdonClientSide = Methods<ClientOperations>

/** The client of a page: `/client/v1` only. The key is public; what it may do is up to the project. */
export function createGuerdonClientSide(options: GuerdonClientSideOptions): GuerdonClientSide {
  const { clientApplicationId, clientSecretKey } = options
  return methodsOf<ClientOperations>(clientTree, {
    ...options,
    authorise: withApplicationKey(options, clientApplicationId, clientSecretKey, 'client_api'),
  })
}
