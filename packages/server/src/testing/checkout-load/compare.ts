import type { Finding } from './findings.ts'
import type { Bound } from './goods.ts'
import type { Checkout, Ledger, OrderRecord, Use } from './model.ts'
import type { Run } from './run.ts'
import { made, query, type Shop } from './shop.ts'

/** Checks that the stored rows match the responses: the same redemptions, rollbacks and failures, and correct order totals. */
export async function checkRows(run: Run): Promise<Finding[]> {
  const { shop, ledger } = run
  const expected = expectedRows(ledger)
  const rows = await query(shop, 'select id, status, amount from redemptions where project_id = $1', [shop.project_id])
  const stored = new Map(rows.map(({ id, status, amount }) => [id as string, `${status} ${amount ?? 0}`]))
  const listed = await listedRedemptions(shop)
  const { size: times } = expected
  return [
    {
      looked_for: 'stored redemptions and rollbacks that differ from the acknowledged ones',
      times,
      violations: differences('stored', expected, stored),
    },
    {
      looked_for: 'listed redemptions and rollbacks that differ from the acknowledged ones',
      times,
      violations: differences('listed', expected, listed),
    },
    await checkOrders(run),
    await checkCodes(run),
  ]
}

/** Checks that a repeated request with the same idempotency key gets the same response and has no effect. */
export async function checkReplays({ shop, ledger }: Run): Promise<Finding> {
  const count = async () =>
    (await query(shop, 'select count(*) as rows from redemptions where project_id = $1', [shop.project_id]))[0].rows
  const before = await count()
  // Validations without a session have no effect, so repeating them is not checked.
  const kept = ledger.kept.filter(({ path, text }) => path !== '/v1/validations' || 'session' in JSON.parse(text))
  const step = Math.max(1, Math.floor(kept.length / 100))
  const again = kept.filter((_, index) => index % step === 0)
  const violations: string[] = []
  for (const { path, body, key, status, text } of again) {
    const reply = await shop.call('POST', path, body, { key })
    if (reply.status !== status || reply.text !== text || !reply.is_replay)
      violations.push(`the same request with the same key was answered differently: ${path} ${text} → ${reply.text}`)
  }
  if ((await count()) !== before) violations.push('a repeated request was stored again')
  return { looked_for: 'repeated requests with the same key that took effect again', times: again.length, violations }
}

/** The expected rows: id → status and amount. */
function expectedRows({ checkouts, failed }: Ledger): Map<string, string> {
  const expected = new Map<string, string>()
  for (const id of failed) expected.set(id, 'FAILED 0')
  for (const { id, children, undone } of checkouts) {
    const status = undone === null ? 'SUCCEEDED' : 'ROLLED_BACK'
    if (children.length > 1) expected.set(id, `${status} 0`)
    for (const child of children) expected.set(child.id, `${status} ${child.credits}`)
    if (undone === null) continue
    if (children.length > 1) expected.set(undone.id, 'SUCCEEDED 0')
    if (children.length === 1) expected.set(undone.id, `SUCCEEDED ${0 - (children[0] as Use).credits}`)
    for (const [index, rollback] of undone.children.entries())
      expected.set(rollback, `SUCCEEDED ${0 - (children[index] as Use).credits}`)
  }
  return expected
}

async function listedRedemptions(shop: Shop): Promise<Map<string, string>> {
  const listed = new Map<string, string>()
  let total = 0
  for (let last = ''; ; ) {
    const after = last === '' ? '' : `&starting_after_id=${last}`
    const page = await made(shop, 'GET', `/v1/redemptions?limit=100&order=created_at${after}`)
    total = page.total
    for (const { id, status, amount = 0 } of page.redemptions) listed.set(id, `${status} ${amount ?? 0}`)
    if (page.redemptions.length < 100) break
    last = page.redemptions.at(-1).id
  }
  if (total !== listed.size) listed.set('total', `is ${total}, but ${listed.size} are listed`)
  return listed
}

async function checkOrders({ shop, ledger }: Run): Promise<Finding> {
  const byOrder = new Map<OrderRecord, Checkout[]>()
  for (const checkout of ledger.checkouts)
    if (checkout.order !== null) byOrder.set(checkout.order, [...(byOrder.get(checkout.order) ?? []), checkout])
  const rows = await query(
    shop,
    `select id, source_id, amount, discount_amount, items_discount_amount, status, redemptions from orders where project_id = $1`,
    [shop.project_id],
  )
  const stored = new Map(rows.map((row) => [row.id, row]))
  const wrong = rows.length === byOrder.size ? [] : [`${byOrder.size} orders were created, ${rows.length} are stored`]
  for (const [order, checkouts] of byOrder) {
    const row = stored.get(order.id)
    if (row === undefined) wrong.push(`order ${order.id} was acknowledged but is not stored`)
    else wrong.push(...checkOrder(order, checkouts, row))
  }
  return { looked_for: 'orders that differ from their redemptions', times: byOrder.size, violations: wrong }
}

