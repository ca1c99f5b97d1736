-- Trigger on event_rows: for each inserted event, one send-out per active webhook of its project that asked for its type
-- (docs/reference/webhooks.md#selection). It runs once per statement, in the transaction of the events, whatever wrote them.
-- It locks nothing that another request changes, and the number in the id comes from a sequence: it cannot conflict with another
-- request, so it makes none fail or wait.
create or replace function write_sendouts() returns trigger language plpgsql as $$
begin
  -- Most projects have no webhook: an insert of nothing would still open the table and all its indexes.
  if not exists (select from written e join webhooks w on w.project_id = e.project_id and w.active) then
    return null;
  end if;
  insert into webhook_sendouts (project_id, id, webhook_id, event_id, type, source_url, status, request_id, created_at,
    next_attempt_at, due_at, activation)
  select s.project_id,
    'whs_' || lpad(to_hex((extract(epoch from s.created_at) * 1000)::bigint), 11, '0')
      || lpad(to_hex(nextval('webhook_sendout_numbers') & x'fffffff'::bigint), 7, '0'),
    s.webhook_id, s.event_id, s.type, s.target_url, 'PENDING', s.group_id, s.created_at, s.created_at, s.created_at,
    s.activation
  from (
    select e.project_id, e.created_at, w.id as webhook_id, e.id as event_id, e.type, w.target_url, w.activation,
      e.group_id
    from written e join webhooks w on w.project_id = e.project_id and w.active and e.type = any(w.events)
    order by right(e.id, 18) -- the time-ordered digits: send-outs get the order of the events
  ) s;
  return null;
end $$;
