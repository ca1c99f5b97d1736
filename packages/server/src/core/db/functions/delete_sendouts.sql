-- Trigger on event_rows: deletes the send-outs of deleted events, those that wait and the log of the others, with the copies that
-- tests have sent (docs/reference/webhooks.md#send-out-log). A node of a release without webhooks, which erases a customer, runs it
-- too.
create or replace function delete_sendouts() returns trigger language plpgsql as $$
begin
  delete from webhook_sendouts s using deleted e where s.project_id = e.project_id and s.event_id = e.id;
  return null;
end $$;
