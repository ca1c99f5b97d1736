import pg from 'pg'
import { type BenchShop, call } from './shop.ts'

/**
 * Creates active tiers in campaigns of ten, each a second newer than the previous one. In the hard case all but the oldest have
 * a rule that only customers of level gold meet.
 */
export async function fillTiers(shop: BenchShop, tiers: number, { is_hard = false } = {}): Promise<void> {
  const { database_url, project_id } = shop
  const rule = await call(shop, 'POST', '/v1/validation-rules', {
    rules: { '1': { name: 'customer.metadata', property: 'level', conditions: { $is: ['gold'] } }, logic: '1' },
  })
  const client = new pg.Client({ connectionString: database_url })
  await client.connect()
  const campaign = `'camp_' || lpad(((n + 9) / 10)::text, 24, '0')`
  const tier = `'promo_' || lpad(n::text, 24, '0')`
  await client.query('update projects set config_version = config_version + 1 where id = $1', [project_id])
  const version = '(select config_version from projects where id = $1)'
  await client.query(
    `insert into campaigns (project_id, id, name, campaign_type, type, auto_join, join_once, use_voucher_metadata_schema,
       active, metadata, status, created_at, config_version)
     select $1, 'camp_' || lpad(n::text, 24, '0'), 'Promotion ' || n, 'PROMOTION', 'STATIC', false, false, false, true, '{}',
       'DONE', timestamptz '2020-01-01', ${version} from generate_series(1, $2::int / 10) n`,
    [project_id, tiers],
  )
  await client.query(
    `insert into promotion_tiers (project_id, id, campaign_id, name, discount, metadata, hierarchy, active, created_at, config_version)
     select $1, ${tier}, ${campaign}, 'Tier ' || n, case n % 2
       when 0 then jsonb_build_object('type', 'AMOUNT', 'amount_off', 100 + n)
       else jsonb_build_object('type', 'PERCENT', 'percent_off', 1 + n % 50, 'effect', 'APPLY_TO_ITEMS') end,
       '{}', 1 + n % 10, true, timestamptz '2020-01-01' + n * interval '1 second', ${version}
     from generate_series(1, $2::int) n`,
    [project_id, tiers],
  )
  if (is_hard)
    await client.query(
      `insert into rule_assignments (project_id, id, rule_id, related_object_type, related_object_id, created_at, config_version)
       select $1, 'asgm_' || lpad(n::text, 16, '0'), $3, 'promotion_tier', ${tier}, now(), ${version}
       from generate_series(2, $2::int) n`,
      [project_id, tiers, rule.id],
    )
  await client.end()
}
