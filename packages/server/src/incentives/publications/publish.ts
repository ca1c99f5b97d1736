import { type StoredCustomer, toSimpleCustomer } from '../../audience/customers/customer.ts'
import { queueMembershipCheck } from '../../audience/segments/queue-membership-check.ts'
import type { Ctx } from '../../core/context.ts'
import { tallyMany } from '../../core/db/tallies.ts'
import { emit, emitMany, type NewEvent } from '../../core/events/emit.ts'
import { ApiError, invalidPayload } from '../../core/http/errors.ts'
import { listed } from '../../core/query/list.ts'
import { loadMetadataRules } from '../../definitions/metadata-schemas/rules.ts'
import { listAssignmentsOf } from '../../rules/validation-rules/assignment-store.ts'
import { toSimpleCampaign } from '../campaigns/campaign.ts'
import type { StoredCampaign } from '../campaigns/store.ts'
import { type Figure, figureTallies } from '../campaigns/summary-figures.ts'
import type { CascadeState } from '../reactions.ts'
import { listVouchersById } from '../vouchers/store.ts'
import { type StoredVoucher, toVoucher } from '../vouchers/voucher.ts'
import { type ChosenVouchers, chooseVouchers } from './choose.ts'
import { mayPublish } from './may-publish.ts'
import { asPublished, newPublication, successesOf } from './outcome.ts'
import { showPublication, toSimplePublication } from './publication.ts'
import { findRecipient, identifiesCustomer, needsUpdate, writeRecipient } from './recipient.ts'
import { duplicateSource, findRepeatedPublication } from './repeated-publication.ts'
import type { CreatePublication, Publication } from './schema.ts'
import { findPublicationBySource, insertFailure, insertPublished, type StoredPublication } from './store.ts'
import { findTarget, type PublicationRequest } from './target.ts'

export interface PublishOptions {
  join_once?: boolean | undefined
  /** Refuses a count above 1, whatever the campaign. */
  one_only?: boolean
  /** Builds the error for an empty customer. */
  refuse?: (details: string) => ApiError
  /** The cascade that caused this publication, if any; passed on to the reaction `codesPublished`. */
  cascade?: CascadeState
  /** False: the caller handles the consequences of the publication itself (`codesPublished` in ../reactions.ts). */
  runsReactions?: boolean
}

/** Vouchers of a customer, published by this request or by an earlier one that it repeats. */
export interface PublishedVouchers {
  publication: StoredPublication
  customer: StoredCustomer
  vouchers: StoredVoucher[]
  isNew: boolean
}

/**
 * Publishes vouchers to a customer (docs/reference/publications.md#create-a-publication). Lock order: customer, campaign,
 * vouchers. A refusal that must be recorded is returned, so that its record and the update of the customer are committed;
 * every other error is thrown.
 */
export async function publish(
  ctx: Ctx,
  request: CreatePublication,
  options: PublishOptions = {},
): Promise<Publication | ApiError> {
  const published = await publishCodes(ctx, request, options)
  if (published instanceof ApiError) return published
  return showPublication(ctx, published.publication, published.customer, published.vouchers)
}

/** The same for callers that go on to use the vouchers. */
export async function publishCodes(
  ctx: Ctx,
  request: CreatePublication,
  options: PublishOptions = {},
): Promise<PublishedVouchers | ApiError> {
  const { customer: sent } = request
  const { refuse = invalidPayload } = options
  if (!identifiesCustomer(sent)) throw refuse('Property .customer must have at least one property of a customer')
  const parsed = await parseRequest(ctx, request, options)
  const { target, source_id, join_once } = parsed
  const exclusive = source_id !== null || join_once || target.campaign?.join_once === true || needsUpdate(ctx, sent)

  let existingCustomer = await findRecipient(ctx, sent, { exclusive })
  const rules = await loadMetadataRules(ctx, 'publication')
  rules.check(parsed.metadata, { isNew: true })
  for (;;) {
    const earlier = source_id === null ? undefined : await findPublicationBySource(ctx, source_id)
    // A request that this one repeats may have created the customer since, together with its publication.
    if (earlier !== undefined) existingCustomer ??= await findRecipient(ctx, sent, { exclusive })
    const repeated = await findRepeatedPublication(ctx, parsed, existingCustomer, earlier)
    if (repeated !== null && !(repeated instanceof ApiError)) {
      const vouchers = await listVouchersById(ctx, repeated.voucher_ids)
      return { publication: repeated, customer: existingCustomer as StoredCustomer, vouchers, isNew: false }
    }
    const customer = await writeRecipient(ctx, sent, existingCustomer)
    if (customer === undefined) {
      existingCustomer = await findRecipient(ctx, sent, { exclusive })
      continue
    }
    const chosen = repeated ?? (await chooseVouchers(ctx, target))
    return chosen instanceof ApiError
      ? saveFailure(ctx, parsed, customer, chosen)
      : saveSuccess(ctx, parsed, customer, chosen, options)
  }
}

