import { type Connection, call } from './call.ts'
import { isSafe, takesForm } from './operation.ts'
import type { Outcome } from './result.ts'
import type { Credentials } from './send.ts'
import { type Token, tokenSource } from './token.ts'

type Authorise = Connection['authorise']

export const withHeaders =
  (headers: Record<string, string>): Authorise =>
  async () => ({ ok: true, data: { headers } })

const tokenOperation = { method: 'POST', path: '/v1/oauth/token', traits: takesForm + isSafe }

export interface AuthOptions {
  /** The service's AUTH_MODE: `strict` (default) exchanges the key for tokens, `either` sends the key alone. */
  auth?: 'strict' | 'either'
}

/** The pair of an application key, and in strict mode a token that it was exchanged for. */
export function withApplicationKey(
  connection: Omit<Connection, 'authorise'> & AuthOptions,
  id = '',
  secret = '',
  scope = 'api',
): Authorise {
  const pair = { 'X-App-Id': id, 'X-App-Token': secret }
  const authorise = withHeaders(pair)
  if (connection.auth === 'either') return authorise
  const { get, drop } = tokenSource(
    () =>
      call({ ...connection, authorise }, tokenOperation, {
        path: undefined,
        input: { grant_type: 'client_credentials', scope },
        options: {},
      }) as Promise<Outcome<Token>>,
  )
  return async (path): Promise<Outcome<Credentials>> => {
    // The operations about tokens take the pair alone.
    if (path.startsWith('/v1/oauth/')) return authorise(path)
    const token = await get()
    if (!token.ok) return token
    const headers = { ...pair, Authorization: `Bearer ${token.data}` }
    return { ok: true, data: { headers, renew: () => drop(token.data) } }
  }
}
