import { type Selectable, sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import type { CampaignRow, CustomerRow, HolderRow, PublicationRow, VoucherRow } from '../../core/db/tables.ts'
import { tallyOf } from '../../core/db/tallies.ts'
import type { SimpleCustomer } from '../../core/events/shapes.ts'
import { newId } from '../../core/lib/ids.ts'
import type { Condition } from '../../core/query/filter/conditions.ts'
import { pageOf } from '../../core/query/list.ts'
import { toStored, voucherQuery } from '../vouchers/store.ts'
import type { StoredVoucher } from '../vouchers/voucher.ts'
import type { PublicationQuery } from './schema.ts'

export type StoredPublication = Selectable<PublicationRow>

/** A publication that has used a source id. Its voucher may be in the bin by now. */
export type SourcePublication = StoredPublication & { is_readable: boolean }

/** The successful publication with this source id. */
export async function findPublicationBySource(
  { db, project_id }: Ctx,
  sourceId: string,
): Promise<SourcePublication | undefined> {
  return db
    .selectFrom('publications')
    .where('project_id', '=', project_id)
    .where('source_id', '=', sourceId)
    .where(sql<boolean>`result = 'SUCCESS'`) // verbatim the predicate of the partial index
    .selectAll()
    .select(
      sql<boolean>`exists (
        select from vouchers where vouchers.project_id = ${project_id}
          and vouchers.id = any(publications.voucher_ids) and vouchers.deleted_at is null)`.as('is_readable'),
    )
    .executeTakeFirst()
}

/** The first publication to a customer of a readable voucher: of any in a campaign, or of the given one. */
export async function findPublicationTo(
  { db, project_id }: Ctx,
  customerId: CustomerRow['id'],
  subject: { campaign_id: CampaignRow['id'] } | { voucher_id: VoucherRow['id'] },
): Promise<StoredPublication | undefined> {
  return db
    .selectFrom('holders')
    .innerJoin('vouchers', (join) =>
      join.onRef('vouchers.project_id', '=', 'holders.project_id').onRef('vouchers.id', '=', 'holders.voucher_id'),
    )
    .innerJoin('publications', (join) =>
      join
        .onRef('publications.project_id', '=', 'holders.project_id')
        .onRef('publications.id', '=', 'holders.publication_id'),
    )
    .where('holders.project_id', '=', project_id)
    .where('holders.customer_id', '=', customerId)
    .where((is) =>
      'voucher_id' in subject
        ? is('holders.voucher_id', '=', subject.voucher_id)
        : is('holders.campaign_id', '=', subject.campaign_id),
    )
    .where('vouchers.deleted_at', 'is', null)
    .orderBy('holders.id')
    .limit(1)
    .selectAll('publications')
    .executeTakeFirst()
}

/**
 * Locks publishable vouchers of a campaign, oldest first, until the end of the transaction. Rows locked by concurrent
 * transactions are skipped or, with `waits`, waited for in this order.
 */
export async function takeFreeVouchers(
  ctx: Ctx,
  campaignId: CampaignRow['id'],
  count: number,
  { waits }: { waits: boolean },
): Promise<StoredVoucher[]> {
  const rows = await voucherQuery(ctx)
    .where('vouchers.campaign_id', '=', campaignId)
    // Verbatim the predicate of the partial index, without parameters, so that the planner uses it.
    .where(sql<boolean>`vouchers.publish_count = 0 and vouchers.active`)
    .where((is) => is.or([is('vouchers.expiration_date', 'is', null), is('vouchers.expiration_date', '>=', ctx.now)]))
    .orderBy('vouchers.id')
    .limit(count)
    .forUpdate('vouchers')
    .$if(!waits, (query) => query.skipLocked())
    .execute()
  return rows.map(toStored)
}

/**
 * Inserts a successful publication, updates its vouchers and inserts their holders. Returns false if the source id is
 * taken; the caller then throws, which rolls everything back.
 */
export async function insertPublished(
  { db, project_id, now }: Ctx,
  publication: StoredPublication,
  vouchers: readonly StoredVoucher[],
): Promise<boolean> {
  const { customer_id, campaign_id, id } = publication
  const publishedRows = vouchers.map((voucher) => ({
    id: voucher.id,
    expiration_date: voucher.expiration_date,
    referrer_id: voucher.referrer_id,
    holder_id: newId('holder'),
    role: roleOf(voucher),
  }))
  const { rows } = await sql`
    with given as (
      select * from jsonb_to_recordset(${JSON.stringify(publishedRows)}::jsonb)
        as given (id text, expiration_date timestamptz, referrer_id text, holder_id text, role text)
    ), published as (
      update vouchers
      set publish_count = vouchers.publish_count + 1, holder_id = ${customer_id}, referrer_id = given.referrer_id,
        expiration_date = given.expiration_date, updated_at = ${now}::timestamptz
      from given where vouchers.project_id = ${project_id} and vouchers.id = given.id
    ), held as (
      insert into holders (project_id, id, voucher_id, customer_id, campaign_id, role, publication_id, created_at)
      select own.id, given.holder_id, given.id, ${customer_id}, ${campaign_id}, given.role, ${id}, ${now}::timestamptz
      from projects own, given where own.id = ${project_id}
    )
    ${insertSql(publication)}
    on conflict (project_id, source_id) where result = 'SUCCESS' do nothing
    returning id`.execute(db)
  return rows.length === 1
}

/** The role in which the customer holds a published voucher. */
export const roleOf = ({ is_referral_code }: Pick<StoredVoucher, 'is_referral_code'>): HolderRow['role'] =>
  is_referral_code ? 'REFERRER' : 'OWNER'

/** Inserts a failed publication, which does not reserve its source id. */
export async function insertFailure({ db }: Ctx, publication: StoredPublication): Promise<void> {
  await insertSql(publication).execute(db)
}

const insertSql = (row: StoredPublication) => sql`
  insert into publications (project_id, id, customer_id, campaign_id, voucher_ids, voucher_code, voucher_type,
    is_referral_code, source_id, channel, metadata, result, failure_code, failure_message, created_at)
  values (${row.project_id}, ${row.id}, ${row.customer_id}, ${row.campaign_id}, ${row.voucher_ids}::text[],
    ${row.voucher_code}, ${row.voucher_type}, ${row.is_referral_code}, ${row.source_id}, ${row.channel},
    ${JSON.stringify(row.metadata)}::jsonb, ${row.result}, ${row.failure_code}, ${row.failure_message},
    ${row.created_at}::timestamptz)`

/** Publications of the project with their customers. */
function publicationQuery({ db, project_id }: Ctx) {
  return db
    .selectFrom('publications')
    .leftJoin('customers', (join) =>
      join
        .onRef('customers.project_id', '=', 'publications.project_id')
        .onRef('customers.id', '=', 'publications.customer_id'),
    )
    .leftJoin('campaigns', (join) =>
      join
        .onRef('campaigns.project_id', '=', 'publications.project_id')
        .onRef('campaigns.id', '=', 'publications.campaign_id'),
    )
    .where('publications.project_id', '=', project_id)
    .selectAll('publications')
    .select(['customers.name', 'customers.email', 'customers.source_id as tracking_id'])
    .select(sql<SimpleCustomer['metadata']>`coalesce(customers.metadata, '{}')`.as('customer_metadata'))
}

export type ListedRow = Awaited<ReturnType<ReturnType<typeof publicationQuery>['execute']>>[number]

/** A page of publications. An id begins with its creation time, so the order of creation is that of the primary key. */
export async function listPublications(
  ctx: Ctx,
  query: Pick<PublicationQuery, 'limit' | 'page' | 'order' | 'starting_after_id'>,
  where: Condition[],
): Promise<{ rows: ListedRow[]; total: number }> {
  return pageOf(publicationQuery(ctx), query, {
    columns: {
      created_at: 'publications.id',
      id: 'publications.id',
      voucher_code: { nullable: 'publications.voucher_code' },
      tracking_id: { nullable: 'customers.source_id' },
      customer_id: { nullable: 'publications.customer_id' },
      channel: 'publications.channel',
    },
    default_order: '-created_at',
    id: 'publications.id',
    where,
    total: tallyOf(ctx.project_id, 'publications'),
  })
}
