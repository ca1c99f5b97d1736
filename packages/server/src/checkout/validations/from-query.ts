import type { Ctx } from '../../core/context.ts'
import { invalidQuery } from '../../core/http/errors.ts'
import { type DescribedObject, loadMetadataRules } from '../../definitions/metadata-schemas/rules.ts'
import type {
  PromotionValidationBody,
  PromotionValidationByQuery,
  VoucherValidationBody,
  VoucherValidationByQuery,
} from './schema.ts'

/** Reads the code and the body from a query string (docs/reference/client-side.md#single-vouchers-and-tiers). */
export async function readVoucherQuery(
  ctx: Ctx,
  query: VoucherValidationByQuery,
): Promise<{ code: string; body: VoucherValidationBody }> {
  // Removes only white space that no code can contain: a space between two words stays (docs/reference/codes.md#valid-codes).
  const code = query.code.replaceAll(/\p{Cc}/gu, '').trim()
  if (code === '') throw invalidQuery('Property .code must NOT have fewer than 1 characters')
  const { session_type: type, session_key: key, session_ttl: ttl, session_ttl_unit: ttlUnit } = query
  return {
    code,
    body: {
      ...(await readPromotionQuery(ctx, query)),
      session: withoutUndefined({ type, key, ttl, ttl_unit: ttlUnit }),
    },
  }
}

/**
 * Reads the body from a query string. All its values are strings: metadata are converted to the types of the project's schemas.
 */
export async function readPromotionQuery(
  ctx: Ctx,
  { amount, item, order, metadata, customer, tracking_id }: PromotionValidationByQuery,
): Promise<PromotionValidationBody> {
  const orderMetadata = order?.metadata && (await metadataFromText(ctx, 'order', order.metadata))
  const orderBody = withoutUndefined({ amount, items: item, metadata: orderMetadata })
  return {
    ...withoutUndefined({ tracking_id }),
    ...(Object.keys(orderBody).length === 0 ? {} : { order: orderBody }),
    ...(metadata === undefined ? {} : { metadata: await metadataFromText(ctx, 'redemption', metadata) }),
    ...(customer === undefined
      ? {}
      : { customer: typeof customer === 'string' ? customer : await customerFromQuery(ctx, customer) }),
  }
}

async function customerFromQuery(
  ctx: Ctx,
  { source_id, metadata }: { source_id?: string; metadata?: Record<string, unknown> },
) {
  return withoutUndefined({ source_id, metadata: metadata && (await metadataFromText(ctx, 'customer', metadata)) })
}

async function metadataFromText(
  ctx: Ctx,
  object: DescribedObject,
  texts: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const rules = await loadMetadataRules(ctx, object)
  return Object.fromEntries(
    Object.entries(texts).map(([key, value]) => [key, typeof value === 'string' ? rules.fromText(key, value) : value]),
  )
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

const withoutUndefined = <T extends object>(values: T): Defined<T> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Defined<T>