// biome-ignore lint/suspicious/noExplicitAny: a row
function checkOrder(order: OrderRecord, checkouts: Checkout[], row: any): string[] {
  const live = checkouts.filter(({ undone }) => undone === null).flatMap(({ children }) => children)
  const sumOf = (uses: Use[]) => uses.reduce((sum, { discount }) => sum + discount, 0)
  const expected = {
    amount: order.amount,
    discount_amount: sumOf(live.filter(({ thing }) => thing.kind !== 'units')),
    items_discount_amount: sumOf(live.filter(({ thing }) => thing.kind === 'units')),
  }
  const found = {
    amount: row.amount,
    discount_amount: row.discount_amount ?? 0,
    items_discount_amount: row.items_discount_amount ?? 0,
  }
  const undoneCount = checkouts.filter(({ undone }) => undone !== null).length
  const statuses = undoneCount === 0 ? ['PAID'] : checkouts.length === 1 ? ['CANCELED'] : ['PAID', 'CANCELED']
  const entries = new Map(
    Object.entries(row.redemptions ?? {}).map(([id, entry]) => [
      id,
      String((entry as { rollback_id?: string }).rollback_id ?? null),
    ]),
  )
  const answered = new Map(checkouts.map(({ id, undone }) => [id, String(undone?.id ?? null)]))
  const name = `order ${order.source_id ?? order.id}`
  return [
    ...(JSON.stringify(found) === JSON.stringify(expected)
      ? []
      : [`${name}: ${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`]),
    ...(statuses.includes(row.status) ? [] : [`${name}: ${row.status} instead of ${statuses}`]),
    ...differences(`in ${name}`, answered, entries),
  ]
}

/** Checks codes, cards and tiers as the API returns them. */
async function checkCodes({ shop, goods, ledger }: Run): Promise<Finding> {
  const live = ledger.checkouts.filter(({ undone }) => undone === null).flatMap(({ children }) => children)
  const wrong: string[] = []
  const things = [...goods.things, ...goods.units]
  for (const thing of things) {
    const uses = live.filter((use) => use.thing === thing)
    const credits = uses.reduce((sum, use) => sum + use.credits, 0)
    const complain = (what: string, found: unknown, expected: unknown) => {
      if (found !== expected) wrong.push(`${what} of ${thing.id} is ${found} instead of ${expected}`)
    }
    if (thing.object === 'promotion_tier') {
      const { summary } = await made(shop, 'GET', `/v1/promotions/tiers/${thing.id}`)
      complain('the number of redemptions', summary.redemptions.total_redeemed, uses.length)
      continue
    }
    const { redemption, gift, loyalty_card } = await made(shop, 'GET', `/v1/vouchers/${thing.id}`)
    complain('redeemed_quantity', redemption.redeemed_quantity, uses.length)
    if (thing.kind === 'gift') complain('the balance', gift.balance, (thing.bounds[0] as Bound).max - credits)
    if (thing.kind === 'card') complain('the balance', loyalty_card.balance, (thing.bounds[0] as Bound).max - credits)
    const entries = await made(shop, 'GET', `/v1/vouchers/${thing.id}/redemption`)
    const done = entries.redemption_entries.filter(
      (entry: { object: string; status: string }) => entry.object === 'redemption' && entry.status === 'SUCCEEDED',
    )
    complain('the list of redemptions', done.length, uses.length)
    complain('the total of the list', entries.total, entries.redemption_entries.length)
  }
  return {
    looked_for: 'codes, cards and tiers whose API response differs from their use',
    times: things.length,
    violations: wrong,
  }
}

function differences(
  word: string,
  expected: ReadonlyMap<string, string>,
  found: ReadonlyMap<string, string>,
): string[] {
  const lost = [...expected].filter(([id]) => !found.has(id))
  const more = [...found].filter(([id]) => !expected.has(id))
  const other = [...expected].filter(([id, value]) => found.has(id) && found.get(id) !== value)
  const some = (rows: Array<[string, string]>) => `${rows.length}, such as ${rows.slice(0, 3).join('; ')}`
  return [
    ...(lost.length === 0 ? [] : [`acknowledged but not ${word}: ${some(lost)}`]),
    ...(more.length === 0 ? [] : [`${word} but never acknowledged: ${some(more)}`]),
    ...(other.length === 0
      ? []
      : [
          `${word} otherwise than acknowledged: ${some(other.map(([id, value]) => [id, `${value} → ${found.get(id)}`]))}`,
        ]),
  ]
}
