import type { Outcome } from './result.ts'

/** The answer to `POST /v1/oauth/token`, as far as it matters here. */
export interface Token {
  access_token: string
  expires_in: number
}

export interface TokenSource {
  /** A live token; calls that come while one is fetched wait for the same. */
  get(): Promise<Outcome<string>>
  /** The service refused this token: the next call fetches another, unless somebody else has done so meanwhile. */
  drop(token: string): void
}

/** Tokens are renewed this long before they end, or after four fifths of a short life. */
const marginMs = 60_000

export function tokenSource(fetchToken: () => Promise<Outcome<Token>>): TokenSource {
  let current: { token: string; until: number } | undefined
  let pending: Promise<Outcome<string>> | undefined

  async function renew(): Promise<Outcome<string>> {
    // `expires_in` from our own clock, not `expires_at`: the clock of a page may be wrong by hours.
    const startedAt = Date.now()
    const answer = await fetchToken()
    pending = undefined
    if (!answer.ok) return answer
    const { access_token: token, expires_in: seconds } = answer.data
    current = { token, until: startedAt + Math.max(seconds * 1_000 - marginMs, seconds * 800) }
    return { ok: true, data: token }
  }

  return {
    async get() {
      if (current && Date.now() < current.until) return { ok: true, data: current.token }
      pending ??= renew()
      return pending
    },
    drop(token) {
      if (current?.token === token) current = undefined
    },
  }
}
