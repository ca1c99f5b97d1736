import type { Chance } from './chance.ts'
import type { Goods } from './goods.ts'
import type { Checkout, OrderRecord, Span, Use } from './model.ts'
import { ask, redeemableOf } from './requests.ts'
import type { Run } from './run.ts'
import type { Reply } from './shop.ts'

/** Makes one redemption with a random endpoint; `checkout` is null if it was refused. */
export async function redeem(
  run: Run,
  chance: Chance,
  asked: RedemptionRequest,
): Promise<{ checkout: Checkout | null; span: Span; refused: string | null }> {
  const uses = asked.uses.map((use) => ({ ...use, customer: asked.customer }))
  const { order, items, session } = asked
  const isById = order?.id !== null && chance() < 0.5
  const body = {
    redeemables: asked.redeemables ?? uses.map((use) => redeemableOf(use, run.goods)),
    customer: { source_id: asked.customer },
    ...(order === null
      ? {}
      : {
          order: isById
            ? { id: order.id }
            : { source_id: order.source_id, ...(items ? { items } : { amount: order.amount }) },
        }),
    ...(session === undefined ? {} : { session: { type: 'LOCK', key: session } }),
    metadata: {},
  }
  const [only] = uses.length === 1 && asked.redeemables === undefined && session === undefined ? uses : []
  const usesSingleEndpoint = only !== undefined && chance() < 0.2
  const { reply, span } = usesSingleEndpoint
    ? await ask(run, chance, singlePath(only), singleBody(body, only, run.goods))
    : await ask(run, chance, '/v1/redemptions', body)
  if (reply.status === 200) {
    const answered: RedemptionResponse = usesSingleEndpoint
      ? { redemptions: [reply.body], order: reply.body.order }
      : { ...reply.body, order: reply.body.order }
    return { checkout: recordCheckout(run, uses, order, answered, span), span, refused: null }
  }
  recordRefusal(run, uses, reply, span)
  return { checkout: null, span, refused: reply.text }
}

interface RedemptionRequest {
  uses: Use[]
  customer: string
  order: OrderRecord | null
  redeemables?: object[]
  items?: object[]
  session?: string
}

const singlePath = ({ thing }: Use): string =>
  thing.object === 'voucher' ? `/v1/vouchers/${thing.id}/redemption` : `/v1/promotions/tiers/${thing.id}/redemption`

function singleBody(
  { redeemables, ...body }: { redeemables: object[] },
  { thing, credits }: Use,
  goods: Goods,
): object {
  return {
    ...body,
    ...(thing.kind === 'gift' ? { gift: { credits } } : {}),
    ...(thing.kind === 'card' ? { reward: { id: goods.reward_id, points: credits } } : {}),
  }
}

function recordCheckout(
  run: Run,
  uses: readonly Use[],
  order: OrderRecord | null,
  answered: RedemptionResponse,
  span: Span,
): Checkout {
  const { ledger } = run
  const { redemptions, parent_redemption } = answered
  const complain = (what: string) =>
    ledger.violations.push(
      `${what}: ${JSON.stringify({ uses: uses.map(({ thing }) => thing.id), answered }).slice(0, 1_500)}`,
    )
  if (redemptions.length !== uses.length) complain('the number of redemptions is wrong')
  if ((parent_redemption === undefined) !== uses.length < 2) complain('the parent redemption is missing or unexpected')
  const children = redemptions.map((redemption, index) => {
    const use = uses[index] as Use
    if (redemption.result !== 'SUCCESS' || redemption.related_object_id !== use.thing.resource_id)
      complain(`redemption ${index} is not that of ${use.thing.id}`)
    if (use.thing.kind === 'gift' && redemption.amount !== use.credits)
      complain(`${use.credits} credits were asked for`)
    if (use.thing.kind === 'card' && redemption.amount !== use.credits) complain(`${use.credits} points were asked for`)
    if (use.thing.kind !== 'units') return { ...use, id: redemption.id as string }
    const discount = redemption.order.items_applied_discount_amount ?? 0
    const units = discount / use.thing.off
    if (units < use.units) ledger.refusals.push({ uses: [use], key: 'units', span })
    return { ...use, id: redemption.id as string, discount, units }
  })
  const discount = children.reduce((sum, child) => sum + child.discount, 0)
  if ((answered.order === null) !== (order === null)) complain('the order is missing or unexpected')
  if (order !== null && answered.order.total_applied_discount_amount !== discount)
    complain(`the discount is not ${discount}`)
  if (order !== null) {
    if (order.id !== null && order.id !== answered.order.id) complain(`the order is not ${order.id}`)
    order.id = answered.order.id
  }
  const id = parent_redemption?.id ?? (redemptions[0].id as string)
  const checkout: Checkout = { id, children, order, span, undone: null }
  ledger.checkouts.push(checkout)
  return checkout
}

interface RedemptionResponse {
  // biome-ignore lint/suspicious/noExplicitAny: as the service answers
  redemptions: any[]
  parent_redemption?: { id: string }
  // biome-ignore lint/suspicious/noExplicitAny: as the service answers
  order: any
}

function recordRefusal(run: Run, uses: Use[], { status, body, text }: Reply, span: Span): void {
  const { ledger } = run
  if (body?.key === 'multiple_requests') return
  if (status !== 400 || !String(body?.resource_id).startsWith('rf_')) {
    ledger.violations.push(`an unexpected answer to a redemption: ${status} ${text.slice(0, 500)}`)
    return
  }
  ledger.failed.add(body.resource_id)
  ledger.refusals.push({ uses, key: body.key, span })
}
