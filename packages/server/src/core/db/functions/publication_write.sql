-- Writes the publications of a batch, whose rows `publication_lock` has locked in the same transaction. Contains no business rule.
--   p     what to write; incentives/publications/save-batch.ts builds it.
--   told  texts of the event parts, separated by chr(30); p.told holds the ids of the events that share each of them.
-- Returns whether the project has dynamic segments: then the caller queues checks of the customers. A source id that another request
-- has used raises GU001.
create or replace function publication_write(project text, p jsonb, told text) returns boolean language plpgsql
  volatile
  -- One generic plan per connection that uses indexes only: planning takes longer than running, and a plan made while the tables
  -- were small must still be good after they have grown.
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
  as $$
declare
  written bigint;
begin
  insert into publications (project_id, id, customer_id, campaign_id, voucher_ids, voucher_code, voucher_type, is_referral_code,
    source_id, channel, metadata, result, created_at)
  select own.id, g.id, g.customer_id, g.campaign_id, array[g.voucher_id], g.voucher_code, g.voucher_type, g.is_referral_code,
    g.source_id, g.channel, g.metadata, 'SUCCESS', g.created_at
  from projects own, jsonb_to_recordset(p->'publications') g (id text, customer_id text, campaign_id text, voucher_id text,
    voucher_code text, voucher_type text, is_referral_code boolean, source_id text, channel text, metadata jsonb,
    created_at timestamptz)
  where own.id = project
  on conflict (project_id, source_id) where result = 'SUCCESS' do nothing;
  get diagnostics written = row_count;
  if written < jsonb_array_length(p->'publications') then
    raise exception 'source id of a publication' using errcode = 'GU001';
  end if;
  update vouchers v set publish_count = v.publish_count + 1, holder_id = g.customer_id, referrer_id = g.referrer_id,
    expiration_date = g.expiration_date, updated_at = g.created_at
  from jsonb_to_recordset(p->'publications') g (customer_id text, voucher_id text, referrer_id text, expiration_date timestamptz,
    created_at timestamptz)
  where v.project_id = project and v.id = g.voucher_id;
  insert into holders (project_id, id, voucher_id, customer_id, campaign_id, role, publication_id, created_at)
  select project, g.holder_id, g.voucher_id, g.customer_id, g.campaign_id, g.role, g.id, g.created_at
  from jsonb_to_recordset(p->'publications') g (id text, customer_id text, campaign_id text, voucher_id text,
    holder_id text, role text, created_at timestamptz);
  insert into tallies
  select project, t.name, t.id, t.delta from jsonb_populate_recordset(null::tallies, p->'tallies') t;
  insert into event_parts (project_id, id, event_ids, parts)
  select project, e.ids[1], e.ids, e.parts
  from unnest(string_to_array(told, chr(30))) with ordinality t (parts, place)
  cross join lateral (select t.parts, array(select jsonb_array_elements_text(p->'told'->(t.place::int - 1))) as ids) e;
  insert into event_rows (project_id, id, type, category, entity_id, created_at, group_id, event_source, campaign_id, voucher_id,
    data, parts_id)
  select project, e.id, e.type, e.category, e.entity_id, e.created_at, e.group_id, e.event_source, e.campaign_id, e.voucher_id,
    e.data, e.parts_id
  from jsonb_populate_recordset(null::event_rows, p->'events') e;
  return exists (select from segments where project_id = project and type <> 'static' and deleted_at is null);
end $$;
