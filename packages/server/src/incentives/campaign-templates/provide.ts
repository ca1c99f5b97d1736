import { isDeepStrictEqual } from 'node:util'
import { createSegment } from '../../audience/segments/create.ts'
import { createCollection } from '../../catalogue/product-collections/create.ts'
import type { CreateProductCollection } from '../../catalogue/product-collections/schema.ts'
import type { Ctx } from '../../core/context.ts'
import { nextConfigurationVersion } from '../../core/db/configuration.ts'
import { limits } from '../../core/lib/limits.ts'
import { insertLocation } from '../../definitions/locations/store.ts'
import { createRule } from '../../rules/validation-rules/create.ts'
import type {
  ResourceMapping,
  TemplateCollection,
  TemplateContent,
  TemplateLocation,
  TemplateSegment,
} from './content.ts'
import { refuseOtherTypes } from './metadata-keys.ts'
import { provideGoods } from './provide-goods.ts'
import { type Rename, renamedFilter, renamedMember, renamedRule } from './references.ts'
import type { CreatedResource } from './schema.ts'
import { isCollectionNameTaken, listCollectionsById, listLocationsById, listSegmentsById } from './sources.ts'

/** The resources of a template as they exist in this project. */
export interface ReadyResources {
  created_resources: CreatedResource[]
  rename: Rename
  /** Copies of the template's rules, to be assigned. */
  rule_ids: string[]
}

/**
 * Ensures that every resource a template needs exists, and maps references to the ids of this project
 * (docs/reference/campaign-templates.md#what-the-use-of-a-template-makes). An error now or later in the request rolls
 * back everything that was created.
 */
export async function provideResources(ctx: Ctx, content: TemplateContent): Promise<ReadyResources> {
  const { metadata_keys, resources, validation_rules } = content
  await refuseOtherTypes(ctx, metadata_keys)
  const mapping = newResourceMapping()
  await provideGoods(ctx, resources.products, mapping)
  await provideLocations(ctx, resources.locations, mapping)
  await provideSegments(ctx, resources.segments, mapping)
  await provideCollections(ctx, resources.collections, mapping)
  const ruleIds: string[] = []
  for (const rule of validation_rules) {
    const { id } = await createRule(ctx, renamedRule(rule, mapping.idOf))
    mapping.created.push({ id, object: 'validation_rules' })
    ruleIds.push(id)
  }
  return { created_resources: mapping.created, rename: mapping.idOf, rule_ids: ruleIds }
}

function newResourceMapping(): ResourceMapping {
  const ids = new Map<string, string>()
  const created: CreatedResource[] = []
  return {
    created,
    idOf: (id) => ids.get(id) ?? id,
    recordFound: (id, idHere) => void ids.set(id, idHere),
    recordCreated(id, resource) {
      ids.set(id, resource.id)
      created.push(resource)
    },
  }
}

/** Whether an identical resource exists: same id and deeply equal content. */
const hasIdentical = (existing: readonly object[], wanted: object): boolean =>
  existing.some((resource) => isDeepStrictEqual(resource, wanted))

const idsOf = (resources: ReadonlyArray<{ id: string }>): string[] => resources.map(({ id }) => id)

async function provideLocations(
  ctx: Ctx,
  locations: readonly TemplateLocation[],
  mapping: ResourceMapping,
): Promise<void> {
  const existing = await listLocationsById(ctx, idsOf(locations))
  for (const location of locations) {
    if (hasIdentical(existing, location)) continue
    const { name, shape } = location
    const created = await insertLocation(ctx, { name, shape })
    mapping.recordCreated(location.id, { id: created.id, object: 'location' })
  }
}

async function provideSegments(
  ctx: Ctx,
  segments: readonly TemplateSegment[],
  mapping: ResourceMapping,
): Promise<void> {
  const existing = await listSegmentsById(ctx, idsOf(segments))
  for (const segment of segments) {
    const { name, type } = segment
    const filter = renamedFilter(segment.filter, mapping.idOf)
    if (hasIdentical(existing, { ...segment, filter })) continue
    const created = await createSegment(ctx, { name, type, filter })
    mapping.recordCreated(segment.id, { id: created.id, object: 'segments' })
  }
}

async function provideCollections(
  ctx: Ctx,
  collections: readonly TemplateCollection[],
  mapping: ResourceMapping,
): Promise<void> {
  const existing = await listCollectionsById(ctx, idsOf(collections))
  for (const collection of collections.map((copy) => renamedCollection(copy, mapping.idOf))) {
    if (hasIdentical(existing, collection)) continue
    const name = await freeName(ctx, collection.name)
    const created = await createCollection(ctx, bodyOf({ ...collection, name }))
    mapping.recordCreated(collection.id, { id: created.id, object: 'products_collection' })
  }
}

function renamedCollection(collection: TemplateCollection, rename: Rename): TemplateCollection {
  if (collection.type === 'AUTO_UPDATE') return { ...collection, filter: renamedFilter(collection.filter, rename) }
  const products = collection.products.map((member) => renamedMember(member, rename))
  return { ...collection, products }
}

/** Omits the `product_id` of SKUs, which the catalogue looks up: an SKU found here may belong to another product. */
const bodyOf = (collection: TemplateCollection): CreateProductCollection =>
  collection.type === 'AUTO_UPDATE'
    ? { type: collection.type, name: collection.name, filter: collection.filter }
    : {
        type: collection.type,
        name: collection.name,
        products: collection.products.map(({ id, object }) => ({ id, object })),
      }

/**
 * The name of a collection, or the first free one of `name (2)`, `name (3)` …: names are unique, and a collection that
 * changed since the template was created still has the original name.
 */
async function freeName(ctx: Ctx, name: string): Promise<string> {
  await nextConfigurationVersion(ctx.db, ctx.project_id) // locks the project: no concurrent request takes a name
  for (let number = 1; ; number += 1) {
    const suffix = number === 1 ? '' : ` (${number})`
    const candidate = `${[...name].slice(0, limits.name_length_max - suffix.length).join('')}${suffix}`
    if (!(await isCollectionNameTaken(ctx, candidate))) return candidate
  }
}
