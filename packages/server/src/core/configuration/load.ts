import { defaultStackingRules } from '@guerdon/engine'
import type { Collection, Filter, Shape, StackingRules, ValidationRule } from '@guerdon/engine/schema'
import { type Selectable, sql } from 'kysely'
import { allProductsId } from '../db/built-in-collections.ts'
import type { Db } from '../db/database.ts'
import { allFromJson } from '../db/json-row.ts'
import type { ProductCollectionRow, SegmentRow, StackingRulesRow, ValidationRuleRow } from '../db/tables.ts'
import { locationIds } from '../query/filter/location-ids.ts'
import type { Configuration, ConfiguredSegment } from './configuration.ts'

/** What has been stamped since a version, by kind of object, and what has been deleted since. */
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
 * The configuration as it is now, from what was known before and what has changed since: one statement, so that it is one
 * moment, and a second one for locations, where filters name any.
 */
export async function refreshed(db: Db, projectId: string, known: Configuration): Promise<Configuration> {
  const changes = await loadChanges(db, projectId, known.version)
  if (changes === null || changes.version === known.version) return known
  const gone = new Map<string, Set<string>>()
  for (const { object_type, object_id } of changes.deletions ?? [])
    gone.set(object_type, (gone.get(object_type) ?? new Set()).add(object_id))

  const campaigns = changed(known.campaigns, changes.campaigns, gone.get('campaign'), (row) => row.deleted_at === null)
  const metadataSchemas = changed(known.metadata_schemas, changes.metadata_schemas, gone.get('metadata_schema'))
  const collections = changedCollections(known, changes, gone.get('products_collection'))
  const segments =
    changes.segments === null ? known.segments : allFromJson<Selectable<SegmentRow>>(changes.segments).map(toSegment)
  return {
    version: changes.version,
    campaigns,
    tiers: changed(known.tiers, changes.tiers, gone.get('promotion_tier')),
    stacks: changed(known.stacks, changes.stacks, gone.get('promotion_stack')),
    rules: changedRules(known, changes, gone.get('validation_rule')),
    assignments: changed(known.assignments, changes.assignments, gone.get('rule_assignment')),
    categories: changed(known.categories, changes.categories, gone.get('category')),
    rewards: changed(known.rewards, changes.rewards, gone.get('reward')),
    reward_assignments: changed(known.reward_assignments, changes.reward_assignments, gone.get('reward_assignment')),
    earning_rules: changed(known.earning_rules, changes.earning_rules, gone.get('earning_rule')),
    loyalty_tiers: changed(known.loyalty_tiers, changes.loyalty_tiers, gone.get('loyalty_tier')),
    referral_tiers: changed(known.referral_tiers, changes.referral_tiers, gone.get('referral_tier')),
    collections,
    metadata_schemas: metadataSchemas,
    locations: await locationsOf(db, projectId, collections, segments),
    segments,
    stacking_rules: changedStacking(known, changes, gone.has('stacking_rules')),
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
    -- Few, and each is looked at for every customer: they are read whole when one of them, or a schema, has changed.
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

/** A map with what changed; the very same one where nothing did. */
function changed<Row extends { id: string }>(
  known: ReadonlyMap<string, Row>,
  rows: readonly object[] | null,
  gone: ReadonlySet<string> | undefined,
  isThere: (row: Row) => boolean = () => true,
): ReadonlyMap<string, Row> {
  if (rows === null && gone === undefined) return known
  const map = new Map(known)
  for (const id of gone ?? []) map.delete(id)
  for (const row of allFromJson<Row>(rows)) {
    if (isThere(row)) map.set(row.id, row)
    else map.delete(row.id)
  }
  return map
}

function changedRules(
  { rules }: Configuration,
  { rules: rows }: Changes,
  gone: ReadonlySet<string> | undefined,
): Configuration['rules'] {
  if (rows === null && gone === undefined) return rules
  const map = new Map(rules)
  for (const id of gone ?? []) map.delete(id)
  for (const row of allFromJson<Selectable<ValidationRuleRow>>(rows)) {
    const { id, rules, bundle_rules, applicable_to, error } = row
    map.set(id, { id, rules, bundle_rules, applicable_to, error } as ValidationRule)
  }
  return map
}

function changedCollections(
  { collections }: Configuration,
  { collections: rows }: Changes,
  gone: ReadonlySet<string> | undefined,
): Configuration['collections'] {
  if (rows === null && gone === undefined) return collections
  const map: Record<string, Collection> = { ...collections }
  for (const id of gone ?? []) delete map[id]
  for (const { id, products, filter } of allFromJson<Selectable<ProductCollectionRow>>(rows)) {
    // The built-in one contains everything, also what nobody knows (docs/reference/requests.md#conventions), and the engine knows
    // that.
    if (id === allProductsId) continue
    map[id] =
      products === null ? { type: 'AUTO_UPDATE', filter: (filter ?? {}) as Filter } : { type: 'STATIC', products }
  }
  return map
}

function changedStacking(known: Configuration, { stacking_rules: rows }: Changes, isGone: boolean): StackingRules {
  const [row] = allFromJson<Selectable<StackingRulesRow>>(rows)
  if (row !== undefined) return row.rules as StackingRules
  return isGone ? defaultStackingRules : known.stacking_rules
}

const toSegment = ({ id, name, type, filter }: Selectable<SegmentRow>): ConfiguredSegment => ({
  id,
  name,
  type,
  filter: (filter ?? {}) as Filter,
})

/** The shapes that filters of collections and segments name. */
async function locationsOf(
  db: Db,
  projectId: string,
  collections: Configuration['collections'],
  segments: Configuration['segments'],
): Promise<Configuration['locations']> {
  const filters = [
    ...Object.values(collections).flatMap((one) => (one.type === 'AUTO_UPDATE' ? [one.filter] : [])),
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
