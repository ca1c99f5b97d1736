import { type StoredCustomer, toCustomer } from '../../audience/customers/customer.ts'
import { refuseUnlessActsFor } from '../../audience/customers/on-client-side.ts'
import { changeCustomer } from '../../audience/customers/upsert.ts'
import { queueMembershipCheck } from '../../audience/segments/queue-membership-check.ts'
import { assignmentsOf, type ConfiguredCampaign } from '../../core/configuration/configuration.ts'
import type { Ctx } from '../../core/context.ts'
import type { Db } from '../../core/db/database.ts'
import type { Tally } from '../../core/db/tallies.ts'
import { inTransaction, type Trx } from '../../core/db/transaction.ts'
import { type NewEvent, noteEvents } from '../../core/events/emit.ts'
import { ApiError } from '../../core/http/errors.ts'
import { metadataRulesOf } from '../../definitions/metadata-schemas/configured-rules.ts'
import { listAssignmentsOfVoucher } from '../../rules/validation-rules/assignment-store.ts'
import { toAssignment } from '../../rules/validation-rules/assignment-view.ts'
import type { ValidationRuleAssignment } from '../../rules/validation-rules/schema.ts'
import { configuredCampaign } from '../campaigns/configured-campaign.ts'
import { figureTallies } from '../campaigns/summary-figures.ts'
import { withAssignments } from '../vouchers/show.ts'
import { toVoucher } from '../vouchers/voucher.ts'
import type { BatchedPublication } from './batchable.ts'
import { mayPublish } from './may-publish.ts'
import { asPublished, newPublication, successesOf } from './outcome.ts'
import { showSingle } from './publication.ts'
import { type Draft, saveBatch } from './save-batch.ts'
import type { Publication } from './schema.ts'
import { type Taken, type TakenVoucher, takeRows, withConfigured } from './take.ts'

/** The reply, or what to refuse; undefined: the request must run in a transaction of its own. */
export type BatchedResult = Publication | ApiError | undefined

/** A batch cannot be saved as it is: nothing was written, and each request runs on its own. */
export class NotBatchedError extends Error {
  readonly taken: Pick<Taken, 'configVersion' | 'exhausted'>

  constructor(message: string, taken: NotBatchedError['taken']) {
    super(message)
    this.taken = taken
  }
}

/** Publishes one voucher for each request, in one transaction; `results` are in the order of the requests. */
export async function publishBatch(
  db: Db,
  batch: readonly BatchedPublication[],
): Promise<{ results: BatchedResult[]; taken: Taken }> {
  const [{ ctx }] = batch as [BatchedPublication]
  return inTransaction(db, async (trx) => {
    const taken = await takeRows(trx, ctx.project_id, batch)
    const matched = new Matching(taken).match(batch)
    const results: BatchedResult[] = []
    const drafts: Draft[] = []
    const customers = new Map<string, StoredCustomer>()
    for (const match of matched) {
      const draft = match === undefined ? undefined : await draftOf(trx, taken, match, customers)
      if (draft === undefined || draft instanceof ApiError) results.push(draft)
      else {
        drafts.push(draft)
        results.push(draft.reply)
      }
    }
    // Their requests would not find them as new: only a rollback gives them the chance to create them with their events.
    if (taken.hasUnclaimed()) throw new NotBatchedError('a customer was created for nothing', taken)
    if (drafts.length > 0) await save(trx, ctx.project_id, drafts)
    return { results, taken }
  })
}

/** A request with the rows that it got. */
interface Match {
  request: BatchedPublication
  customer: StoredCustomer
  voucher: TakenVoucher
  campaign: ConfiguredCampaign | null
}

/** Hands out the rows of a batch. */
class Matching {
  readonly #taken: Taken
  readonly #voucherIds = new Set<string>()
  /** Those that may get one voucher of the batch only. */
  readonly #exclusiveIds = new Set<string>()

  constructor(taken: Taken) {
    this.#taken = taken
  }

