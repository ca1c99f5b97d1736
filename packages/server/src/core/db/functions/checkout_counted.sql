-- The counters that the validation rules of one redeemable compare, with the version of each guard that protects them.
create or replace function checkout_counted(project text, asked jsonb, caller text, p jsonb) returns jsonb language plpgsql
  volatile
  -- One generic plan per connection that uses indexes only: planning takes longer than running, and a plan made while the tables
  -- were small must still be good after they have grown.
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
  as $$
declare
  incentive text := asked->>'id';
  scope text := asked->>'scope';
  is_tier boolean := (asked->>'is_tier')::boolean;
  groups jsonb := asked->'groups';
  names text[] := '{}';
  today date := (p->>'today')::date;
  week date := (p->>'week')::date;
  month date := (p->>'month')::date;
  -- A request evaluated as of an earlier moment ignores later redemptions.
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
  -- A voucher needs no guard: the version of its row is checked.
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
end $$;
