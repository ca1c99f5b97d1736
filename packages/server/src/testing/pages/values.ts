import type { CodeBlock } from './blocks.ts'
import type { ShopEnvironment } from './shop.ts'

/** The addresses that pages show: of the service, and of a program of the reader's that receives webhooks. */
const addresses = (environment: ShopEnvironment): [shown: string, actual: string][] => [
  ['http://127.0.0.1:8010', environment.API],
  ['http://127.0.0.1:8080', `http://127.0.0.1:${environment.PORT}`],
]

/** A block with what a page leaves to its reader, such as `APP_ID=…`, and with the addresses of this run. */
export function withValues(code: string, environment: ShopEnvironment): string {
  const values: Record<string, string> = environment
  const addressed = addresses(environment).reduce((text, [shown, actual]) => text.replaceAll(shown, actual), code)
  return addressed.replaceAll(/\b([A-Z_]+)=…/g, (text, name: string) =>
    values[name] === undefined ? text : `${name}=${values[name]}`,
  )
}

/** What was printed, with the addresses that the page shows. */
export function withoutValues(printed: string, environment: ShopEnvironment): string {
  return addresses(environment).reduce((text, [shown, actual]) => text.replaceAll(actual, shown), printed)
}

/** The settings in front of `npm start` on a page: `WEBHOOK_ALLOW_PRIVATE_TARGETS=true npm start`. */
export function settingsOf(blocks: readonly CodeBlock[]): Record<string, string> {
  const start = blocks.map(({ code }) => /^((?:[A-Z_]+=\S+ +)*)npm start$/m.exec(code)?.[1]).find((found) => found)
  const pairs = (start ?? '').trim().split(/ +/).filter(Boolean)
  return Object.fromEntries(pairs.map((pair) => pair.split('=')))
}
