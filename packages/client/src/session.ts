import { withHeaders } from './credentials.ts'
import type { ServerOperations, SessionOperations } from './generated/operations.ts'
import { serverTree, sessionTree } from './generated/tree.ts'
import type { CommonOptions } from './guerdon.ts'
import { type Methods, methodsOf } from './methods.ts'

export interface GuerdonSessionOptions extends Omit<CommonOptions, 'baseUrl'> {
  /** Default: the origin of the page. */
  baseUrl?: string
  /** The project to work in. */
  projectId?: string
}

export type GuerdonSession = Methods<SessionOperations & ServerOperations>

/** The client of a person who is signed in, on a page of the service's own origin: the cookie of the session admits. */
export function createGuerdonSession({
  projectId,
  baseUrl = '',
  ...options
}: GuerdonSessionOptions = {}): GuerdonSession {
  return methodsOf<SessionOperations & ServerOperations>(`${sessionTree}\n${serverTree}`, {
    ...options,
    baseUrl,
    credentials: 'same-origin',
    authorise: withHeaders(projectId ? { 'X-Project-Id': projectId } : {}),
  })
}
