import { between, newChance } from '../checkout-load/chance.ts'
import type { Fault } from '../checkout-load/faults.ts'
import { made, pause, query, type Reply, type Shop } from '../checkout-load/shop.ts'
import { type Inbox, openInbox } from './inbox.ts'

/*
 * Redemptions with two webhooks on two nodes while processes are killed. Afterwards the requests that the receiver got are
 * compared with the events in the database. Nothing here needs a test runner.
 */

export interface WebhookLoadOptions {
  seed: number
  redemptions: number
  /** Injected one by one while the redemptions run, evenly spread over them. */
  faults: readonly Fault[]
  /** The receiver does not answer one in so many new send-outs; null: it answers all. */
  drops_every: number | null
  workers?: number
}

export interface WebhookLoadReport {
  /** Answered redemptions that succeeded. */
  redeemed: number
  /** Requests that had to be sent again, because there was no response or a 5xx. */
  unanswered: number
  /** Requests that the receiver got, and how many of them repeated an earlier one. */
  deliveries: number
  repeated: number
  violations: string[]
}

/** Redeems, waits until every send-out is delivered, and compares. */
export async function runWebhookLoad(
  shop: Shop,
  { seed, redemptions, faults, drops_every, workers = 16 }: WebhookLoadOptions,
): Promise<WebhookLoadReport> {
  const inbox = await openInbox(drops_every)
  try {
    const webhooks = await createWebhooks(shop, inbox)
    const codes = await createCodes(shop)
    const tally = { redeemed: 0, refused: 0, unanswered: 0 }
    let next = 0
    const work = async () => {
      while (next < redemptions) await redeem(shop, { seed, number: next++, codes, tally })
    }
    const answered = () => tally.redeemed + tally.refused
    await Promise.all([
      ...Array.from({ length: workers }, work),
      strikeEvenly(faults, seed, (share) => answered() >= share * redemptions),
    ])
    await allDelivered(shop)
    const { redeemed, unanswered } = tally
    const { deliveries, repeated } = inbox.counts()
    return { redeemed, unanswered, deliveries, repeated, violations: await violationsOf(shop, inbox, webhooks, tally) }
  } finally {
    await inbox.close()
  }
}

/** Two webhooks, so that the events of one transaction go to two targets. */
async function createWebhooks(shop: Shop, inbox: Inbox): Promise<Map<string, readonly string[]>> {
  const subscriptions = [['redemption.succeeded', 'redemption.failed'], ['redemption.succeeded']]
  const webhooks = new Map<string, readonly string[]>()
  for (const events of subscriptions) {
    const path = `/management/v1/projects/${shop.project_id}/webhooks`
    const { id } = await made(shop.asOperator(), 'POST', path, { target_url: inbox.url, events })
    webhooks.set(id, events)
  }
  return webhooks
}

/** Codes without a limit, and one that is used up: its redemptions fail and write an event too. */
async function createCodes(shop: Shop): Promise<string[]> {
  const discount = { type: 'PERCENT', percent_off: 10 }
  const codes = Array.from({ length: 40 }, (_, number) => `HOOK-${number}`)
  for (const code of codes) {
    const redemption = code === 'HOOK-0' ? { redemption: { quantity: 1 } } : {}
    await made(shop, 'POST', `/v1/vouchers/${code}`, { type: 'DISCOUNT_VOUCHER', discount, ...redemption })
  }
  return codes
}

interface Turn {
  seed: number
  number: number
  codes: readonly string[]
  tally: { redeemed: number; refused: number; unanswered: number }
}

/** Sends one redemption until it is answered, each time with the same Idempotency-Key. */
async function redeem(shop: Shop, { seed, number, codes, tally }: Turn): Promise<void> {
  const chance = newChance(seed * 100_000 + number)
  const code = codes[between(chance, 0, codes.length - 1)] as string
  // One redemption in ten has two redeemables, and with them a parent and three events.
  const second = chance() < 0.1 ? [codes[between(chance, 1, codes.length - 1)] as string] : []
  const ids = [...new Set([code, ...second])]
  const body = { redeemables: ids.map((id) => ({ object: 'voucher', id })), order: { amount: 10_000 + number } }
  const options = { key: `hook-${seed}-${number}` }
  for (const startedAt = Date.now(); ; ) {
    const reply = await shop.call('POST', '/v1/redemptions', body, options).catch((error: Error) => error)
    if (isAnswered(reply)) {
      if (reply.status === 200) tally.redeemed += 1
      else tally.refused += 1
      return
    }
    tally.unanswered += 1
    if (Date.now() - startedAt > 150_000) throw new Error(`redemption ${number} was never answered`)
    await pause(100)
  }
}

const isAnswered = (reply: Reply | Error): reply is Reply =>
  !(reply instanceof Error) &&
  reply.status < 500 &&
  reply.body?.key !== 'idempotency_key_in_progress' &&
  reply.body?.key !== 'multiple_requests'

/** Strikes when the given share of the work is done, so that every fault hits running redemptions. */
async function strikeEvenly(faults: readonly Fault[], seed: number, isDone: (share: number) => boolean): Promise<void> {
  const chance = newChance(seed)
  for (const [index, { strike }] of faults.entries()) {
    while (!isDone((index + 0.5) / (faults.length + 0.5))) await pause(5)
    await pause(between(chance, 0, 50))
    await strike()
  }
}

/** Leases of killed nodes end after half a minute, and a failed attempt is retried after one: several minutes are enough. */
async function allDelivered(shop: Shop): Promise<void> {
  const deadline = Date.now() + 400_000
  for (;;) {
    const [{ waiting }] = await query(
      shop,
      'select count(*) as waiting from webhook_sendouts where project_id = $1 and next_attempt_at is not null',
      [shop.project_id],
    )
    if (waiting === 0) return
    if (Date.now() > deadline) throw new Error(`${waiting} send-outs were not delivered`)
    await pause(200)
  }
}

async function violationsOf(
  shop: Shop,
  inbox: Inbox,
  webhooks: ReadonlyMap<string, readonly string[]>,
  tally: Turn['tally'],
): Promise<string[]> {
  const stored = await query(
    shop,
    `select id, type, entity_id from event_rows where project_id = $1 and type in ('redemption.succeeded', 'redemption.failed')`,
    [shop.project_id],
  )
  const [{ parents }] = await query(
    shop,
    `select count(*) as parents from redemptions where project_id = $1 and parent_id is null and result = 'SUCCESS'`,
    [shop.project_id],
  )
  const violations = [...inbox.violations]
  if (parents !== tally.redeemed) violations.push(`${tally.redeemed} redemptions answered 200, ${parents} are stored`)
  const expected = new Set(
    stored.flatMap(({ id, type }) =>
      [...webhooks].flatMap(([webhook, events]) => (events.includes(type) ? [`${webhook} ${id}`] : [])),
    ),
  )
  const arrived = inbox.arrived()
  for (const delivery of expected) if (!arrived.has(delivery)) violations.push(`${delivery} did not arrive`)
  for (const delivery of arrived.keys())
    if (!expected.has(delivery)) violations.push(`${delivery} arrived, but its event is not stored`)
  for (const [delivery, ids] of arrived)
    if (ids.size > 1) violations.push(`${delivery} arrived under several ids: ${[...ids].join(', ')}`)
  return violations
}
