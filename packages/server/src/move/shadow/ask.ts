import { limits } from '../../core/lib/limits.ts'
import type { Question } from './question.ts'

/** Where we are asked, and with which key. */
export interface Service {
  /** Such as `http://127.0.0.1:3000`. */
  base: string
  app_id: string
  app_token: string
}

export interface AskedAnswer {
  status: number
  answer: unknown
}

export type Ask = (question: Question) => Promise<AskedAnswer>

/** Asks a service; gets a token when the service wants one (AUTH_MODE=strict). A lost connection is an answer of status 503. */
export function newAsk({ base, app_id, app_token }: Service): Ask {
  const keys = { 'x-app-id': app_id, 'x-app-token': app_token }
  let token: Promise<string | null> | undefined
  const post = async (path: string, body: string, headers: Record<string, string>) =>
    // Below the path of the address too: a proxy may have the service under a prefix.
    fetch(`${base.replace(/\/$/, '')}${path}`, {
      method: 'POST',
      headers: { ...keys, ...headers },
      body,
      // The service redirects no call, and the key must not go to wherever it leads.
      redirect: 'error',
      signal: AbortSignal.timeout(limits.shadow_answer_ms),
    })
  const newToken = async (): Promise<string | null> => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const response = await post('/v1/oauth/token', 'grant_type=client_credentials&scope=api', form)
    if (!response.ok) return null
    return ((await response.json()) as { access_token: string }).access_token
  }
  /** The next question tries again: a token that is not there would stand for no answer, as long as the proxy runs. */
  const forget = (error: unknown): never => {
    token = undefined
    throw error
  }
  const send = async ({ path, body }: Question): Promise<AskedAnswer> => {
    const known = await token
    const authorization = typeof known === 'string' ? { authorization: `Bearer ${known}` } : undefined
    const response = await post(path, JSON.stringify(body), { 'content-type': 'application/json', ...authorization })
    return { status: response.status, answer: await response.json() }
  }
  return async (question) => {
    try {
      const used = token
      const first = await send(question)
      if (first.status !== 401) return first
      // Without a token, or it has expired. Questions that are asked meanwhile share the new one.
      if (token === used) token = newToken().catch(forget)
      return await send(question)
    } catch (error) {
      // "fetch failed" alone does not say why.
      const { message, cause } = error as Error & { cause?: Error }
      return { status: 503, answer: { key: `no answer: ${cause?.message || message}` } }
    }
  }
}
