import { defaultStackingRules } from '@guerdon/engine'
import type { Collection, Filter, Shape, StackingRules, ValidationRule } from '@guerdon/engine/schema'
import { type Selectable, sql } from 'kysely'
import { allProductsId } from '../db/built-in-collections.ts'
import type { Db } from '../db/database.ts'
import { allFromJson } from '../db/json-row.ts'
import type { ProductCollectionRow, SegmentRow, StackingRulesRow, ValidationRuleRow } from '../db/tables.ts'
import { locationIds } from '../query/filter/location-ids.ts'
import { type Configuration, type ConfiguredSegment, unnamedRule } from './configuration.ts'

/** The rows with a higher version, by kind of object, and the deletions since that version. */
interface Changes extends Record<ChangedKind, object[] | null> {
  version: number
  deletions: Array<{ object_type: string; object_id: string }> | null
  stacking_rules: object[] | null
  segments: object[] | null
}

type ChangedKind =
  | 'campaigns'
  | 'tiers'
  | 'stacks'
  | 'rules'
  | 'assignments'
  | 'categories'
  | 'rewards'
  | 'reward_assignments'
  | 'earning_rules'
  | 'loyalty_tiers'
  | 'referral_tiers'
  | 'collections'
  | 'metadata_schemas'

/**
 * The current configuration: the cached one plus all changes since its version. One statement reads them, so they are one
 * snapshot; a second one reads the locations that filters refer to, if any.
 */
export async function refreshed(db: Db, projectId: string, known: Configuration): Promise<Configuration> {
  const changes = await loadChanges(db, projectId, known.version)
  if (changes === null || changes.version === known.version) return known
  const deletedIds = new Map<string, Set<string>>()
  for (const { object_type, object_id } of changes.deletions ?? [])
    deletedIds.set(object_type, (deletedIds.get(object_type) ?? new Set()).add(object_id))

  const campaigns = applyChanges(
    known.campaigns,
    changes.campaigns,
    deletedIds.get('campaign'),
    (row) => row.deleted_at === null,
  )
  const metadataSchemas = applyChanges(
    known.metadata_schemas,
    changes.metadata_schemas,
    deletedIds.get('metadata_schema'),
  )
  const collections = applyCollectionChanges(known, changes, deletedIds.get('products_collection'))
  const segments =
    changes.segments === null ? known.segments : allFromJson<Selectable<SegmentRow>>(changes.segments).map(toSegment)
  return {
    version: changes.version,
    campaigns,
    tiers: applyChanges(known.tiers, changes.tiers, deletedIds.get('promotion_tier')),
    stacks: applyChanges(known.stacks, changes.stacks, deletedIds.get('promotion_stack')),
    rules: applyRuleChanges(known, changes, deletedIds.get('validation_rule')),
    assignments: applyChanges(known.assignments, changes.assignments, deletedIds.get('rule_assignment')),
    categories: applyChanges(known.categories, changes.categories, deletedIds.get('category')),
    rewards: applyChanges(known.rewards, changes.rewards, deletedIds.get('reward')),
    reward_assignments: applyChanges(
      known.reward_assignments,
      changes.reward_assignments,
      deletedIds.get('reward_assignment'),
    ),
    earning_rules: applyChanges(known.earning_rules, changes.earning_rules, deletedIds.get('earning_rule')),
    loyalty_tiers: applyChanges(known.loyalty_tiers, changes.loyalty_tiers, deletedIds.get('loyalty_tier')),
    referral_tiers: applyChanges(known.referral_tiers, changes.referral_tiers, deletedIds.get('referral_tier')),
    collections,
    metadata_schemas: metadataSchemas,
    locations: await locationsOf(db, projectId, collections, segments),
    segments,
    stacking_rules: applyStackingChanges(known, changes, deletedIds.has('stacking_rules')),
    derived: { rules_of: new Map() },
  }
}

