-- Merges single rows of usage into the sums of their days, and returns how many. core/db/usage.ts calls it on a distributed database only,
-- where one statement cannot delete rows by their place and add them up.
create or replace function fold_usage(project text, rows_max int) returns int language plpgsql volatile as $$
declare
  found_rows jsonb;
begin
  select coalesce(jsonb_agg(to_jsonb(held)), '[]') into found_rows from (
    select * from usage where project_id = project and id <> ''
    order by scope_id, day, is_undone limit rows_max for update skip locked) held;
  delete from usage u using jsonb_populate_recordset(null::usage, found_rows) r
  where u.project_id = project and u.scope_id = r.scope_id and u.day = r.day and u.is_undone = r.is_undone and u.id = r.id;
  insert into usage as u (project_id, scope_id, day, is_undone, id, redemptions, orders_amount, discounted_amount, credits)
  select own.id, r.scope_id, r.day, r.is_undone, '', sum(r.redemptions), sum(r.orders_amount), sum(r.discounted_amount), sum(r.credits)
  from projects own, jsonb_populate_recordset(null::usage, found_rows) r where own.id = project
  group by own.id, r.scope_id, r.day, r.is_undone order by r.scope_id, r.day, r.is_undone
  on conflict (project_id, scope_id, day, is_undone, id) do update set redemptions = u.redemptions + excluded.redemptions,
    orders_amount = u.orders_amount + excluded.orders_amount,
    discounted_amount = u.discounted_amount + excluded.discounted_amount, credits = u.credits + excluded.credits;
  return jsonb_array_length(found_rows);
end $$;
