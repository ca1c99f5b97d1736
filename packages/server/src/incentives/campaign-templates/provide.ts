import { isDeepStrictEqual } from 'node:util'
import { createSegment } from '../../audience/segments/create.ts'
import { createCollection } from '../../catalogue/product-collections/create.ts'
import type { CreateProductCollection } from '../../catalogue/product-collections/schema.ts'
import type { Ctx } from '../../core/context.ts'
import { nextConfigurationVersion } from '../../core/db/configuration.ts'
import { limits } from '../../core/lib/limits.ts'
import { insertLocation } from '../../definitions/locations/store.ts'
import { createRule } from '../../rules/validation-rules/create.ts'
import type { Provided, TemplateCollection, TemplateContent, TemplateLocation, TemplateSegment } from './content.ts'
import { refuseOtherTypes } from './metadata-keys.ts'
import { provideGoods } from './provide-goods.ts'
import { type Rename, renamedFilter, renamedMember, renamedRule } from './references.ts'
import type { CreatedResource } from './schema.ts'
import { isCollectionNameTaken, listCollectionsById, listLocationsById, listSegmentsById } from './sources.ts'

/** What a template needs, as its use goes on with it. */
export interface ReadyResources {
  created_resources: CreatedResource[]
  rename: Rename
  /** Copies of the template's rules, to be assigned. */
  rule_ids: string[]
}

/**
 * Sees to it that all that a template needs is there, and that what it names is called what it is called here
 * (docs/reference/campaign-templates.md#what-the-use-of-a-template-makes). Whatever is refused, now or later in the request,
 * undoes all of it.
 */
export async function provideResources(ctx: Ctx, content: TemplateContent): Promise<ReadyResources> {
  const { metadata_keys, resources, validation_rules } = content
  await refuseOtherTypes(ctx, metadata_keys)
  const provided = newProvided()
  await provideGoods(ctx, resources.products, provided)
  await provideLocations(ctx, resources.locations, provided)
  await provideSegments(ctx, resources.segments, provided)
  await provideCollections(ctx, resources.collections, provided)
  const ruleIds: string[] = []
  for (const rule of validation_rules) {
    const { id } = await createRule(ctx, renamedRule(rule, provided.idOf))
    provided.created.push({ id, object: 'validation_rules' })
    ruleIds.push(id)
  }
  return { created_resources: provided.created, rename: provided.idOf, rule_ids: ruleIds }
}

function newProvided(): Provided {
  const ids = new Map<string, string>()
  const created: CreatedResource[] = []
  return {
    created,
    idOf: (id) => ids.get(id) ?? id,
    found: (id, idHere) => void ids.set(id, idHere),
    made(id, resource) {
      ids.set(id, resource.id)
      created.push(resource)
    },
  }
}

/** Whether one of them is there already: with the same id, and word for word the same. */
const isAmong = (here: readonly object[], wanted: object): boolean => here.some((one) => isDeepStrictEqual(one, wanted))

const idsOf = (resources: ReadonlyArray<{ id: string }>): string[] => resources.map(({ id }) => id)

async function provideLocations(ctx: Ctx, locations: readonly TemplateLocation[], provided: Provided): Promise<void> {
  const here = await listLocationsById(ctx, idsOf(locations))
  for (const location of locations) {
    if (isAmong(here, location)) continue
    const { name, shape } = location
    const made = await insertLocation(ctx, { name, shape })
    provided.made(location.id, { id: made.id, object: 'location' })
  }
}

async function provideSegments(ctx: Ctx, segments: readonly TemplateSegment[], provided: Provided): Promise<void> {
  const here = await listSegmentsById(ctx, idsOf(segments))
  for (const segment of segments) {
    const { name, type } = segment
    const filter = renamedFilter(segment.filter, provided.idOf)
    if (isAmong(here, { ...segment, filter })) continue
    const made = await createSegment(ctx, { name, type, filter })
    provided.made(segment.id, { id: made.id, object: 'segments' })
  }
}

async function provideCollections(
  ctx: Ctx,
  collections: readonly TemplateCollection[],
  provided: Provided,
): Promise<void> {
  const here = await listCollectionsById(ctx, idsOf(collections))
  for (const collection of collections.map((one) => renamedCollection(one, provided.idOf))) {
    if (isAmong(here, collection)) continue
    const name = await freeName(ctx, collection.name)
    const made = await createCollection(ctx, bodyOf({ ...collection, name }))
    provided.made(collection.id, { id: made.id, object: 'products_collection' })
  }
}

function renamedCollection(collection: TemplateCollection, rename: Rename): TemplateCollection {
  if (collection.type === 'AUTO_UPDATE') return { ...collection, filter: renamedFilter(collection.filter, rename) }
  const products = collection.products.map((member) => renamedMember(member, rename))
  return { ...collection, products }
}

/** The products of its SKUs are left for the catalogue to say: an SKU that was found may be one of another product here. */
const bodyOf = (collection: TemplateCollection): CreateProductCollection =>
  collection.type === 'AUTO_UPDATE'
    ? { type: collection.type, name: collection.name, filter: collection.filter }
    : {
        type: collection.type,
        name: collection.name,
        products: collection.products.map(({ id, object }) => ({ id, object })),
      }

/**
 * The name of a collection, or the first of `name (2)`, `name (3)` … that is free: a collection that has changed since
 * the template was made still has its name, and no two may have the same.
 */
async function freeName(ctx: Ctx, name: string): Promise<string> {
  await nextConfigurationVersion(ctx.db, ctx.project_id) // locks the project: nobody else takes a name meanwhile
  for (let number = 1; ; number += 1) {
    const suffix = number === 1 ? '' : ` (${number})`
    const candidate = `${[...name].slice(0, limits.name_length_max - suffix.length).join('')}${suffix}`
    if (!(await isCollectionNameTaken(ctx, candidate))) return candidate
  }
}
