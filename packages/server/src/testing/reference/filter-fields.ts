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

/** A project with case-sensitive codes and without metadata schemas; the fields are the same for every such project. */
const project = { case_sensitive_codes: true }
const types = {}

/** The filter fields of a list, by operation id. */
const fieldsByOperation: Readonly<Record<string, FilterFields>> = {
  listVouchers: voucherFields(types, project),
  listCampaigns: campaignFields(types),
  listCampaignTransactions: campaignTransactionFields,
  listPublications: publicationFields(types),
  listVoucherPublications: publicationFields(types),
  listRedemptions: redemptionFields(project),
  listPromotionStacks: stackFields,
  validatePromotions: fieldsOfNames(promotionFields),
  listCampaignTemplates: templateFields,
  listCampaignTemplatesOfProject: templateFields,
  listCustomers: customerFields('', types),
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

/** Promotions are filtered by the engine, which knows only names: every field except metadata is text. */
function fieldsOfNames(names: readonly string[]): FilterFields {
  return Object.fromEntries(
    names.map((name): [string, FilterField] => [
      name,
      name === 'metadata.*' ? { type: 'metadata', column: name, key: '*' } : { type: 'string', column: name },
    ]),
  )
}

/** The fields of each filter by type; filters with the same fields share their rows. */
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

/** Every filter with its name in the table. */
function filters(): Array<[name: string, fields: FilterFields]> {
  return [
    ...operations
      .filter(hasFilters)
      .toSorted(byPath)
      .map(({ id, method, path }): [string, FilterFields] => {
        const fields = fieldsByOperation[id]
        if (fields === undefined) throw new Error(`testing/reference/filter-fields.ts has no filter fields for ${id}`)
        return [code(`${method} ${path}`), fields]
      }),
    ['[segments](segments.md)', customerFields('', types)],
    ['[product collections](product-collections.md)', goodsFields(types)],
    ...Object.entries(exportables).map(([name, { filterFields }]: [string, Exportable]): [string, FilterFields] => [
      `[export](exports.md) of ${code(name)}`,
      filterFields(types, { project } as Ctx),
    ]),
  ]
}

/** Sorted by path, so that the table does not depend on the module of an operation. */
const byPath = (a: Operation, b: Operation): number => (a.path < b.path ? -1 : 1)

const hasFilters = ({ query }: Operation): boolean =>
  query !== undefined && 'properties' in query && 'filters' in (query.properties as object)

function typeOf(field: FilterFields[string]): string {
  const fieldType = typeof field === 'function' ? field('*') : field
  const name = typeNames[fieldType.type]
  if (fieldType.states !== undefined) return `${name} with [states](#states)`
  return 'ignores_year' in fieldType ? `${name} of a birthday` : name
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
