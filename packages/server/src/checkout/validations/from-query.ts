import type { Ctx } from '../../core/context.ts'
import { invalidQuery } from '../../core/http/errors.ts'
import { type DescribedObject, loadMetadataRules } from '../../definitions/metadata-schemas/rules.ts'
import type {
  PromotionValidationBody,
  PromotionValidationByQuery,
  VoucherValidationBody,
  VoucherValidationByQuery,
} from './schema.ts'

/** The code and the body that a query string stands for (docs/reference/client-side.md#single-vouchers-and-tiers). */
export async function readVoucherQuery(
  ctx: Ctx,
  query: VoucherValidationByQuery,
): Promise<{ code: string; body: VoucherValidationBody }> {
  // Only the white space that no code has: one of two words keeps the space between them (docs/reference/codes.md#valid-codes).
  const code = query.code.replaceAll(/\p{Cc}/gu, '').trim()
  if (code === '') throw invalidQuery('Property .code must NOT have fewer than 1 characters')
  const { session_type: type, session_key: key, session_ttl: ttl, session_ttl_unit: ttlUnit } = query
  return {
    code,
    body: { ...(await readPromotionQuery(ctx, query)), session: given({ type, key, ttl, ttl_unit: ttlUnit }) },
  }
}

/** The body that a query string stands for. All in it is text: metadata are read as the project's schemas want them. */
export async function readPromotionQuery(
  ctx: Ctx,
  { amount, item, order, metadata, customer, tracking_id }: PromotionValidationByQuery,
): Promise<PromotionValidationBody> {
  const orderMetadata = order?.metadata && (await fromTexts(ctx, 'order', order.metadata))
  const sent = given({ amount, items: item, metadata: orderMetadata })
  return {
    ...given({ tracking_id }),
    ...(Object.keys(sent).length === 0 ? {} : { order: sent }),
    ...(metadata === undefined ? {} : { metadata: await fromTexts(ctx, 'redemption', metadata) }),
    ...(customer === undefined
      ? {}
      : { customer: typeof customer === 'string' ? customer : await person(ctx, customer) }),
  }
}

async function person(ctx: Ctx, { source_id, metadata }: { source_id?: string; metadata?: Record<string, unknown> }) {
  return given({ source_id, metadata: metadata && (await fromTexts(ctx, 'customer', metadata)) })
}

async function fromTexts(
  ctx: Ctx,
  object: DescribedObject,
  texts: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const rules = await loadMetadataRules(ctx, object)
  return Object.fromEntries(
    Object.entries(texts).map(([key, value]) => [key, typeof value === 'string' ? rules.fromText(key, value) : value]),
  )
}

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

const given = <T extends object>(values: T): Given<T> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Given<T>
