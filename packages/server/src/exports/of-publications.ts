import type { MetadataType } from '@guerdon/engine/schema'
import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../core/context.ts'
import { yes } from '../core/query/filter/conditions.ts'
import type { FilterField } from '../core/query/filter/field.ts'
import type { Filter, FilterFields } from '../core/query/filter/filter.ts'
import { publicationFields } from '../incentives/publications/list.ts'
import { codeKey } from '../incentives/vouchers/store.ts'
import { bothWays, column, type Exportable, withValues } from './exportable.ts'

/** Publications, including failed ones. */
export const publication = {
  table: 'publications',
  joins: sql`
    left join customers on customers.project_id = publications.project_id and customers.id = publications.customer_id
    left join campaigns on campaigns.project_id = publications.project_id and campaigns.id = publications.campaign_id`,
  metadata: column('publications.metadata'),
  described_as: 'publication',
  fields: {
    voucher_code: (ctx) => codesOf(ctx, 'code'),
    code: (ctx) => codesOf(ctx, 'code'),
    customer_id: column('publications.customer_id'),
    date: column('publications.created_at'),
    channel: column('publications.channel'),
    customer_source_id: column('customers.source_id'),
    campaign: column('campaigns.name'),
    is_winner: sql`null`,
  },
  default_fields: ['voucher_code', 'customer_id', 'date', 'channel'],
  orders: bothWays('created_at', 'id', 'voucher_code', 'tracking_id', 'customer_id', 'channel'),
  sort_keys: {
    created_at: 'publications.id', // begins with the time of creation
    id: 'publications.id',
    voucher_code: 'publications.voucher_code',
    tracking_id: 'customers.source_id',
  },
  sorted_with_nulls: ['voucher_code', 'tracking_id'],
  sorted_without_index: ['voucher_code', 'tracking_id', 'channel'],
  where: yes,
  filterFields: exportFields,
  resolve: (ctx, filter) => foldCodes(ctx, filter),
} satisfies Exportable

/** The codes of a publication, in the order of publication. */
function codesOf({ project_id }: Ctx, which: 'code' | 'code_key'): RawBuilder<unknown> {
  return sql`(select jsonb_agg(given.${sql.ref(which)} order by each.place)
    from unnest(publications.voucher_ids) with ordinality as each (id, place)
    join vouchers as given on given.project_id = ${project_id} and given.id = each.id)`
}

/**
 * Besides the filters of the list, exports also filter by its other parameters
 * (docs/reference/publications.md#list-publications and docs/reference/exports.md#what-can-be-exported).
 */
function exportFields(types: Readonly<Record<string, MetadataType>>, ctx: Ctx): FilterFields {
  const listed = publicationFields(types)
  return {
    ...listed,
    created_at: { type: 'datetime', column: 'publications.created_at' },
    campaign: listed.campaign_name as FilterField,
    customer: { type: 'array', column: sql`jsonb_build_array(publications.customer_id, customers.source_id)` },
    voucher: { type: 'array', column: codesOf(ctx, 'code_key') },
  }
}

/** Codes are compared by `codeKey`, as the project is case-sensitive or not. */
const foldCodes = async ({ project }: Ctx, filter: Filter): Promise<Filter> =>
  withValues(filter, 'voucher', (value) => codeKey(project, String(value)))
