import type { Filter, MetadataType, Shape } from '@guerdon/engine/schema'
import type { Segment } from '../../audience/segments/schema.ts'
import type { CollectionMember } from '../../catalogue/product-collections/schema.ts'
import type { Product } from '../../catalogue/products/schema.ts'
import type { Sku } from '../../catalogue/skus/schema.ts'
import type { CreatedResource, JsonTemplate, TemplateCampaign, TemplateRule } from './schema.ts'

/**
 * The content of a template: a snapshot that does not change when its source campaign or tier does
 * (docs/reference/campaign-templates.md#what-a-template-holds).
 */
export interface TemplateContent {
  campaign: TemplateCampaign
  /** Banner of the promotion tier that the template was created from; copied to tiers created from the template. */
  banner: string | null
  /** In the order of evaluation. */
  validation_rules: TemplateRule[]
  resources: TemplateResources
  metadata_keys: TypedKey[]
  /** Names of custom events that segments count. */
  custom_events: string[]
}

/** Resources that the rules and the discount reference, with their ids in the source project. */
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
  /** False: the product itself is not referenced, only SKUs of it. */
  is_named: boolean
  /** All SKUs if the product itself is referenced, otherwise the referenced ones only. */
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

/** A dynamic segment; templates do not support static ones. */
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

/** A metadata key that rules, formulas or filters compare, with its type in the source project. */
export interface TypedKey {
  object: string
  key: string
  type: MetadataType
  array: boolean
}

/** The part of the content that the API returns (D70). */
export const toJsonTemplate = (
  campaignType: JsonTemplate['campaign_type'],
  { campaign, validation_rules }: TemplateContent,
): JsonTemplate => ({ campaign_type: campaignType, campaign, validation_rule: validation_rules[0] ?? null })

/** Maps the resources of a template to resources of this project, and lists the newly created ones. */
export interface ResourceMapping {
  created: CreatedResource[]
  /** The id in this project; equals the id in the template unless the resource was found or created under another id. */
  idOf(name: string): string
  recordFound(id: string, idHere: string): void
  recordCreated(id: string, resource: CreatedResource): void
}
