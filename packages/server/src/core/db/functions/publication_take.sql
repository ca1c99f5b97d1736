-- Called by nodes of the previous release only: publication_lock does the same with the project as a parameter.
--
-- Locks what a batch of publications needs, and returns it: customers, campaigns and free vouchers. Contains no business rule.
--   p  what to look for; incentives/publications/take.ts builds it.
-- Rows that another transaction has locked are left out instead of waited for, so that no batch waits for another one: whoever misses
-- a row publishes alone. Only the creation of a customer may wait, for a request that creates the same one; `lock_timeout` bounds it.
--
-- Global lock order: customers, campaigns, vouchers.
create or replace function publication_take(p jsonb) returns json language plpgsql
  volatile
  -- One generic plan per connection that uses indexes only: planning takes longer than running, and a plan made while the tables
  -- were small must still be good after they have grown.
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
  as $$
declare
  project text := p->>'project_id';
  moment timestamptz := (p->>'now')::timestamptz;
  sources text[] := array(select jsonb_array_elements_text(p->'customer_sources'));
  campaign_ids text[] := array(select w->>'campaign_id' from jsonb_array_elements(p->'wanted') w);
  by_source json;
  by_id json;
  created json;
  named json;
  free json;
  joined json;
  used json;
begin
  perform set_config('lock_timeout', p->>'lock_timeout', true);
  if p ? 'is_exclusive' then
    select json_agg(c) into by_source from (
      select * from customers where project_id = project and source_id = any(sources) and deleted_at is null
      for update skip locked) c;
    if p ? 'customer_ids' then
      select json_agg(c) into by_id from (
        select * from customers where project_id = project and deleted_at is null
          and id = any(array(select jsonb_array_elements_text(p->'customer_ids')))
        for update skip locked) c;
    end if;
  else
    select json_agg(c) into by_source from (
      select * from customers where project_id = project and source_id = any(sources) and deleted_at is null
      for key share skip locked) c;
    if p ? 'customer_ids' then
      select json_agg(c) into by_id from (
        select * from customers where project_id = project and deleted_at is null
          and id = any(array(select jsonb_array_elements_text(p->'customer_ids')))
        for key share skip locked) c;
    end if;
  end if;
  if p ? 'new_customers' and coalesce(json_array_length(by_source), 0) < cardinality(sources) then
    with inserted as (
      insert into customers as c (project_id, id, source_id, name, description, email, phone, birthdate, birthday, address, metadata,
        created_at)
      select project, n.id, n.source_id, n.name, n.description, n.email, n.phone, n.birthdate, n.birthday,
        nullif(n.address, 'null'), n.metadata, n.created_at
      from jsonb_populate_recordset(null::customers, p->'new_customers') n
      where not exists (select from customers k
        where k.project_id = project and k.source_id = n.source_id and k.deleted_at is null)
      order by n.source_id -- the same order in every batch: two that create the same customers do not deadlock
      on conflict (project_id, source_id) where deleted_at is null do nothing
      returning c.*
    )
    select json_agg(inserted) into created from inserted;
  end if;

  if p ? 'codes' then
    select json_agg(v) into named from (
      select v.*, t.content as terms, exists (
        select from rule_assignments a where a.project_id = project and a.related_object_id = v.id) as has_rules
      from vouchers v join terms t on t.project_id = v.project_id and t.id = v.terms_id
      where v.project_id = project and v.code_key = any(array(select jsonb_array_elements_text(p->'codes')))
        and v.deleted_at is null and v.publish_count = 0 and v.active
        and (v.expiration_date is null or v.expiration_date >= moment)
      for update of v skip locked) v;
    campaign_ids := campaign_ids || array(select v->>'campaign_id' from json_array_elements(named) v);
  end if;
  campaign_ids := array(
    select id from campaigns where project_id = project and id = any(campaign_ids) and deleted_at is null
    for key share skip locked);
  if p ? 'wanted' then
    select json_agg(v) into free
    from jsonb_to_recordset(p->'wanted') w (campaign_id text, count int)
    cross join lateral (
      select v.*, t.content as terms, exists (
        select from rule_assignments a where a.project_id = project and a.related_object_id = v.id) as has_rules
      from (
        select * from vouchers
        where project_id = project and campaign_id = w.campaign_id and publish_count = 0 and deleted_at is null and active
          and (expiration_date is null or expiration_date >= moment)
        order by id limit w.count for update skip locked
      ) v join terms t on t.project_id = v.project_id and t.id = v.terms_id
    ) v
    where w.campaign_id = any(campaign_ids);
  end if;

  -- The customers are locked by now: this statement sees all that earlier publications have given them.
  if p ? 'joins' then
    select json_agg(h) into joined from (
      select c.id as customer_id, k.id as campaign_id
      from (select value->>'id' as id from json_array_elements(by_source) union all
        select value->>'id' from json_array_elements(by_id)) c
      cross join unnest(campaign_ids) k (id)
      -- With a limit the planner looks for each customer by the index, also where it takes the table for empty.
      cross join lateral (select from holders where project_id = project and customer_id = c.id and campaign_id = k.id limit 1) held
    ) h;
  end if;
  if p ? 'source_ids' then
    select json_agg(source_id) into used from publications
    where project_id = project and result = 'SUCCESS'
      and source_id = any(array(select jsonb_array_elements_text(p->'source_ids')));
  end if;
  return json_build_object(
    'config_version', (select config_version from projects where id = project),
    'customers', by_source, 'customers_by_id', by_id, 'created', created, 'campaigns', campaign_ids, 'named', named, 'free', free,
    'joined', joined, 'used', used);
end $$;
