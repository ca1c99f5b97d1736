import { earn, spend } from '@guerdon/engine'
import type { Entry } from '@guerdon/engine/schema'
import { toSimpleCustomer } from '../../audience/customers/customer.ts'
import { findCustomerById } from '../../audience/customers/store.ts'
import type { Ctx } from '../../core/context.ts'
import { emitMany, type NewEvent } from '../../core/events/emit.ts'
import type { Balance, SimpleCustomer, Transaction } from '../../core/events/shapes.ts'
import { ApiError } from '../../core/http/errors.ts'
import { todayIn } from '../../core/query/filter/calendar.ts'
import { toSimpleCampaign } from '../campaigns/campaign.ts'
import { findCampaign, type StoredCampaign } from '../campaigns/store.ts'
import { countInSummary } from '../campaigns/summary-figures.ts'
import { balanceAfter } from './entry-changes.ts'
import { giftLotId, loadAccount, saveEntry } from './initial-credits.ts'
import type { AdjustBalance } from './schema.ts'
import { showVoucher } from './show.ts'
import { getVoucher } from './store.ts'
import { nextTransaction } from './transaction-moment.ts'
import { findLastTransaction, insertTransaction, transactionSource } from './transactions.ts'
import { type StoredVoucher, toSimpleVoucher } from './voucher.ts'

type GiftChange = Pick<AdjustBalance, 'amount' | 'source_id' | 'reason'>

/** Changes the credits of a gift card that the caller has locked. Gift credits never expire. */
export async function changeGift(
  ctx: Ctx,
  card: StoredVoucher,
  { amount, source_id, reason }: GiftChange,
  { source, operation_type }: { source: 'API' | 'Automation'; operation_type: 'MANUAL' | 'AUTOMATIC' },
): Promise<Balance> {
  const campaign = card.campaign_id === null ? undefined : await findCampaign(ctx, card.campaign_id)
  const moment = nextTransaction(ctx.now, await findLastTransaction(ctx, card.id))
  await saveEntry(ctx, card, await entryOf(ctx, card, amount), moment)
  const updatedCard = await getVoucher(ctx, card.id)
  const balance = { ...balanceAfter(updatedCard, amount), operation_type }
  const transaction = await insertTransaction(ctx, {
    ...moment,
    voucher_id: card.id,
    campaign_id: card.campaign_id,
    type: amount > 0 ? 'CREDITS_ADDITION' : 'CREDITS_REMOVAL',
    amount,
    balance: balance.balance,
    source_id: source_id ?? null,
    source: transactionSource(ctx, source),
    reason: reason ?? null,
    details: { balance },
    related_transaction_id: null,
  })
  await countInSummary(ctx, card.campaign_id, amount > 0 ? { amount_added: amount } : { amount_subtracted: -amount })
  await emitTransaction(ctx, updatedCard, campaign, balance, transaction)
  return balance
}

async function entryOf(ctx: Ctx, card: StoredVoucher, amount: number): Promise<Entry> {
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
  return earn(account, { amount, expires_at: null, lot_id: giftLotId })
}

async function emitTransaction(
  ctx: Ctx,
  card: StoredVoucher,
  storedCampaign: StoredCampaign | undefined,
  balance: Balance,
  transaction: Transaction,
): Promise<void> {
  const holder = card.holder_id === null ? undefined : await findCustomerById(ctx, card.holder_id)
  const customer: SimpleCustomer | null = holder === undefined ? null : toSimpleCustomer(holder)
  const campaign = storedCampaign === undefined ? null : toSimpleCampaign(storedCampaign)
  const events: NewEvent[] = [
    {
      type: 'voucher.gift.transaction.created',
      entity_id: card.id,
      data: {
        transaction,
        voucher: await showVoucher(ctx, card),
        holder: customer,
        order: null,
        redemption: null,
        rollback: null,
        campaign,
        balance,
      },
    },
  ]
  if (transaction.type === 'CREDITS_ADDITION') {
    const added = { voucher: toSimpleVoucher(card), balance, transaction, campaign }
    events.push({ type: 'voucher.gift.balance_added', entity_id: card.id, data: added })
    if (holder !== undefined && customer !== null)
      events.push({ type: 'customer.voucher.gift.balance_added', entity_id: holder.id, data: { ...added, customer } })
  }
  await emitMany(ctx, events)
}