  match(batch: readonly BatchedPublication[]): Array<Match | undefined> {
    return batch.map((request) => this.#matchOne(request))
  }

  #matchOne(request: BatchedPublication): Match | undefined {
    const taken = this.#taken
    const { configuration, source_id } = request
    if (configuration.version !== taken.configVersion || (source_id !== null && taken.isUsed(source_id)))
      return undefined
    const customer = taken.customerOf(request)
    if (customer === undefined || this.#exclusiveIds.has(customer.id)) return undefined
    const voucher = taken.nextVoucher(request)
    // A voucher may be both a free one of its campaign and named by a request.
    if (voucher === undefined || voucher.type === 'LOYALTY_CARD' || this.#voucherIds.has(voucher.id)) return undefined
    const { campaign_id: campaignId } = voucher
    const campaign = campaignId === null ? null : configuration.campaigns.get(campaignId)
    if (campaign === undefined || (campaignId !== null && !taken.hasLocked(campaignId))) return undefined
    if (campaign !== null && !mayPublish(request.ctx, campaign)) return undefined
    const joinsOnce = request.join_once || campaign?.join_once === true
    if (joinsOnce && !request.is_exclusive) return undefined
    if (joinsOnce && campaignId !== null && taken.hasJoined(customer, campaignId)) return undefined
    this.#voucherIds.add(voucher.id)
    if (request.is_exclusive) this.#exclusiveIds.add(customer.id)
    return { request, customer, voucher, campaign }
  }
}

/** `customers` are those that earlier requests of the batch have changed. */
async function draftOf(
  trx: Trx,
  taken: Taken,
  { request, customer: found, voucher: free, campaign: configured }: Match,
  customers: Map<string, StoredCustomer>,
): Promise<Draft | ApiError> {
  const { configuration } = request
  const ctx: Ctx = { ...request.ctx, db: trx }
  const isNew = taken.claimCreated(found)
  let customer: StoredCustomer
  try {
    if (!isNew) refuseUnlessActsFor(ctx, found)
    customer = await changed(ctx, request, customers.get(found.id) ?? found, isNew)
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
  customers.set(customer.id, customer)
  const campaign = configured === null ? null : configuredCampaign(configuration, configured)
  const voucher = asPublished(ctx, withConfigured(free, configuration, configured), campaign, customer)
  const row = newPublication(ctx, { ...request, target: { voucher, campaign } }, customer, [voucher])
  const created: NewEvent[] = isNew
    ? [{ type: 'customer.created', entity_id: customer.id, data: { customer: toCustomer(customer) } }]
    : []
  const assignments = free.has_rules
    ? await listAssignmentsOfVoucher(ctx, voucher)
    : configured === null
      ? []
      : campaignAssignments(request, configured)
  return {
    ctx,
    row,
    customer,
    is_new_customer: isNew,
    voucher,
    events: [...created, ...successesOf(ctx, row, customer, campaign, [voucher])],
    reply: showSingle(row, customer, withAssignments(toVoucher(ctx, voucher), assignments)),
  }
}

async function changed(
  ctx: Ctx,
  { profile, configuration }: BatchedPublication,
  customer: StoredCustomer,
  isNew: boolean,
): Promise<StoredCustomer> {
  if (profile === null || isNew) return customer
  const { id: _, source_id: __, ...sent } = profile
  return changeCustomer(ctx, customer, sent, {
    rules: metadataRulesOf(configuration, 'customer'),
  })
}

const campaignAssignments = (
  { configuration }: BatchedPublication,
  { id }: ConfiguredCampaign,
): ValidationRuleAssignment[] =>
  assignmentsOf(configuration, id)
    .filter(({ related_object_type }) => related_object_type === 'campaign')
    .map(toAssignment)

async function save(trx: Trx, projectId: string, drafts: readonly Draft[]): Promise<void> {
  const hasSegments = await saveBatch(trx, projectId, drafts, talliesOf(drafts))
  const [first] = drafts
  first?.ctx.afterCommit(() => noteEvents(first.ctx.jobs))
  for (const { ctx, customer, voucher } of drafts) {
    if (hasSegments) await queueMembershipCheck(ctx, [customer.id])
    await ctx.reactions.codesPublished(ctx, customer.id, [voucher], undefined)
  }
}

/** Counts publications for the project, and for their campaigns on this day; and new customers. */
function talliesOf(drafts: readonly Draft[]): Map<Tally, number> {
  const tallies = new Map<Tally, number>([['publications', drafts.length]])
  const add = (name: Tally, delta: number) => tallies.set(name, (tallies.get(name) ?? 0) + delta)
  for (const { ctx, row, is_new_customer } of drafts) {
    if (is_new_customer) add('customers', 1)
    if (row.campaign_id === null) continue
    for (const [name, delta] of figureTallies(ctx, row.campaign_id, { publications_succeeded: 1 })) add(name, delta)
  }
  return tallies
}
