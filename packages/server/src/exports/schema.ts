import { FilterField, Instant, Junction, Maybe, Nullable, OneOf, shownAs, variants } from '@guerdon/engine/schema'
import { type Static, Type } from 'typebox'
import { limits } from '../core/lib/limits.ts'
import { listOf, PageQuery } from '../core/query/list.ts'
import { type Exportable, fieldNames } from './exportable.ts'
import { type ExportedObject, exportables } from './objects.ts'

/** The parameters of an export; all have defaults. */
function parametersOf(exportedObject: ExportedObject) {
  const exportable: Exportable = exportables[exportedObject]
  const { default_fields, orders } = exportable
  return Type.Object({
    order: Maybe(OneOf<readonly string[]>(orders)),
    fields: Maybe(
      Type.Array(Type.String(), {
        maxItems: limits.csv_columns_max,
        description: `The columns of the file, of: ${fieldNames(exportable)
          .map((name) => `\`${name}\``)
          .join(', ')}. Without any: ${default_fields.map((name) => `\`${name}\``).join(', ')}.`,
      }),
    ),
    filters: Maybe(ExportFilter),
  })
}

/** The filter of an export; `parseFilter` checks it, because the fields depend on the object. */
export const ExportFilter = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  [shownAs]: () => exportFilterForm,
})

const state = Type.Optional(Type.Boolean())

/** The states of a voucher in short (docs/reference/filters.md#states). */
export const VoucherState = Type.Object({ active: state, enabled: state, disabled: state, expired: state })

const exportFilterForm = Type.Object(
  {
    junction: Maybe(Junction),
    active: Type.Optional(
      Type.Unsafe<object>({ anyOf: [FilterField, VoucherState], description: 'Of vouchers: the state.' }),
    ),
  },
  { additionalProperties: FilterField },
)

export const OrderExportParameters = parametersOf('order')
export const CustomerExportParameters = parametersOf('customer')
export const ProductExportParameters = parametersOf('product')
export const SkuExportParameters = parametersOf('sku')
export const RedemptionExportParameters = parametersOf('redemption')
export const PublicationExportParameters = parametersOf('publication')
export const TransactionExportParameters = parametersOf('voucher_transactions')
export const PointsExpirationExportParameters = parametersOf('points_expiration')
export const ApiLogExportParameters = parametersOf('api_log')
export const VoucherExportParameters = Type.Object({
  ...parametersOf('voucher').properties,
  campaign_id: Maybe(Type.String({ description: 'Only the codes of the campaign with this id.' })),
})

/** The parameters that were sent; the others have defaults. */
export type AskedParameters = Static<typeof VoucherExportParameters>

export const CreateExport = variants('exported_object', [
  Type.Object({ exported_object: Type.Literal('order'), parameters: Maybe(OrderExportParameters) }),
  Type.Object({ exported_object: Type.Literal('customer'), parameters: Maybe(CustomerExportParameters) }),
  Type.Object({ exported_object: Type.Literal('product'), parameters: Maybe(ProductExportParameters) }),
  Type.Object({ exported_object: Type.Literal('sku'), parameters: Maybe(SkuExportParameters) }),
  Type.Object({ exported_object: Type.Literal('voucher'), parameters: Maybe(VoucherExportParameters) }),
  Type.Object({ exported_object: Type.Literal('redemption'), parameters: Maybe(RedemptionExportParameters) }),
  Type.Object({ exported_object: Type.Literal('publication'), parameters: Maybe(PublicationExportParameters) }),
  Type.Object({
    exported_object: Type.Literal('voucher_transactions'),
    parameters: Maybe(TransactionExportParameters),
  }),
  Type.Object({
    exported_object: Type.Literal('points_expiration'),
    parameters: Maybe(PointsExpirationExportParameters),
  }),
  Type.Object({ exported_object: Type.Literal('api_log'), parameters: Maybe(ApiLogExportParameters) }),
])
export type CreateExport = Static<typeof CreateExport>

export const CreateOrderExport = Type.Object({ parameters: Maybe(OrderExportParameters) })

const transactionParameters = {
  order: Maybe(OneOf(['-created_at', 'created_at'])),
  fields: Maybe(Type.Array(Type.String(), { maxItems: limits.csv_columns_max })),
}

/** The body of an export of transactions; the path contains the card or campaign. */
export const CreateTransactionExport = Type.Object({ parameters: Maybe(Type.Object(transactionParameters)) })

export const CreateCampaignTransactionExport = Type.Object({
  parameters: Maybe(Type.Object({ ...transactionParameters, filters: Maybe(ExportFilter) })),
})

/** The path contains the card or campaign. */
export const ExportCardTransactions = Type.Object({ parameters: Maybe(TransactionExportParameters) })
export const ExportPointsExpiration = Type.Object({ parameters: Maybe(PointsExpirationExportParameters) })

/**
 * With defaults, except for exports of transactions and points, which show only the parameters that were sent
 * (docs/reference/balances.md#export-transactions and docs/reference/points.md#list-buckets).
 */
export const ExportParameters = Type.Object({
  order: Type.Optional(Type.String()),
  fields: Type.Optional(Type.Array(Type.String())),
  filters: Type.Optional(ExportFilter),
  campaign_id: Type.Optional(Type.String()),
})
export type ExportParameters = Static<typeof ExportParameters>

/** Also stores `bound`, the filter that the path sets and that always applies, and `asked`, the caller's filters without it. */
export type StoredParameters = ExportParameters & {
  order: string
  fields: string[]
  filters: Record<string, unknown>
  bound?: Record<string, unknown>
  asked?: Record<string, unknown>
  /** The parameters that responses show instead. */
  shown?: ExportParameters
}

export const Export = Type.Object({
  id: Type.String({ description: 'Time-ordered id, `exp_` and 24 characters.' }),
  object: Type.Literal('export'),
  created_at: Instant,
  status: OneOf(['SCHEDULED', 'IN_PROGRESS', 'DONE', 'ERROR']),
  channel: Type.Literal('API'),
  exported_object: Type.String(),
  parameters: ExportParameters,
  result: Nullable(
    Type.Object({
      url: Type.String({ description: 'Where the file is; every caller who has this URL can download it.' }),
    }),
  ),
  user_id: Type.Null(),
})
export type Export = Static<typeof Export>

export const ExportList = listOf('exports', Export, { total: true })

export const ExportQuery = Type.Object(PageQuery({ order: ['-created_at', 'created_at', 'status', '-status'] }))
export type ExportQuery = Static<typeof ExportQuery>

export const GetExportQuery = Type.Object({
  token: Type.Optional(
    Type.String({
      description: 'The secret in the `url` of the result: with it, and without credentials, the file is answered.',
    }),
  ),
})
