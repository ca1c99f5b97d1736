import { isPage, mayWriteCustomers } from '../../audience/customers/on-client-side.ts'
import type { CustomerBody } from '../../audience/customers/schema.ts'
import { newCustomerColumns } from '../../audience/customers/upsert.ts'
import type { Configuration, ConfiguredCampaign } from '../../core/configuration/configuration.ts'
import { configurationNow } from '../../core/configuration/configuration-now.ts'
import type { Ctx } from '../../core/context.ts'
import { ApiError } from '../../core/http/errors.ts'
import { idPrefix } from '../../core/lib/ids.ts'
import { metadataRulesOf } from '../../definitions/metadata-schemas/configured-rules.ts'
import { codeKey } from '../vouchers/store.ts'
import { identifiesCustomer, needsUpdate } from './recipient.ts'
import type { CreatePublication } from './schema.ts'

/** A publication of one voucher that can be decided from the rows of its batch and the cached configuration. */
export interface BatchedPublication {
  ctx: Ctx
  /** The configuration by which it was admitted; the batch checks that it is current. */
  configuration: Configuration
  /** The campaign, one of whose free vouchers is published, or the voucher with this key. */
  wanted: { campaign: ConfiguredCampaign } | { code_key: string }
  customer: CustomerKeys
  /** Fields to be merged into an existing customer; null: it stays as it is. */
  profile: CustomerBody | null
  /** The row to insert if there is no such customer; null: one that does not exist cannot be created in a batch. */
  new_customer: ReturnType<typeof newCustomerColumns> | null
  /** Concurrent requests for the same customer run one after another. */
  is_exclusive: boolean
  join_once: boolean
  source_id: string | null
  metadata: Record<string, unknown>
  channel: string
}

/** By which of its keys a request names a customer. Both: whichever exists, preferably the id. */
interface CustomerKeys {
  id: string | null
  source_id: string | null
}

/**
 * The request for a batch; null if it is not of the common kind: several vouchers, loyalty cards, an anonymous customer, or
 * anything that is to be refused. All these run in a transaction of their own (publish.ts), which also builds the refusal.
 */
export async function batchable(
  ctx: Ctx,
  { voucher, campaign, customer: sent, ...request }: CreatePublication,
  { join_once = false }: { join_once?: boolean | undefined },
): Promise<BatchedPublication | null> {
  const customer = keysOf(sent)
  if (customer === null || !identifiesCustomer(sent)) return null
  const { configuration, wanted } = await wantedOf(ctx, voucher ?? null, campaign ?? null)
  if (wanted === null) return null
  const metadata = request.metadata ?? {}
  const sourceId = request.source_id ?? null
  if (!accepts(() => metadataRulesOf(configuration, 'publication').check(metadata, { isNew: true }))) return null
  const body: CustomerBody = typeof sent === 'string' ? {} : sent
  const joinsOnce = join_once || ('campaign' in wanted && wanted.campaign.join_once)
  return {
    ctx,
    configuration,
    wanted,
    customer,
    profile: needsUpdate(ctx, sent) ? body : null,
    new_customer: newCustomerOf(ctx, configuration, customer, body),
    is_exclusive: sourceId !== null || joinsOnce || needsUpdate(ctx, sent),
    join_once: joinsOnce,
    source_id: sourceId,
    metadata,
    channel: request.channel ?? 'API',
  }
}

function keysOf(sent: CreatePublication['customer']): CustomerKeys | null {
  if (typeof sent === 'string') return { id: sent.startsWith(idPrefix('customer')) ? sent : null, source_id: sent }
  if (sent.id != null) return { id: sent.id, source_id: null }
  return sent.source_id == null ? null : { id: null, source_id: sent.source_id }
}

async function wantedOf(
  ctx: Ctx,
  voucher: string | null,
  campaign: NonNullable<CreatePublication['campaign']> | null,
): Promise<{ configuration: Configuration; wanted: BatchedPublication['wanted'] | null }> {
  let configuration = ctx.configurations.cached(ctx.project_id)
  if (voucher !== null) {
    const isCode = !voucher.startsWith(idPrefix('voucher')) && !voucher.includes('\0')
    return { configuration, wanted: isCode ? { code_key: codeKey(ctx.project, voucher) } : null }
  }
  if (campaign === null) return { configuration, wanted: null }
  const { name, count } = typeof campaign === 'string' ? { name: campaign, count: 1 } : campaign
  if ((count ?? 1) !== 1) return { configuration, wanted: null }
  let found = campaignNamed(configuration, name)
  if (found === undefined) {
    // New, or this process has not read the configuration yet.
    configuration = await configurationNow(ctx)
    found = campaignNamed(configuration, name)
  }
  const hasCodes = found !== undefined && found.campaign_type !== 'PROMOTION' && found.voucher_type !== 'LOYALTY_CARD'
  return { configuration, wanted: hasCodes ? { campaign: found as ConfiguredCampaign } : null }
}

/** By id, or else by name, as `findCampaign` does. */
function campaignNamed({ campaigns }: Configuration, key: string): ConfiguredCampaign | undefined {
  let byName = campaignsByName.get(campaigns)
  if (byName === undefined) {
    byName = new Map([...campaigns.values()].map((campaign) => [campaign.name, campaign]))
    campaignsByName.set(campaigns, byName)
  }
  return campaigns.get(key) ?? byName.get(key)
}

const campaignsByName = new WeakMap<Configuration['campaigns'], ReadonlyMap<string, ConfiguredCampaign>>()

function newCustomerOf(
  ctx: Ctx,
  configuration: Configuration,
  { id, source_id }: CustomerKeys,
  body: CustomerBody,
): BatchedPublication['new_customer'] {
  if (id !== null || source_id === null || !mayWriteCustomers(ctx)) return null
  const { id: _, source_id: __, ...profile } = body
  const rules = metadataRulesOf(configuration, 'customer')
  if (!isPage(ctx) && !accepts(() => rules.check(profile.metadata ?? {}, { isNew: true }))) return null
  return newCustomerColumns(ctx, source_id, profile)
}

function accepts(check: () => void): boolean {
  try {
    check()
    return true
  } catch (error) {
    if (error instanceof ApiError) return false
    throw error
  }
}
