import type { StoredCustomer } from '../../audience/customers/customer.ts'
import type { Configuration, ConfiguredCampaign } from '../../core/configuration/configuration.ts'
import type { Db } from '../../core/db/database.ts'
import { JsonParameter } from '../../core/db/json-parameter.ts'
import { fromJson } from '../../core/db/json-row.ts'
import { preparedStatement } from '../../core/db/prepared-statements.ts'
import type { Instant } from '../../core/lib/instant.ts'
import type { StoredVoucher } from '../vouchers/voucher.ts'
import type { BatchedPublication } from './batchable.ts'

/** The parameter of `publication_lock`. Each key is read there: `functions/functions.test.ts` compares them. */
export interface TakeParameter {
  now: Instant
  lock_timeout: string
  is_exclusive?: true
  /** Whether to return which customers have joined which campaigns. */
  joins?: true
  customer_sources: string[]
  customer_ids?: string[]
  new_customers?: object[]
  /** Codes of vouchers. */
  codes?: string[]
  /** How many free vouchers of which campaign. */
  wanted?: Array<{ campaign_id: string; count: number }>
  /** Source ids of the publications. */
  source_ids?: string[]
}

interface TakenRows {
  config_version: number
  customers: object[] | null
  customers_by_id: object[] | null
  created: object[] | null
  /** Ids of the campaigns that are locked. */
  campaigns: string[]
  named: object[] | null
  free: object[] | null
  joined: Array<{ customer_id: string; campaign_id: string }> | null
  used: string[] | null
}

/** A voucher of the batch, without what the configuration knows of it. */
export type TakenVoucher = StoredVoucher & { has_rules: boolean }

/** What a batch has locked. Each voucher and each new customer is handed out once. */
export class Taken {
  readonly configVersion: number
  /** Campaigns of which there was no free voucher that is not locked. */
  readonly exhausted: readonly string[]
  readonly #customersBySource = new Map<string, StoredCustomer>()
  readonly #customersById = new Map<string, StoredCustomer>()
  readonly #createdIds: Set<string>
  readonly #campaignIds: ReadonlySet<string>
  readonly #named = new Map<string, TakenVoucher>()
  readonly #free = new Map<string, TakenVoucher[]>()
  readonly #joined: ReadonlySet<string>
  readonly #usedSources: ReadonlySet<string>

