import { earn, expirationDate, spend } from '@guerdon/engine'
import type { Entry, PointsExpirationRules } from '@guerdon/engine/schema'
import { toSimpleCampaign } from '../campaigns/campaign.ts'
import { findCampaign, type StoredCampaign } from '../campaigns/store.ts'
import { countInSummary } from '../campaigns/summary-figures.ts'
import type { Ctx } from '../context.ts'
import { toSimpleCustomer } from '../customers/customer.ts'
import { findCustomerById } from '../customers/store.ts'
import { emitMany, type NewEvent } from '../events/emit.ts'
import type { Balance, SimpleCustomer, Transaction } from '../events/shapes.ts'
import { ApiError } from '../http/errors.ts'
import { todayIn } from '../lib/filter/calendar.ts'
import { newId } from '../lib/ids.ts'
import { heap, loadAccount, saveEntry } from './books.ts'
import { balanceAfter, nothing_earned } from './entry-changes.ts'
import type { AdjustBalance, BalanceAnswer } from './schema.ts'
import { showVoucher } from './show.ts'
import { getVoucher } from './store.ts'
import { hasSource, insertTransaction } from './transactions.ts'
import { type StoredVoucher, toSimpleVoucher } from './voucher.ts'

/** Adds to a card or takes from it, by postings and one transaction (spec 03, 6.1). The caller has locked the card. */
export async function adjustBalance(ctx: Ctx, card: StoredVoucher, body: AdjustBalance): Promise<BalanceAnswer> {
  await refuseUnlessPossible(ctx, card, body)
  const campaign = card.campaign_id === null ? undefined : await findCampaign(ctx, card.campaign_id)
  const entry = await entryOf(ctx, card, campaign, body.amount)
  const transaction_id = newId('transaction')
  await saveEntry(ctx, card, entry, transaction_id)

  const changed = await getVoucher(ctx, card.id)
  const balance = balanceAfter(changed, body.amount)
  const transaction = await insertTransaction(ctx, {
    id: transaction_id,
    voucher_id: card.id,
    campaign_id: card.campaign_id,
    type: typeOf(card, body.amount),
    amount: body.amount,
    balance: balance.balance,
    source_id: body.source_id ?? null,
    source: 'API',
    reason: body.reason ?? null,
    details: { balance },
    related_transaction_id: null,
  })
  await count(ctx, card, body.amount)
  await tell(ctx, changed, campaign, balance, transaction)
  const { operation_type = 'MANUAL', ...answer } = balance
  return { ...answer, operation_type, amount: body.amount }
}

async function refuseUnlessPossible(
  ctx: Ctx,
  card: StoredVoucher,
  { amount, source_id }: AdjustBalance,
): Promise<void> {
  if (card.type === 'DISCOUNT_VOUCHER')
    throw new ApiError('invalid_add_balance_params', { details: 'A discount voucher has no balance' })
  if (amount === 0) throw new ApiError('invalid_add_balance_params', { details: 'Property .amount must not be 0' })
  if (card.type !== 'LOYALTY_CARD') return
  if (card.holder_id === null) throw new ApiError('not_published', { details: `Voucher ${card.code} has no holder` })
  if (source_id != null && (await hasSource(ctx, card.id, source_id)))
    throw new ApiError('duplicate_source_id', { details: `Transaction with source_id: '${source_id}' already exists` })
}

/** The movements of an adjustment. Points are dated by the rules of their program; gift credits never expire. */
async function entryOf(
  ctx: Ctx,
  card: StoredVoucher,
  campaign: StoredCampaign | undefined,
  amount: number,
): Promise<Entry> {
  const account = await loadAccount(ctx, card)
  const today = todayIn({ now: ctx.now, timezone: ctx.project.timezone })
  if (amount < 0) {
    const spent = spend(account, { amount: -amount, to: 'subtracted', today })
    if ('key' in spent)
      throw new ApiError(spent.key, { details: `The balance of ${card.code} is less than ${-amount}` })
    return spent
  }
  if (!Number.isSafeInteger((card.credits_added ?? 0) + amount))
    throw new ApiError('invalid_add_balance_params', { details: 'A card cannot hold so much' })
  if (card.type === 'GIFT_VOUCHER') return earn(account, { amount, expires_at: null, lot_id: heap })
  const rules = campaign?.voucher?.loyalty_card?.expiration_rules as PointsExpirationRules | undefined
  return earn(account, { amount, expires_at: expirationDate(today, rules), lot_id: newId('points_bucket') })
}

function typeOf({ type }: StoredVoucher, amount: number): Transaction['type'] {
  const word = type === 'GIFT_VOUCHER' ? 'CREDITS' : 'POINTS'
  return `${word}_${amount > 0 ? 'ADDITION' : 'REMOVAL'}`
}

async function count(ctx: Ctx, { campaign_id, type }: StoredVoucher, amount: number): Promise<void> {
  const word = type === 'GIFT_VOUCHER' ? 'amount' : 'points'
  await countInSummary(
    ctx,
    campaign_id,
    amount > 0 ? { [`${word}_added`]: amount } : { [`${word}_subtracted`]: -amount },
  )
}

async function tell(
  ctx: Ctx,
  card: StoredVoucher,
  stored: StoredCampaign | undefined,
  balance: Balance,
  transaction: Transaction,
): Promise<void> {
  const holder = card.holder_id === null ? undefined : await findCustomerById(ctx, card.holder_id)
  const customer: SimpleCustomer | null = holder === undefined ? null : toSimpleCustomer(holder)
  const campaign = stored === undefined ? null : toSimpleCampaign(stored)
  const common = {
    transaction,
    voucher: await showVoucher(ctx, card),
    holder: customer,
    order: null,
    redemption: null,
    rollback: null,
    campaign,
    balance,
  }
  const added = { voucher: toSimpleVoucher(card), balance, transaction, campaign }
  const events: NewEvent[] = []
  if (card.type === 'GIFT_VOUCHER') {
    events.push({ type: 'voucher.gift.transaction.created', entity_id: card.id, data: common })
    if (transaction.type === 'CREDITS_ADDITION') {
      events.push({ type: 'voucher.gift.balance_added', entity_id: card.id, data: added })
      if (holder !== undefined && customer !== null)
        events.push({ type: 'customer.voucher.gift.balance_added', entity_id: holder.id, data: { ...added, customer } })
    }
  } else {
    events.push({
      type: 'voucher.loyalty_card.transaction.created',
      entity_id: card.id,
      data: { ...common, ...nothing_earned },
    })
    events.push({ type: 'voucher.loyalty_card.points_added', entity_id: card.id, data: { ...added, customer } })
    if (holder !== undefined && customer !== null)
      events.push({
        type: 'customer.voucher.loyalty_card.points_added',
        entity_id: holder.id,
        data: { ...added, customer },
      })
  }
  await emitMany(ctx, events)
}