async function loadChanges(db: Db, projectId: string, since: number): Promise<Changes | null> {
  const rows = (table: string, more = '') =>
    sql`(select jsonb_agg(to_jsonb(changed) - 'project_id') from ${sql.table(table)} changed
      where changed.project_id = ${projectId} and changed.config_version > ${since} ${sql.raw(more)})`
  const { rows: found } = await sql<{ changes: Changes }>`select jsonb_build_object(
    'version', projects.config_version,
    'campaigns', ${rows('campaigns')},
    'tiers', ${rows('promotion_tiers')},
    'stacks', ${rows('promotion_stacks')},
    'rules', ${rows('validation_rules')},
    'assignments', ${rows('rule_assignments', `and changed.related_object_type <> 'voucher'`)},
    'categories', ${rows('categories')},
    'rewards', ${rows('rewards')},
    'reward_assignments', ${rows('reward_assignments')},
    'earning_rules', ${rows('earning_rules')},
    'loyalty_tiers', ${rows('loyalty_tiers')},
    'referral_tiers', ${rows('referral_tiers')},
    'collections', ${rows('product_collections')},
    'metadata_schemas', ${rows('metadata_schemas')},
    'stacking_rules', ${rows('stacking_rules')},
    -- Segments are few: all of them are read if one of them, a metadata schema or a location has changed.
    'segments', case when ${since} < 0 or exists (
        select from segments where project_id = ${projectId} and config_version > ${since}
        union all select from metadata_schemas where project_id = ${projectId} and config_version > ${since}
        union all select from configuration_deletions where project_id = ${projectId} and config_version > ${since}
          and object_type in ('segment', 'metadata_schema', 'location')
        union all select from locations where project_id = ${projectId} and config_version > ${since})
      then (select coalesce(jsonb_agg(to_jsonb(s) - 'project_id' order by s.id), '[]') from segments s
        where s.project_id = ${projectId} and s.type <> 'static' and s.deleted_at is null) end,
    'deletions', (select jsonb_agg(jsonb_build_object('object_type', d.object_type, 'object_id', d.object_id))
      from configuration_deletions d where ${since} >= 0 and d.project_id = ${projectId} and d.config_version > ${since})
  ) as changes from projects where id = ${projectId}`.execute(db)
  return found[0]?.changes ?? null
}

/** A new map with the changes applied; the same map if nothing changed. */
function applyChanges<Row extends { id: string }>(
  known: ReadonlyMap<string, Row>,
  rows: readonly object[] | null,
  deletedIds: ReadonlySet<string> | undefined,
  isVisible: (row: Row) => boolean = () => true,
): ReadonlyMap<string, Row> {
  if (rows === null && deletedIds === undefined) return known
  const map = new Map(known)
  for (const id of deletedIds ?? []) map.delete(id)
  for (const row of allFromJson<Row>(rows)) {
    if (isVisible(row)) map.set(row.id, row)
    else map.delete(row.id)
  }
  return map
}

function applyRuleChanges(
  { rules }: Configuration,
  { rules: rows }: Changes,
  deletedIds: ReadonlySet<string> | undefined,
): Configuration['rules'] {
  if (rows === null && deletedIds === undefined) return rules
  const map = new Map(rules)
  for (const id of deletedIds ?? []) map.delete(id)
  for (const row of allFromJson<Selectable<ValidationRuleRow>>(rows)) {
    const { id, name, rules, bundle_rules, applicable_to, error } = row
    map.set(id, {
      id,
      name: name === unnamedRule ? null : name,
      rules,
      bundle_rules,
      applicable_to,
      error,
    } as ValidationRule)
  }
  return map
}

function applyCollectionChanges(
  { collections }: Configuration,
  { collections: rows }: Changes,
  deletedIds: ReadonlySet<string> | undefined,
): Configuration['collections'] {
  if (rows === null && deletedIds === undefined) return collections
  const map: Record<string, Collection> = { ...collections }
  for (const id of deletedIds ?? []) delete map[id]
  for (const { id, products, filter } of allFromJson<Selectable<ProductCollectionRow>>(rows)) {
    // The engine handles the built-in collection: it contains everything, also items that are not in the catalogue
    // (docs/reference/requests.md#conventions).
    if (id === allProductsId) continue
    map[id] =
      products === null ? { type: 'AUTO_UPDATE', filter: (filter ?? {}) as Filter } : { type: 'STATIC', products }
  }
  return map
}

function applyStackingChanges(
  known: Configuration,
  { stacking_rules: rows }: Changes,
  isDeleted: boolean,
): StackingRules {
  const [row] = allFromJson<Selectable<StackingRulesRow>>(rows)
  if (row !== undefined) return row.rules as StackingRules
  return isDeleted ? defaultStackingRules : known.stacking_rules
}

const toSegment = ({ id, name, type, filter }: Selectable<SegmentRow>): ConfiguredSegment => ({
  id,
  name,
  type,
  filter: (filter ?? {}) as Filter,
})

/** The shapes of the locations that filters of collections and segments refer to. */
async function locationsOf(
  db: Db,
  projectId: string,
  collections: Configuration['collections'],
  segments: Configuration['segments'],
): Promise<Configuration['locations']> {
  const filters = [
    ...Object.values(collections).flatMap((collection) =>
      collection.type === 'AUTO_UPDATE' ? [collection.filter] : [],
    ),
    ...segments.map(({ filter }) => filter),
  ]
  const ids = [...new Set(filters.flatMap(locationIds))]
  if (ids.length === 0) return {}
  const rows = await db
    .selectFrom('locations')
    .where('project_id', '=', projectId)
    .where(sql<boolean>`id = any(${ids}::text[])`)
    .select(['id', 'shape'])
    .execute()
  return Object.fromEntries(rows.map(({ id, shape }) => [id, shape as Shape]))
}
