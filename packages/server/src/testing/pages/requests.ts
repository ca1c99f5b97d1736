import { accessToken } from '../process.ts'
import type { CodeBlock } from './blocks.ts'
import { refused } from './output.ts'
import type { ShopEnvironment } from './shop.ts'

/** Sends the `http` blocks of a page with the keys of its project. */
export class PageRequests {
  readonly #environment: ShopEnvironment
  readonly #ids: Map<string, string>
  #token: Promise<string> | undefined

  constructor(environment: ShopEnvironment) {
    this.#environment = environment
    this.#ids = new Map([['{projectId}', environment.PROJECT_ID]])
  }

  /** Sends the request of a block, `POST /v1/vouchers` and the body below, and returns the text of the answer. */
  async run({ code }: CodeBlock): Promise<string> {
    const [, method = '', path = '', body = ''] = /^([A-Z]+) (\S+)\n?(.*)$/s.exec(this.#withIds(code)) ?? []
    const answer = await fetch(`${this.#environment.API}${path}`, {
      method,
      headers: { 'Content-Type': 'application/json', ...(await this.#keysFor(path)) },
      ...(body.trim() === '' ? {} : { body }),
    })
    const text = await answer.text()
    return answer.ok ? text : `${text}\n${refused}${(JSON.parse(text) as { key: string }).key}`
  }

  /**
   * Whether an answer has everything that the page shows of it. `val_…` stands for an id: the first answer in which it stands
   * decides which, and requests further down may use it.
   */
  isShown(shown: string, printed: string): boolean {
    const answer = JSON.parse(printed)
    this.#learn(JSON.parse(shown), answer)
    return contains(answer, JSON.parse(this.#withIds(shown)))
  }

  #withIds(text: string): string {
    return [...this.#ids].reduce((filled, [shown, id]) => filled.replaceAll(shown, id), text)
  }

  #learn(shown: unknown, actual: unknown): void {
    if (typeof shown === 'string' && shown.endsWith('…') && typeof actual === 'string') {
      if (actual.startsWith(shown.slice(0, -1)) && !this.#ids.has(shown)) this.#ids.set(shown, actual)
    } else if (typeof shown === 'object' && shown !== null)
      for (const [name, value] of Object.entries(shown))
        this.#learn(value, (actual as Record<string, unknown> | null | undefined)?.[name])
  }

  async #keysFor(path: string): Promise<Record<string, string>> {
    const { API, APP_ID, APP_TOKEN, MANAGEMENT_ID, MANAGEMENT_TOKEN } = this.#environment
    if (path.startsWith('/management/'))
      return { 'X-Management-Id': MANAGEMENT_ID, 'X-Management-Token': MANAGEMENT_TOKEN }
    const pair = { 'X-App-Id': APP_ID, 'X-App-Token': APP_TOKEN }
    this.#token ??= accessToken(API, pair)
    return { ...pair, Authorization: `Bearer ${await this.#token}` }
  }
}

/** Whether a value has all properties of another; lists have the same length. */
function contains(actual: unknown, shown: unknown): boolean {
  if (typeof shown !== 'object' || shown === null) return actual === shown
  if (typeof actual !== 'object' || actual === null || Array.isArray(actual) !== Array.isArray(shown)) return false
  if (Array.isArray(shown) && (actual as unknown[]).length !== shown.length) return false
  return Object.entries(shown).every(([name, value]) => contains((actual as Record<string, unknown>)[name], value))
}
