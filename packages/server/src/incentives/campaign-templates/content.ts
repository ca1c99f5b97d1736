import type { Filter, MetadataType, Shape } from '@guerdon/engine/schema'
import type { Segment } from '../../audience/segments/schema.ts'
import type { CollectionMember } from '../../catalogue/product-collections/schema.ts'
import type { Product } from '../../catalogue/products/schema.ts'
import type { Sku } from '../../catalogue/skus/schema.ts'
import type { CreatedResource, JsonTemplate, TemplateCampaign, TemplateRule } from './schema.ts'

/**
 * All that a template holds: nothing of it changes when its source does
 * (docs/reference/campaign-templates.md#what-a-template-holds).
 */
export interface TemplateContent {
  campaign: TemplateCampaign
  /** Of the promotion tier that the template was made of; for the tiers that are made of it. */
  banner: string | null
  /** In the order of evaluation. */
  validation_rules: TemplateRule[]
  resources: TemplateResources
  metadata_keys: TypedKey[]
  /** Names of custom events that segments count. */
  custom_events: string[]
}

/** What the rules and the discount need to mean something, with the ids it had. */
export interface TemplateResources {
  products: TemplateProduct[]
  locations: TemplateLocation[]
  segments: TemplateSegment[]
  collections: TemplateCollection[]
}

type Identity = { id: string; source_id: string | null }

export interface TemplateProduct
  extends Identity,
    Pick<Product, 'name' | 'price' | 'attributes' | 'metadata' | 'image_url'> {
  /** False: only here because its SKUs are. */
  is_named: boolean
  /** All of it where it is named itself, otherwise those that are. */
  skus: TemplateSku[]
}

export interface TemplateSku
  extends Identity,
    Pick<Sku, 'sku' | 'price' | 'currency' | 'attributes' | 'metadata' | 'image_url'> {
  is_named: boolean
}

export interface TemplateLocation {
  id: string
  name: string
  shape: Shape
}

/** A dynamic one. */
export interface TemplateSegment {
  id: string
  name: string
  type: Exclude<Segment['type'], 'static'>
  filter: Filter
}

export type TemplateCollection = { id: string; name: string } & (
  | { type: 'STATIC'; products: CollectionMember[] }
  | { type: 'AUTO_UPDATE'; filter: Filter }
)

/** A metadata key that rules, formulas or filters compare, with the type it had. */
export interface TypedKey {
  object: string
  key: string
  type: MetadataType
  array: boolean
}

/** What is shown of it (D70). */
export const toJsonTemplate = (
  campaignType: JsonTemplate['campaign_type'],
  { campaign, validation_rules }: TemplateContent,
): JsonTemplate => ({ campaign_type: campaignType, campaign, validation_rule: validation_rules[0] ?? null })

/** What became of the resources of a template: what each is called here, and which of them are new. */
export interface Provided {
  created: CreatedResource[]
  /** What something is called here; the same as in the template unless it was found or made under another id. */
  idOf(name: string): string
  found(id: string, idHere: string): void
  made(id: string, resource: CreatedResource): void
}
