import type { Ctx } from '../../core/context.ts'
import { invalidQuery } from '../../core/http/errors.ts'
import { compileValidator } from '../../core/http/validation.ts'
import { type DescribedObject, loadMetadataRules } from '../../definitions/metadata-schemas/rules.ts'
import { CreatePublication, type CreatePublicationQuery } from './schema.ts'

const shape = compileValidator(CreatePublication)

/**
 * Converts a query string to the equivalent body (docs/reference/publications.md#create-a-publication). All values are
 * text: numbers are parsed here, metadata according to the schemas of the project.
 */
export async function readPublicationQuery(ctx: Ctx, query: CreatePublicationQuery): Promise<CreatePublication> {
  const { join_once: _, campaign, customer, metadata, ...rest } = query
  const body = {
    ...rest,
    ...(campaign === undefined
      ? {}
      : { campaign: typeof campaign === 'string' ? campaign : withNumericCount(campaign) }),
    customer: typeof customer === 'string' ? customer : await withMetadata(ctx, { ...customer }),
    ...(metadata === undefined ? {} : { metadata: await fromTexts(ctx, 'publication', metadata) }),
  }
  const faults = shape.faults(body, { root: 'Query', required: 'should' })
  if (faults.length > 0) throw invalidQuery(faults)
  return shape.normalise(body) as CreatePublication
}

const withNumericCount = ({ name, count }: { name?: string; count?: string }) => ({
  ...(name === undefined ? {} : { name }),
  ...(count === undefined ? {} : { count: Number(count) }),
})

async function withMetadata(ctx: Ctx, customer: Record<string, unknown>): Promise<Record<string, unknown>> {
  const { metadata } = customer
  if (typeof metadata !== 'object' || metadata === null) return customer
  return { ...customer, metadata: await fromTexts(ctx, 'customer', metadata) }
}

async function fromTexts(ctx: Ctx, object: DescribedObject, texts: object): Promise<Record<string, unknown>> {
  const rules = await loadMetadataRules(ctx, object)
  return Object.fromEntries(
    Object.entries(texts).map(([key, value]) => [key, typeof value === 'string' ? rules.fromText(key, value) : value]),
  )
}
