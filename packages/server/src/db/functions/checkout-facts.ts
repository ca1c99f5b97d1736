import { by_key } from './by-key.ts'

/**
 * All that a checkout has to know of the database, in one trip: `checkout_facts(what is asked for) → what was found`. It
 * takes and gives plain JSON and decides nothing. Rows carry the version they were read with (`xmin`), by which
 * `checkout_save` sees whether they still are what was decided on. Guards are read before what they guard.
 *
 * With `lock`, the rows that a redemption changes are locked first, in the order in which everybody locks them.
 */
export const checkout_facts = `
create function checkout_facts(p jsonb) returns jsonb language plpgsql volatile
  ${by_key} as $$
declare
  project text := p->>'project_id';
  moment timestamptz := (p->>'now')::timestamptz;
  code_keys text[] := array(select jsonb_array_elements_text(p->'code_keys'));
  voucher_ids text[] := array(select jsonb_array_elements_text(p->'voucher_ids'));
  product_keys text[] := array(select jsonb_array_elements_text(p->'products'));
  sku_keys text[] := array(select jsonb_array_elements_text(p->'skus'));
  reward_assignments text[] := array(select jsonb_array_elements_text(p->'reward_assignments'));
  order_id text := p->>'order_id';
  customer_ids text[];
  caller text := p->>'customer_id';
  stored_order jsonb;
  found_vouchers jsonb := '[]';
  found_terms jsonb := '[]';
  asked jsonb;
  counted jsonb := '{}';
  one jsonb;
  answer jsonb;
begin
  if p ? 'key' then
    select to_jsonb(k) - 'fingerprint' || jsonb_build_object('fingerprint', encode(k.fingerprint, 'hex')) into one
    from idempotency_keys k where k.project_id = project and k.key = p->>'key' and k.expires_at > moment;
    if found then return jsonb_build_object('kept', one); end if;
  end if;

  -- Every name becomes an id first, so that what follows has one way to its rows.
  if order_id is null and p ? 'order_source' then
    select o.id into order_id from orders o where o.project_id = project and o.source_id = p->>'order_source';
  end if;
  if cardinality(code_keys) > 0 then
    voucher_ids := voucher_ids || array(
      select v.id from vouchers v where v.project_id = project and v.code_key = any(code_keys));
  end if;

  if p ? 'lock' then
    perform set_config('lock_timeout', p->>'lock', true);
    perform 1 from orders o where o.project_id = project and o.id = order_id for update;
    -- Whose request it is, also where nobody is named.
    customer_ids := array(
      select c.id from customers c
      where c.project_id = project and c.source_id = p->>'customer_source' and c.deleted_at is null
      union select o.customer_id from orders o where o.project_id = project and o.id = order_id
      union select v.holder_id from vouchers v where v.project_id = project and v.id = any(voucher_ids)
        and (v.type = 'LOYALTY_CARD' or v.is_referral_code)
      union select caller);
    perform 1 from customers c where c.project_id = project and c.id = any(customer_ids) and c.deleted_at is null
      order by c.id for update;
    perform 1 from vouchers v where v.project_id = project and v.id = any(voucher_ids) order by v.id for update;
    perform 1 from guards g where g.project_id = project
      and g.name = any(array(select jsonb_array_elements_text(p->'guards'))) order by g.name for update;
  end if;

  if order_id is not null then
    select to_jsonb(o) || jsonb_build_object('xmin', o.xmin::text) into stored_order from orders o
    where o.project_id = project and o.id = order_id;
    product_keys := product_keys || array(
      select i->>'product_id' from jsonb_array_elements(stored_order->'items') i where i->>'product_id' is not null);
    sku_keys := sku_keys || array(
      select i->>'sku_id' from jsonb_array_elements(stored_order->'items') i where i->>'sku_id' is not null);
  end if;

  if cardinality(voucher_ids) > 0 then
    select coalesce(jsonb_agg(to_jsonb(v) || jsonb_build_object(
      'xmin', v.xmin::text,
      'assignments', (select jsonb_agg(to_jsonb(a) - 'project_id' order by a.created_at, a.id) from rule_assignments a
        where a.project_id = project and a.related_object_id = v.id and a.related_object_type = 'voucher'),
      'held', case when v.quantity is not null or v.type <> 'DISCOUNT_VOUCHER' then (
        select jsonb_build_object('quantity', sum(h.quantity), 'credits', sum(h.credits)) from holds h
        where h.project_id = project and h.resource_id = v.id and h.expires_at > moment
          and h.session_key is distinct from p->>'session') end,
      'lots', case v.type when 'LOYALTY_CARD' then (
        select jsonb_agg(jsonb_build_object('id', l.id, 'points', l.points, 'expires_at', l.expires_at) order by l.id)
        from lots l where l.project_id = project and l.voucher_id = v.id and l.expired_points is null) end,
      'last_transaction', case when v.type <> 'DISCOUNT_VOUCHER' then (select max(t.id) from voucher_transactions t
        where t.project_id = project and t.voucher_id = v.id) end,
      'member', case v.type when 'LOYALTY_CARD' then (
        select jsonb_build_object('tier_id', m.tier_id, 'due_on', m.due_on) from loyalty_members m
        where m.project_id = project and m.voucher_id = v.id) end
    ) order by v.id), '[]') into found_vouchers
    from vouchers v
    where v.project_id = project and v.id = any(voucher_ids) and v.deleted_at is null;

    select coalesce(jsonb_agg(jsonb_build_object('id', t.id, 'content', t.content)), '[]') into found_terms
    from terms t where t.project_id = project
      and t.id = any(array(select distinct v->>'terms_id' from jsonb_array_elements(found_vouchers) v));

    -- Units that codes give away may not be in the order yet.
    if found_terms::text like '%"unit_type"%' then
      product_keys := product_keys || array(
        select distinct unit #>> '{}' from jsonb_array_elements(found_terms) t,
          jsonb_path_query(t, '$.content.discount.**.unit_type') unit where unit #>> '{}' is not null);
    end if;
  end if;

  customer_ids := array(
    select distinct id from (
      select caller as id
      union all select stored_order->>'customer_id' union all select stored_order->>'referrer_id'
      union all select v->>'holder_id' from jsonb_array_elements(found_vouchers) v
      union all select v->>'referrer_id' from jsonb_array_elements(found_vouchers) v
      union all select p->>'referrer'
      union all select c.id from customers c
        where c.project_id = project and c.source_id = p->>'referrer' and c.deleted_at is null
    ) named where id is not null);

  -- Whose request it is. Nobody is looked for twice: whoever comes to be between two statements is nobody here, and the one who
  -- creates it too late is told so when it saves.
  if caller is null and p->>'customer_source' is null then
    caller := coalesce(stored_order->>'customer_id', (
      select v->>'holder_id' from jsonb_array_elements(found_vouchers) v where v->>'type' = 'LOYALTY_CARD' limit 1));
  else
    caller := coalesce(
      (select c.id from customers c where c.project_id = project and c.id = caller and c.deleted_at is null),
      (select c.id from customers c
        where c.project_id = project and c.source_id = p->>'customer_source' and c.deleted_at is null));
  end if;

  -- Only what rules compare is counted: those of a code, of its campaign, of a tier, of a reward.
  select jsonb_object_agg(id, wanted) into asked from (
    select r.id, jsonb_build_object('scope', r.scope, 'is_tier', r.is_tier, 'groups', jsonb_agg(distinct c.name)) as wanted
    from (
      select v->>'id' as id, coalesce(v->>'campaign_id', v->>'id') as scope, false as is_tier
      from jsonb_array_elements(found_vouchers) v
      union all select t->>'id', t->>'campaign_id', true from jsonb_array_elements(p->'tiers') t
    ) r
    cross join lateral unnest(array[r.id, r.scope] || case when r.is_tier then '{}' else reward_assignments end) o (id)
    join rule_assignments a on a.project_id = project and a.related_object_id = o.id
    join validation_rules rule on rule.project_id = project and rule.id = a.rule_id and rule.counters <> '{}'
    cross join lateral unnest(rule.counters) c (name)
    group by r.id, r.scope, r.is_tier) wanted;

  if asked is not null then
    for one in select value || jsonb_build_object('id', key) from jsonb_each(asked) loop
      counted := counted || jsonb_build_object(one->>'id', checkout_counted(project, one, caller, p));
    end loop;
  end if;

  select jsonb_build_object(
    'config_version', (select config_version from projects where id = project),
    'order', stored_order,
    'vouchers', found_vouchers,
    'terms', found_terms,
    'customers', (
      select coalesce(jsonb_agg(to_jsonb(c) || jsonb_build_object('xmin', c.xmin::text)), '[]') from customers c
      where c.project_id = project and c.id = any(customer_ids || caller) and c.deleted_at is null),
    'caller', caller,
    'counted', counted,
    'rewards_redeemed', case when p ? 'rewards' then (
      select jsonb_object_agg(r.id, r.redeemed) from rewards r
      where r.project_id = project and r.id = any(array(select jsonb_array_elements_text(p->'rewards')))) end,
    'has_session', p->>'session' is not null and exists (select from holds h
      where h.project_id = project and h.session_key = p->>'session' and h.expires_at > moment))
  || case when caller is null then '{}' else jsonb_build_object(
    'segments', (select jsonb_agg(m.segment_id) from segment_members m
      where m.project_id = project and m.customer_id = caller),
    'holds_codes', (select jsonb_agg(h.voucher_id) from holders h
      where h.project_id = project and h.customer_id = caller and h.voucher_id = any(voucher_ids))) end
  || case when p ? 'with_usage' and jsonb_array_length(p->'tiers') > 0 then jsonb_build_object(
    'tier_usage', (select jsonb_object_agg(u.scope_id, u.used) from (
      select scope_id, jsonb_build_object(
        'redemptions', sum(case when is_undone then -redemptions else redemptions end),
        'orders_amount', sum(case when is_undone then -orders_amount else orders_amount end),
        'discounted_amount', sum(case when is_undone then -discounted_amount else discounted_amount end)) as used
      from usage where project_id = project
        and scope_id = any(array(select t->>'id' from jsonb_array_elements(p->'tiers') t))
      group by scope_id) u)) else '{}' end
  || case when caller is not null and p ? 'with_events' then jsonb_build_object(
    'events', (select jsonb_agg(to_jsonb(t) - 'project_id') from custom_event_tallies t
      where t.project_id = project and t.customer_id = caller)) else '{}' end
  || case when caller is not null and p ? 'with_publications' then jsonb_build_object(
    'publications', (select jsonb_agg(jsonb_build_object('voucher_ids', to_jsonb(b.voucher_ids), 'created_at', b.created_at))
      from publications b where b.project_id = project and b.customer_id = caller and b.result = 'SUCCESS')) else '{}' end
  || case when found_terms::text like '%PUBLICATION_METADATA%' then jsonb_build_object(
    'publication_metadata', (select jsonb_object_agg(v->>'id', (
        select b.metadata from holders h join publications b on b.project_id = project and b.id = h.publication_id
        where h.project_id = project and h.voucher_id = v->>'id' order by b.id desc limit 1))
      from jsonb_array_elements(found_vouchers) v)) else '{}' end
  || case when cardinality(product_keys) + cardinality(sku_keys) = 0 then '{}' else (
    with s as (
      select * from skus where project_id = project and deleted_at is null and id = any(sku_keys || product_keys)
      union select * from skus where project_id = project and deleted_at is null and source_id = any(sku_keys)
    )
    select jsonb_build_object(
      'skus', (select jsonb_agg(to_jsonb(s)) from s),
      'products', (select jsonb_agg(to_jsonb(g)) from (
        select * from products where project_id = project and deleted_at is null
          and id = any(product_keys || array(select s.product_id from s))
        union select * from products where project_id = project and deleted_at is null and source_id = any(product_keys)
      ) g))) end
  into answer;
  return answer;
end $$`

