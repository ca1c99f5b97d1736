-- Everything about the loyalty programs of some customers, in one round trip. Locks the customers, then their cards, in the global
-- lock order, before it reads: no other transaction can change points until this one ends.
create or replace function loyalty_rows(project text, p jsonb) returns jsonb language plpgsql
  volatile
  -- One generic plan per connection that uses indexes only: planning takes longer than running, and a plan made while the tables
  -- were small must still be good after they have grown.
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
  as $$
declare
  people text[] := array(select jsonb_array_elements_text(p->'customers'));
  zone text := p->>'timezone';
  today date := (p->>'today')::date;
  cards text[];
  since date;
  answer jsonb;
begin
  perform set_config('lock_timeout', p->>'lock_timeout', true);
  perform 1 from customers c where c.project_id = project and c.id = any(people) and c.deleted_at is null
    order by c.id for update;
  -- Found before they are locked in order: where one customer holds most of the vouchers that have a holder, the planner expects as many of
  -- each, and would read all vouchers of the project in the order of their ids.
  cards := array(
    select held.id from unnest(people) person cross join lateral (
      select v.id from vouchers v where v.project_id = project and v.holder_id = person and v.type = 'LOYALTY_CARD' offset 0
    ) held);
  cards := array(
    select v.id from vouchers v where v.project_id = project and v.id = any(cards) and v.holder_id = any(people)
      and v.deleted_at is null and v.campaign_id is not null
    order by v.id for update);
  -- A change that is due on one card may give points to another card, so all cards start from the earliest due day.
  select least(today, (p->>'since')::date, min(m.due_on)) into since from loyalty_members m
    where m.project_id = project and m.voucher_id = any(cards);
  select jsonb_build_object(
    'config_version', (select config_version from projects where id = project),
    'customers', (select coalesce(jsonb_agg(to_jsonb(c) order by c.id), '[]') from customers c
      where c.project_id = project and c.id = any(people) and c.deleted_at is null),
    'cards', (select coalesce(jsonb_agg(to_jsonb(v) || jsonb_build_object(
      'xmin', v.xmin::text,
      'assignments', (select jsonb_agg(to_jsonb(a) - 'project_id' order by a.created_at, a.id) from rule_assignments a
        where a.project_id = project and a.related_object_id = v.id and a.related_object_type = 'voucher'),
      'lots', (select jsonb_agg(jsonb_build_object('id', l.id, 'points', l.points, 'expires_at', l.expires_at,
          'created_at', l.created_at, 'updated_at', l.updated_at) order by l.id)
        from lots l where l.project_id = project and l.voucher_id = v.id and l.expired_points is null),
      'last_transaction', (select max(t.id) from voucher_transactions t
        where t.project_id = project and t.voucher_id = v.id),
      'member', to_jsonb(m),
      'due_pending', case when v.credits_pending > 0 then (
        select jsonb_agg(to_jsonb(q) order by q.activates_at, q.id) from pending_points q
        where q.project_id = project and q.voucher_id = v.id and q.status = 'PENDING' and (q.activates_at <= today
          or q.order_id = p->>'order_id' or q.id = p->>'pending_id')) end,
      'next_activation', case when v.credits_pending > 0 then (
        select min(q.activates_at) from pending_points q
        where q.project_id = project and q.voucher_id = v.id and q.status = 'PENDING' and q.activates_at > today
          and q.order_id is distinct from p->>'order_id' and q.id is distinct from p->>'pending_id') end,
      'paid_rules', case when p->>'order_id' is not null then (
        select jsonb_agg(e.earning_rule_id) from earnings e
        where e.project_id = project and e.order_id = p->>'order_id' and e.voucher_id = v.id) end,
      -- Points earned per day since the start of the tier period; for a member not processed for a while, of the period of "since".
      'credits', case when p->'periods' ? v.campaign_id then (
        select jsonb_agg(jsonb_build_object('date', day, 'points', points)) from (
          select (t.created_at at time zone zone)::date as day, sum(t.amount) as points
          from voucher_transactions t, (select (p->'periods'->>v.campaign_id)::int as months) period
          where t.project_id = project and t.voucher_id = v.id and t.amount > 0
            and t.type in ('POINTS_ACCRUAL', 'PENDING_POINTS_ACTIVATION', 'POINTS_ADDITION')
            and t.created_at >= make_date(extract(year from since)::int,
              (extract(month from since)::int - 1) / months * months + 1, 1)::timestamp at time zone zone
          group by 1) by_day) end
    ) order by v.id), '[]') from vouchers v
      left join loyalty_members m on m.project_id = project and m.voucher_id = v.id
      where v.project_id = project and v.id = any(cards)),
    'terms', (select coalesce(jsonb_agg(jsonb_build_object('id', t.id, 'content', t.content)), '[]') from terms t
      where t.project_id = project and t.id in (
        select v.terms_id from vouchers v where v.project_id = project and v.id = any(cards)))
  ) into answer;
  return answer;
end $$;
