import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { newProject, type Shop } from '../../testing/app.ts'
import {
  amountOff,
  asClient,
  newCard,
  newDiscount,
  newGiftCard,
  newStack,
  percentOff,
  setStackingRules,
  stack,
  tier,
  voucher,
  vouchers,
} from '../../testing/checkout.ts'
import type { Ask } from './ask.ts'
import { exchangeLine } from './log-line.ts'
import { replayLog } from './replay.ts'

/** The same service answers again. */
const askOf =
  (shop: Shop): Ask =>
  async ({ path, body }) => {
    const answer = await shop.call('POST', path, body)
    return { status: answer.status, answer: answer.body }
  }

const order = {
  items: [
    { quantity: 1, price: 7_000 },
    { quantity: 1, price: 3_000 },
  ],
}

const past = { start_date: '2020-01-01T00:00:00Z', expiration_date: '2021-01-01T00:00:00Z' }

/** Redeemables of every kind, and requests with them to every operation that is compared. */
async function requestsTo(shop: Shop, { lower_case }: { lower_case: boolean }) {
  const asSent = (code: string) => (lower_case ? code.toLowerCase() : code)
  const { id: tenId } = await newDiscount(shop, 'TEN', percentOff(10))
  const { id: twoId } = await newDiscount(shop, 'TWO', amountOff(200))
  await newDiscount(shop, 'ENDED', amountOff(100), past)
  await newDiscount(shop, 'NOTHING', amountOff(0))
  const { id: giftId } = await newGiftCard(shop, 'GIFT', 1_000_000)
  const { stack: tiers, tiers: [first] } = await newStack(shop, [amountOff(100), percentOff(5)]) // biome-ignore format: one thought per line
  const card = await newCard(shop, { points: 100_000 })
  const [ten, two, gift] = ['TEN', 'TWO', 'GIFT'].map(asSent) as [string, string, string]
  const reward = { id: card.reward_id, points: 5 }

  const redeemables: Record<string, object[]> = {
    'a code': vouchers(ten),
    'a code by its id': vouchers(tenId),
    'several codes': vouchers(two, ten),
    'codes by code and by id': vouchers(twoId, ten),
    'a code twice, by code and by id': vouchers(tenId, ten),
    'a tier': [tier(first.id)],
    'a stack': [stack(tiers.id)],
    'a stack and a code': [stack(tiers.id), voucher(ten)],
    'credits of a gift card': [voucher(gift, { gift: { credits: 500 } })],
    'a code and a gift card by its id': [voucher(ten), voucher(giftId)],
    'points of a loyalty card': [voucher(card.code, { reward })],
    'a loyalty card without a reward': vouchers(card.code),
    'a code that has ended': vouchers(asSent('ENDED')),
    'a good code and one that has ended': vouchers(ten, asSent('ENDED')),
    'an unknown code': vouchers('UNKNOWN'),
    'a code without effect': vouchers(asSent('NOTHING')),
  }
  const bodies = Object.entries(redeemables).flatMap(
    ([what, list]): Array<[what: string, body: object]> => [
      [what, { redeemables: list, order }],
      [`${what}, no order`, { redeemables: list }],
    ],
  )
  const requests: Array<[what: string, path: string, body: object]> = []
  for (const [what, body] of bodies)
    for (const path of ['/v1/validations', '/client/v1/validations', '/v1/redemptions', '/client/v1/redemptions'])
      requests.push([what, path, body])
  const singles: Array<[what: string, code: string, body?: object]> = [
    ['a code', ten],
    ['a code by its id', tenId],
    ['credits of a gift card', gift, { gift: { credits: 500 } }],
    ['a gift card by its id', giftId],
    ['points of a loyalty card', card.code, { reward }],
    ['a loyalty card without a reward', card.code],
    ['a code that has ended', asSent('ENDED')],
    ['an unknown code', 'UNKNOWN'],
    ['a code without effect', asSent('NOTHING')],
  ]
  for (const [what, code, more] of singles)
    for (const [end, body] of Object.entries({ '': { order }, ', no order': {} }))
      for (const operation of ['validate', 'redemption'])
        requests.push([`${what}${end}`, `/v1/vouchers/${code}/${operation}`, { ...body, ...more }])
  for (const id of [first.id, 'promo_unknown'])
    for (const operation of ['validation', 'redemption'])
      requests.push(['a tier', `/v1/promotions/tiers/${id}/${operation}`, { order }])
  return requests
}

test.each([
  ['codes as they are', {}, 'ALL'],
  ['codes in lower case, in a project where that is the same', { case_sensitive_codes: false }, 'ALL'],
  ['part of the redeemables', {}, 'PARTIAL'],
] as const)('exchanges of our own are equal: %s', async (_, project, mode) => {
  const shop = await newProject({
    env: { CLIENT_RATE_LIMIT: '', LOG_LEVEL: 'warn' },
    project: { ...project, client_redeem_enabled: true, client_trusted_domains: ['https://shop.example'] },
  })
  await setStackingRules(shop, { redeemables_application_mode: mode, redeemables_no_effect_rule: 'SKIP' })
  const requests = await requestsTo(shop, { lower_case: 'case_sensitive_codes' in project })
  const statuses = new Map<string, Set<boolean>>()
  for (const [what, path, request] of requests) {
    const call = path.startsWith('/client/') ? asClient.bind(null, shop) : shop.call
    const { status, body: answer } = await call('POST', path, request)
    const line = exchangeLine({ at: new Date().toISOString(), method: 'POST', path, request, status, answer })
    for (const redeem of [false, true]) {
      const report = await replayLog(Readable.from([Buffer.from(line)]), askOf(shop), { redeem, as_of: true })
      expect.soft(report, `${what}: ${path}`).toMatchObject({ compared: 1, differences: [] })
    }
    const kind = path.replace(/[^/]+(?=\/\w+$)/, '')
    statuses.set(kind, (statuses.get(kind) ?? new Set()).add(status === 200 && answer.valid !== false))
  }
  for (const [kind, seen] of statuses) expect(seen.size, `${kind} is valid and refused`).toBe(2)
})
