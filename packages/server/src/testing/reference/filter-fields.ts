import { customerFields } from '../../audience/customers/fields.ts'
import { segmentFields } from '../../audience/segments/store.ts'
import { goodsFields } from '../../catalogue/product-collections/filter.ts'
import { catalogueListFields } from '../../catalogue/products/filter.ts'
import { promotionFields } from '../../checkout/validations/validate-promotions.ts'
import type { Ctx } from '../../core/context.ts'
import type { Operation } from '../../core/http/operation.ts'
import type { FilterField } from '../../core/query/filter/field.ts'
import type { FilterFields } from '../../core/query/filter/filter.ts'
import { locationFields } from '../../definitions/locations/store.ts'
import type { Exportable } from '../../exports/exportable.ts'
import { exportables } from '../../exports/objects.ts'
import { templateFields } from '../../incentives/campaign-templates/routes.ts'
import { campaignFields } from '../../incentives/campaigns/list.ts'
import { stackFields } from '../../incentives/promotions/stack-store.ts'
import { redeemableFields } from '../../incentives/publications/customer-redeemables.ts'
import { publicationFields } from '../../incentives/publications/list.ts'
import { voucherFields } from '../../incentives/vouchers/fields.ts'
import { campaignTransactionFields } from '../../incentives/vouchers/transactions.ts'
import { memberTransactionFields } from '../../loyalty/members/transactions.ts'
import { holderFields } from '../../loyalty/referrals/store.ts'
import { operations } from '../../operations.ts'
import { orderFields } from '../../orders/filter.ts'
import { redemptionFields } from '../../redemptions/list.ts'
import { binEntryFields } from '../../trash-bin/filter.ts'
import { code, codes, table } from './markdown.ts'

/** The same fields wherever codes differ in case and no metadata has a type. */
const project = { case_sensitive_codes: true }
const types = {}

/** What a list is filtered by, by the id of its operation. */
const listed: Readonly<Record<string, FilterFields>> = {
  listVouchers: voucherFields(types, project),
  listCampaigns: campaignFields(types),
  listCampaignTransactions: campaignTransactionFields,
  listPublications: publicationFields(types),
  listVoucherPublications: publicationFields(types),
  listRedemptions: redemptionFields(project),
  listPromotionStacks: stackFields,
  validatePromotions: ofNames(promotionFields),
  listCampaignTemplates: templateFields,
  listCampaignTemplatesOfProject: templateFields,
  listCustomers: customerFields(types),
  listCustomerRedeemables: redeemableFields,
  listSegments: segmentFields,
  listProducts: catalogueListFields('products', types),
  listSkus: catalogueListFields('skus', types),
  listOrders: orderFields(types),
  listLocations: locationFields,
  listProgramTransactions: campaignTransactionFields,
  listProgramMemberTransactions: memberTransactionFields,
  listMemberTransactions: memberTransactionFields,
  listReferralHoldersInCampaign: holderFields,
  listReferralHolders: holderFields,
  listBinEntries: binEntryFields,
}

/** Promotions are filtered by the engine, which knows names only: what is not metadata is a text. */
function ofNames(names: readonly string[]): FilterFields {
  return Object.fromEntries(
    names.map((name): [string, FilterField] => [
      name,
      name === 'metadata.*' ? { type: 'metadata', column: name, key: '*' } : { type: 'string', column: name },
    ]),
  )
}

/** Which fields each filter has, by type; filters with the same fields share their rows. */
export function filterFieldsTable(): string {
  const places = new Map<string, { named: string[]; fields: FilterFields }>()
  for (const [name, fields] of filters()) {
    const key = JSON.stringify(Object.entries(fields).map(([field, one]) => [field, typeOf(one)]))
    const place = places.get(key) ?? { named: [], fields }
    place.named.push(name)
    places.set(key, place)
  }
  return table(
    ['Filter of', 'Type', 'Fields'],
    [...places.values()].flatMap(({ named, fields }) =>
      [...Map.groupBy(Object.keys(fields), (field) => typeOf(fields[field]!))].map(([type, names], index) => [
        index === 0 ? named.join('; ') : '',
        type,
        codes(names),
      ]),
    ),
  )
}

/** Every filter with the name that the table gives it. */
function filters(): Array<[name: string, fields: FilterFields]> {
  return [
    ...operations
      .filter(hasFilters)
      .toSorted(byPath)
      .map(({ id, method, path }): [string, FilterFields] => {
        const fields = listed[id]
        if (fields === undefined)
          throw new Error(`testing/reference/filter-fields.ts does not know the filters of ${id}`)
        return [code(`${method} ${path}`), fields]
      }),
    ['[segments](segments.md)', customerFields(types)],
    ['[product collections](product-collections.md)', goodsFields(types)],
    ...Object.entries(exportables).map(([name, { filterFields }]: [string, Exportable]): [string, FilterFields] => [
      `[export](exports.md) of ${code(name)}`,
      filterFields(types, { project } as Ctx),
    ]),
  ]
}

/** So that the table does not depend on the module that carries an operation out. */
const byPath = (a: Operation, b: Operation): number => (a.path < b.path ? -1 : 1)

const hasFilters = ({ query }: Operation): boolean =>
  query !== undefined && 'properties' in query && 'filters' in (query.properties as object)

function typeOf(field: FilterFields[string]): string {
  const known = typeof field === 'function' ? field('*') : field
  const name = typeNames[known.type]
  if (known.states !== undefined) return `${name} with [states](#states)`
  return 'ignores_year' in known ? `${name} of a birthday` : name
}

const typeNames: Readonly<Record<FilterField['type'], string>> = {
  string: 'text',
  number: 'number',
  boolean: 'boolean',
  date: 'date',
  datetime: 'moment',
  datetimes: 'moments',
  array: 'list',
  metadata: 'as its [schema](metadata-schemas.md) says',
}
