import { requestBytes } from '../client.ts'
import type { Load } from '../measure.ts'
import type { BenchShop } from '../shop.ts'
import { customerOf, type Fixture, linesOf, readOnlyCodes, stackedCodes } from './fixture.ts'

/** A measured request. */
export interface Case {
  name: string
  load: Load
  /** Whether a response is the expected success: a rejection with status 200 would look fast too. */
  isRight(answer: Answer): boolean
}

// biome-ignore lint/suspicious/noExplicitAny: answers of the API, read by name
type Answer = any

const anything = () => true
const isValid = ({ valid }: Answer) => valid === true
const isRedeemed = ({ redemptions }: Answer) => redemptions[0].result === 'SUCCESS'
const isFullPage = ({ vouchers }: Answer) => vouchers.length === 10

/** The baselines: servers that do only the minimum, see `servers/`. */
export function limitCases(ports: { http: number; fastify: number }): Case[] {
  const at = (port: number, request: Load['request']): Load => ({ port, asked: 0, request })
  const same = (bytes: Buffer) => () => bytes
  return [
    { name: 'node:http', load: at(ports.http, same(requestBytes('GET', '/'))), isRight: anything },
    { name: 'Fastify', load: at(ports.fastify, same(requestBytes('GET', '/plain'))), isRight: anything },
    {
      name: 'Fastify and one SELECT',
      load: at(ports.fastify, (n) => requestBytes('GET', `/codes/CODE-${1 + (n % 100_000)}`)),
      isRight: anything,
    },
    {
      name: 'Fastify and a redemption by hand',
      load: at(ports.fastify, (n) => requestBytes('POST', '/redemptions', {}, cartOf(n, [`CODE-${n + 1}`]))),
      isRight: anything,
    },
    {
      name: 'Fastify and a redemption by hand, one hot code',
      load: at(ports.fastify, (n) => requestBytes('POST', '/redemptions', {}, cartOf(n, ['HOT']))),
      isRight: anything,
    },
  ]
}

/** The cases of the service. */
export function ourCases({ shop, middle_id, promotions }: Fixture): Case[] {
  const readOnlyCode = (n: number) => `LOOK-${1 + (n % readOnlyCodes)}`
  return [
    {
      name: 'validation, 1 code, 3 lines',
      load: post(shop, '/v1/validations', (n) => cartOf(n, [readOnlyCode(n)])),
      isRight: isValid,
    },
    {
      name: 'validation, 5 codes, 10 lines',
      load: post(shop, '/v1/validations', (n) => cartOf(n, stackedCodes, 10)),
      isRight: isValid,
    },
    ...[...promotions].slice(0, 1).map(([tiers, project]) => ({
      name: `promotions validation, ${tiers} tiers`,
      load: post(project, '/v1/promotions/validation', (n) => cartOf(n, [])),
      isRight: isValid,
    })),
    ...[...promotions].map(([tiers, project]) => ({
      name: `qualification, ${tiers} tiers`,
      load: post(project, '/v1/qualifications', (n) => ({ ...cartOf(n, []), options: { limit: 5 } })),
      isRight: ({ redeemables }: Answer) => redeemables.data.length === 5,
    })),
    {
      // When all codes are used up, redemptions are rejected and the bench fails.
      name: 'redemption, distinct codes',
      load: post(shop, '/v1/redemptions', (n) => cartOf(n, [`CODE-${n + 1}`])),
      isRight: isRedeemed,
    },
    {
      name: 'redemption, one hot code',
      load: post(shop, '/v1/redemptions', (n) => cartOf(n, ['HOT'])),
      isRight: isRedeemed,
    },
    {
      name: 'publication',
      load: post(shop, '/v1/publications', (n) => ({
        campaign: { name: 'Handed out', count: 1 },
        customer: customerOf(n),
      })),
      isRight: ({ result }) => result === 'SUCCESS',
    },
    {
      name: 'GET voucher',
      load: get(shop, (n) => `/v1/vouchers/${readOnlyCode(n)}`),
      isRight: ({ code }) => code.startsWith('LOOK-'),
    },
    { name: 'list, first page', load: get(shop, () => '/v1/vouchers?limit=10'), isRight: isFullPage },
    { name: 'list, page 99', load: get(shop, () => '/v1/vouchers?limit=10&page=99'), isRight: isFullPage },
    {
      name: 'list, from the middle',
      load: get(shop, () => `/v1/vouchers?limit=10&starting_after_id=${middle_id}`),
      isRight: isFullPage,
    },
  ]
}

/** The cases that are measured on the embedded database too. */
export const embeddedNames: ReadonlySet<string> = new Set([
  'validation, 1 code, 3 lines',
  'redemption, distinct codes',
  'redemption, one hot code',
  'GET voucher',
])

const cartOf = (n: number, codes: readonly string[], lines = 3) => ({
  ...(codes.length === 0 ? {} : { redeemables: codes.map((id) => ({ object: 'voucher', id })) }),
  customer: customerOf(n),
  order: { items: linesOf(lines) },
})

const post = ({ port, headers }: BenchShop, path: string, bodyOf: (n: number) => object): Load => ({
  port,
  asked: 0,
  request: (n) => requestBytes('POST', path, headers, bodyOf(n)),
})

const get = ({ port, headers }: BenchShop, pathOf: (n: number) => string): Load => ({
  port,
  asked: 0,
  request: (n) => requestBytes('GET', pathOf(n), headers),
})
