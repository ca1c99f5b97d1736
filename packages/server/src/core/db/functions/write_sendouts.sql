-- Trigger on event_rows: for each inserted event, one send-out per active webhook of its project that asked for its type
-- (docs/reference/webhooks.md#selection). It runs once per statement, in the transaction of the events, whatever wrote them.
-- It locks nothing that another request changes, and the number in the id comes from a sequence: it cannot conflict with another
-- request, so it makes none fail or wait.
-- On a distributed database it runs on the server of the project, where a statement may name one project of a table, and no other table
-- beside the inserted rows. One statement inserts events of one project there; here, of several.
create or replace function write_sendouts() returns trigger language plpgsql as $$
declare
  project text;
  types text[];
  ids text[];
  groups text[];
  moments timestamptz[];
begin
  for project in select distinct project_id from written loop
    -- Most projects have no webhook: an insert of nothing would still open the table and all its indexes.
    continue when not exists (select from webhooks w where w.project_id = project and w.active);
    select array_agg(e.id), array_agg(e.type), array_agg(e.group_id), array_agg(e.created_at) into ids, types, groups, moments
    from written e where e.project_id = project;
    insert into webhook_sendouts (project_id, id, webhook_id, event_id, type, source_url, status, request_id, created_at,
      next_attempt_at, due_at, activation)
    select s.project_id,
      'whs_' || lpad(to_hex((extract(epoch from s.created_at) * 1000)::bigint), 11, '0')
        || lpad(to_hex(nextval('webhook_sendout_numbers') & x'fffffff'::bigint), 7, '0'),
      s.webhook_id, s.event_id, s.type, s.target_url, 'PENDING', s.group_id, s.created_at, s.created_at, s.created_at,
      s.activation
    from (
      select w.project_id, e.created_at, w.id as webhook_id, e.id as event_id, e.type, w.target_url, w.activation, e.group_id
      from webhooks w join unnest(ids, types, groups, moments) e (id, type, group_id, created_at) on e.type = any(w.events)
      where w.project_id = project and w.active
      order by right(e.id, 18) -- the time-ordered digits: send-outs get the order of the events
    ) s;
  end loop;
  return null;
end $$;
