import { type Connection, call } from './call.ts'
import { isSafe, takesForm } from './operation.ts'
import type { Outcome } from './result.ts'
import type { Credentials } from './send.ts'
import { type Token, tokenSource } from './token.ts'

type Authorise = Connection['authorise']

export const withHeaders =
  (headers: Record<string, string>): Authorise =>
  async () => ({ ok: true, data: { headers } })

export const applicationHeaders = (id = '', secret = ''): Record<string, string> => ({
  'X-App-Id': id,
  'X-App-Token': secret,
})

const tokenOperation = { method: 'POST', path: '/v1/oauth/token', traits: takesForm + isSafe }

/** The pair of an application key, and in strict mode a token that it was exchanged for. */
export function withToken(
  connection: Omit<Connection, 'authorise'>,
  pair: Record<string, string>,
  scope: string,
): Authorise {
  const authorise = withHeaders(pair)
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
