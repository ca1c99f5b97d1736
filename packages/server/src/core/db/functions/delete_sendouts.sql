-- Trigger on event_rows: deletes the send-outs of deleted events, those that wait and the log of the others, with the copies that
-- tests have sent (docs/reference/webhooks.md#send-out-log). A node of a release without webhooks, which erases a customer, runs it
-- too.
create or replace function delete_sendouts() returns trigger language plpgsql as $$
declare
  project text;
  ids text[];
begin
  -- Project by project, as write_sendouts does.
  for project in select distinct project_id from deleted loop
    ids := array(select e.id from deleted e where e.project_id = project);
    delete from webhook_sendouts s where s.project_id = project and s.event_id = any(ids);
  end loop;
  return null;
end $$;