async function parseRequest(
  ctx: Ctx,
  request: CreatePublication,
  { join_once = false, one_only = false }: PublishOptions,
): Promise<PublicationRequest> {
  const target = await findTarget(ctx, request)
  const { campaign } = target
  if (campaign !== null && !mayPublish(ctx, campaign))
    throw new ApiError('forbidden', { details: 'client_publish_campaigns of the project does not name this campaign' })
  const sourceId = request.source_id ?? null
  if (target.count > 1 && (sourceId !== null || join_once || campaign?.join_once || one_only))
    throw new ApiError('too_many_vouchers_requested', { details: 'Only up to 1 can be published' })
  return { target, source_id: sourceId, join_once, metadata: request.metadata ?? {}, channel: request.channel ?? 'API' }
}

async function saveSuccess(
  ctx: Ctx,
  request: PublicationRequest,
  customer: StoredCustomer,
  { vouchers: chosen, created }: ChosenVouchers,
  { cascade, runsReactions = true }: PublishOptions,
): Promise<PublishedVouchers> {
  const { campaign } = request.target
  const vouchers = chosen.map((voucher) => asPublished(ctx, voucher, campaign, customer))
  const row = newPublication(ctx, request, customer, vouchers)
  // A concurrent request committed the same source id for another customer; for this customer it would have waited for
  // the lock.
  if (!(await insertPublished(ctx, row, vouchers))) throw duplicateSource(row.source_id as string)
  await count(ctx, row, 'publications_succeeded')
  await emitMany(ctx, [
    ...(await creationsOf(ctx, created, campaign)),
    ...successesOf(ctx, row, customer, campaign, vouchers),
  ])
  await queueMembershipCheck(ctx, [customer.id])
  if (runsReactions) await ctx.reactions.codesPublished(ctx, customer.id, vouchers, cascade)
  return { publication: row, customer, vouchers, isNew: true }
}

/** Counts a publication for the project, and for its campaign on this day. */
async function count(ctx: Ctx, { campaign_id }: StoredPublication, figure: Figure): Promise<void> {
  const figures = campaign_id === null ? [] : figureTallies(ctx, campaign_id, { [figure]: 1 })
  await tallyMany(ctx.db, ctx.project_id, [['publications', 1], ...figures])
}

/**
 * Creation events of new vouchers, emitted before those of their publication. New vouchers have no rules except those of
 * their campaign.
 */
async function creationsOf(
  ctx: Ctx,
  created: readonly StoredVoucher[],
  campaign: StoredCampaign | null,
): Promise<NewEvent[]> {
  if (created.length === 0 || campaign === null) return []
  const campaignAssignments = await listAssignmentsOf(ctx, 'campaign', [campaign.id])
  const validationRulesAssignments = listed('data', campaignAssignments, { total: campaignAssignments.length })
  return created.map((voucher) => ({
    type: 'voucher.created',
    entity_id: voucher.id,
    data: {
      voucher: { ...toVoucher(ctx, voucher), validation_rules_assignments: validationRulesAssignments },
      campaign: toSimpleCampaign(campaign),
    },
  }))
}

/** Records a publication that found no voucher, and returns the error as the response. */
async function saveFailure(
  ctx: Ctx,
  request: PublicationRequest,
  customer: StoredCustomer,
  error: ApiError,
): Promise<ApiError> {
  const { voucher, campaign } = request.target
  const requested = voucher === null ? [] : [voucher]
  const row: StoredPublication = {
    ...newPublication(ctx, request, customer, requested),
    result: 'FAILURE',
    failure_code: error.key,
    failure_message: error.message,
  }
  await insertFailure(ctx, row)
  await count(ctx, row, 'publications_failed')
  await emit(ctx, 'customer.publication.failed', customer.id, {
    customer: toSimpleCustomer(customer),
    campaign: campaign === null ? null : toSimpleCampaign(campaign),
    publication: toSimplePublication(row, customer, requested),
  })
  return error
}