  constructor(rows: TakenRows, campaignIds: Iterable<string>) {
    this.configVersion = rows.config_version
    const created = (rows.created ?? []).map((row) => fromJson<StoredCustomer>(row))
    for (const customer of [...(rows.customers ?? []).map((row) => fromJson<StoredCustomer>(row)), ...created])
      this.#customersBySource.set(customer.source_id as string, customer)
    for (const row of rows.customers_by_id ?? []) {
      const customer = fromJson<StoredCustomer>(row)
      this.#customersById.set(customer.id, customer)
    }
    this.#createdIds = new Set(created.map(({ id }) => id))
    this.#campaignIds = new Set(rows.campaigns)
    for (const row of rows.named ?? []) {
      const voucher = fromJson<TakenVoucher>(row)
      this.#named.set(voucher.code_key, voucher)
    }
    for (const row of rows.free ?? []) {
      const voucher = fromJson<TakenVoucher>(row)
      const campaignId = voucher.campaign_id as string
      const vouchers = this.#free.get(campaignId)
      if (vouchers === undefined) this.#free.set(campaignId, [voucher])
      else vouchers.push(voucher)
    }
    this.exhausted = [...campaignIds].filter((id) => !this.#free.has(id))
    this.#joined = new Set((rows.joined ?? []).map(({ customer_id, campaign_id }) => `${customer_id} ${campaign_id}`))
    this.#usedSources = new Set(rows.used ?? [])
  }

  customerOf({ customer: { id, source_id } }: BatchedPublication): StoredCustomer | undefined {
    const byId = id === null ? undefined : this.#customersById.get(id)
    return byId ?? (source_id === null ? undefined : this.#customersBySource.get(source_id))
  }

  /** Whether this batch has created the customer; true only once. */
  claimCreated({ id }: StoredCustomer): boolean {
    return this.#createdIds.delete(id)
  }

  /** Whether the batch has created customers that no publication has claimed. */
  hasUnclaimed(): boolean {
    return this.#createdIds.size > 0
  }

  hasLocked(campaignId: string): boolean {
    return this.#campaignIds.has(campaignId)
  }

  nextVoucher({ wanted }: BatchedPublication): TakenVoucher | undefined {
    return 'campaign' in wanted ? this.#free.get(wanted.campaign.id)?.shift() : this.#named.get(wanted.code_key)
  }

  hasJoined({ id }: StoredCustomer, campaignId: string): boolean {
    return this.#joined.has(`${id} ${campaignId}`)
  }

  isUsed(sourceId: string): boolean {
    return this.#usedSources.has(sourceId)
  }
}

const take = preparedStatement<{ taken: TakenRows }>('select publication_lock($1, $2::jsonb) as taken')

/** Short: only the creation of a customer waits, and alone it may wait longer without holding up others. */
const lockTimeout = '250ms'

/** Locks the rows that a batch needs, as far as no other transaction has locked them. */
export async function takeRows(db: Db, projectId: string, batch: readonly BatchedPublication[]): Promise<Taken> {
  const distinct = (values: Iterable<string | null>) => [...new Set(values)].filter((value) => value !== null)
  const customerIds = distinct(batch.map(({ customer }) => customer.id))
  const newCustomers = new Map(
    batch.flatMap(({ new_customer }) => (new_customer === null ? [] : [[new_customer.source_id, new_customer]])),
  )
  const codes = distinct(batch.map(({ wanted }) => ('code_key' in wanted ? wanted.code_key : null)))
  const counts = new Map<string, number>()
  for (const { wanted } of batch)
    if ('campaign' in wanted) counts.set(wanted.campaign.id, (counts.get(wanted.campaign.id) ?? 0) + 1)
  const sourceIds = distinct(batch.map(({ source_id }) => source_id))
  const parameter: TakeParameter = {
    // A voucher that has not expired at the latest of these moments has not expired at the others either.
    now: batch.reduce((latest, { ctx }) => (ctx.now > latest ? ctx.now : latest), '') as Instant,
    lock_timeout: lockTimeout,
    ...(batch.some(({ is_exclusive }) => is_exclusive) ? { is_exclusive: true } : {}),
    ...(batch.some(mayJoin) ? { joins: true } : {}),
    customer_sources: distinct(batch.map(({ customer }) => customer.source_id)),
    ...(customerIds.length === 0 ? {} : { customer_ids: customerIds }),
    ...(newCustomers.size === 0 ? {} : { new_customers: [...newCustomers.values()] }),
    ...(codes.length === 0 ? {} : { codes }),
    ...(counts.size === 0
      ? {}
      : { wanted: [...counts].map(([campaignId, count]) => ({ campaign_id: campaignId, count })) }),
    ...(sourceIds.length === 0 ? {} : { source_ids: sourceIds }),
  }
  const [row] = await take(db, [projectId, new JsonParameter(parameter)])
  return new Taken((row as { taken: TakenRows }).taken, counts.keys())
}

/** Whether the customer may have joined already; of a named voucher the campaign is not known before. */
const mayJoin = ({ is_exclusive, join_once, wanted }: BatchedPublication): boolean =>
  join_once || (is_exclusive && 'code_key' in wanted)

/** The voucher as a query that joins its campaign and category returns it. */
export const withConfigured = (
  { has_rules: _, ...voucher }: TakenVoucher,
  { categories }: Configuration,
  campaign: ConfiguredCampaign | null,
): StoredVoucher => ({
  ...voucher,
  campaign: campaign?.name ?? null,
  campaign_type: campaign?.campaign_type ?? null,
  campaign_active: campaign?.active ?? null,
  category: voucher.category_id === null ? null : (categories.get(voucher.category_id) ?? null),
  next_expiration: null,
})
