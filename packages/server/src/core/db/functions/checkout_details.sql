-- Second, rarely needed read of a checkout, asked for once the rows of checkout_facts are known: terms that this process has not
-- cached, counters for rules, segments, custom events, publications.
create or replace function checkout_details(project text, p jsonb) returns jsonb language plpgsql
  volatile
  -- One generic plan per connection that uses indexes only: planning takes longer than running, and a plan made while the tables
  -- were small must still be good after they have grown.
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
  as $$
declare
  caller text := p->>'caller';
  answer jsonb := '{}';
  counted jsonb := '{}';
  one jsonb;
begin
  if p ? 'terms' then
    answer := jsonb_build_object('terms', (
      select jsonb_object_agg(t.id, t.content) from terms t
      where t.project_id = project and t.id = any(array(select jsonb_array_elements_text(p->'terms')))));
  end if;
  if p ? 'counted' then
    for one in select jsonb_array_elements(p->'counted') loop
      counted := counted || jsonb_build_object(one->>'id', checkout_counted(project, one, caller, p));
    end loop;
    answer := answer || jsonb_build_object('counted', counted);
  end if;
  if p ? 'with_segments' then
    answer := answer || jsonb_build_object('segments', (select jsonb_agg(m.segment_id) from segment_members m
      where m.project_id = project and m.customer_id = caller));
  end if;
  if p ? 'with_events' then
    answer := answer || jsonb_build_object('events', (select jsonb_agg(to_jsonb(t) - 'project_id') from custom_event_tallies t
      where t.project_id = project and t.customer_id = caller));
  end if;
  if p ? 'with_publications' then
    answer := answer || jsonb_build_object('publications', (
      select jsonb_agg(jsonb_build_object('voucher_ids', to_jsonb(b.voucher_ids), 'created_at', b.created_at))
      from publications b where b.project_id = project and b.customer_id = caller and b.result = 'SUCCESS'));
  end if;
  if p ? 'published' then
    answer := answer || jsonb_build_object('publication_metadata', (
      select jsonb_object_agg(v.id, (
        select b.metadata from holders h join publications b on b.project_id = project and b.id = h.publication_id
        where h.project_id = project and h.voucher_id = v.id order by b.id desc limit 1))
      from jsonb_array_elements_text(p->'published') v (id)));
  end if;
  return answer;
end $$;