/** The numbers of the past that rules compare for one redeemable, and the guards of whoever relies on them. */
export const checkout_counted = `
create function checkout_counted(project text, asked jsonb, caller text, p jsonb) returns jsonb language plpgsql volatile
  ${by_key} as $$
declare
  incentive text := asked->>'id';
  scope text := asked->>'scope';
  is_tier boolean := (asked->>'is_tier')::boolean;
  groups jsonb := asked->'groups';
  names text[] := '{}';
  today date := (p->>'today')::date;
  week date := (p->>'week')::date;
  month date := (p->>'month')::date;
  -- Seen from another moment, what came after it is not there yet.
  last_day date := coalesce((p->>'last_day')::date, 'infinity');
  last_moment timestamptz := coalesce((p->>'last_moment')::timestamptz, 'infinity');
  guarded jsonb;
  numbers jsonb := '{}';
  units jsonb;
  more jsonb;
begin
  if groups ? 'campaign' then names := names || ('campaign/' || scope); end if;
  if groups ? 'campaign_customer' and caller is not null then names := names || ('campaign/' || scope || '/' || caller); end if;
  if groups ? 'units' then names := names || ('units/' || scope); end if;
  -- A code is guarded by its own row.
  if is_tier and (groups ? 'incentive' or groups ? 'incentive_caller') then names := names || ('incentive/' || incentive); end if;
  if is_tier and groups ? 'incentive_customer' and caller is not null then
    names := names || ('incentive/' || incentive || '/' || caller);
  end if;
  select jsonb_object_agg(n.name, coalesce(g.version, 0)) into guarded
  from unnest(names) n (name) left join guards g on g.project_id = project and g.name = n.name;

  if groups ? 'campaign' then
    select jsonb_build_object(
      'campaign.redemptions.count', coalesce(sum(sign * redemptions), 0),
      'campaign.redemptions.count.daily', coalesce(sum(sign * redemptions) filter (where day >= today), 0),
      'campaign.redemptions.count.weekly', coalesce(sum(sign * redemptions) filter (where day >= week), 0),
      'campaign.redemptions.count.monthly', coalesce(sum(sign * redemptions) filter (where day >= month), 0),
      'campaign.orders.amount', coalesce(sum(sign * orders_amount), 0),
      'campaign.orders.amount_discounted', coalesce(sum(sign * discounted_amount), 0),
      'redemption.gift.amount', coalesce(sum(sign * credits), 0)) into more
    from (select case when is_undone then -1 else 1 end as sign, u.* from usage u
      where u.project_id = project and u.scope_id = scope and u.day <= last_day) signed;
    numbers := numbers || more;
  end if;
  if groups ? 'campaign_customer' and caller is not null then
    select jsonb_build_object(
      'campaign.redemptions.customers_count', count(*),
      'campaign.redemptions.customers_count.daily', count(*) filter (where created_at >= (p->>'day_start')::timestamptz),
      'campaign.redemptions.customers_count.weekly', count(*) filter (where created_at >= (p->>'week_start')::timestamptz),
      'campaign.redemptions.customers_count.monthly', count(*) filter (where created_at >= (p->>'month_start')::timestamptz)) into more
    from redemptions r where r.project_id = project and r.customer_id = caller and r.scope_id = scope
      and r.created_at <= last_moment and r.object = 'redemption' and r.status = 'SUCCEEDED' and r.related_object_type <> 'redemption';
    numbers := numbers || more;
  end if;
  if groups ? 'incentive' and is_tier then
    select jsonb_build_object(
      'redemption.count.daily', coalesce(sum(sign * redemptions) filter (where day >= today), 0),
      'redemption.count.weekly', coalesce(sum(sign * redemptions) filter (where day >= week), 0),
      'redemption.count.monthly', coalesce(sum(sign * redemptions) filter (where day >= month), 0)) into more
    from (select case when is_undone then -1 else 1 end as sign, u.* from usage u
      where u.project_id = project and u.scope_id = incentive and u.day <= last_day) signed;
    numbers := numbers || more;
  elsif groups ? 'incentive' then
    select jsonb_build_object(
      'redemption.count.daily', count(*) filter (where created_at >= (p->>'day_start')::timestamptz),
      'redemption.count.weekly', count(*) filter (where created_at >= (p->>'week_start')::timestamptz),
      'redemption.count.monthly', count(*) filter (where created_at >= (p->>'month_start')::timestamptz)) into more
    from redemptions r where r.project_id = project and r.related_object_id = incentive
      and r.created_at <= last_moment and r.object = 'redemption' and r.status = 'SUCCEEDED'
      and r.created_at >= least((p->>'week_start')::timestamptz, (p->>'month_start')::timestamptz);
    numbers := numbers || more;
  end if;
  if groups ? 'incentive_customer' and caller is not null then
    select jsonb_build_object(
      'redemption.count.per_customer', count(*),
      'redemption.count.per_customer.daily', count(*) filter (where created_at >= (p->>'day_start')::timestamptz),
      'redemption.count.per_customer.weekly', count(*) filter (where created_at >= (p->>'week_start')::timestamptz),
      'redemption.count.per_customer.monthly', count(*) filter (where created_at >= (p->>'month_start')::timestamptz)) into more
    from redemptions r where r.project_id = project and r.customer_id = caller and r.scope_id = scope
      and r.related_object_id = incentive
      and r.created_at <= last_moment and r.object = 'redemption' and r.status = 'SUCCEEDED' and r.related_object_type <> 'redemption';
    numbers := numbers || more;
  end if;
  if groups ? 'incentive_caller' then
    select jsonb_build_object('redemption.count.per_api_key', count(*)) into more
    from redemptions r where r.project_id = project and r.related_object_id = incentive
      and r.created_at <= last_moment and r.object = 'redemption' and r.status = 'SUCCEEDED' and r.channel_type = 'API' and r.channel_id = p->>'app_id';
    numbers := numbers || more;
  end if;
  if groups ? 'units' then
    select jsonb_object_agg(name, used) into units from (
      select substr(u.scope_id, length(o.prefix) + 1) as name, sum(case when u.is_undone then -u.redemptions else u.redemptions end) as used
      from (select distinct 'units/' || v.whose || '/' as prefix from (values (scope), (incentive),
        (scope || ':' || caller), (incentive || ':' || caller)) v (whose) where v.whose is not null) o
      join usage u on u.project_id = project and u.scope_id >= o.prefix and u.scope_id < left(o.prefix, -1) || '0'
      group by 1) summed;
  end if;
  return jsonb_build_object('guards', coalesce(guarded, '{}'), 'numbers', numbers, 'units', coalesce(units, '{}'));
end $$`
