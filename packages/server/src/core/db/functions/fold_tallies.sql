-- Merges changes of counters into one row per counter, and returns how many. core/db/tallies.ts calls it on a distributed database only,
-- where one statement cannot delete rows by their place and add them up.
create or replace function fold_tallies(project text, row_id text, rows_max int) returns int language plpgsql volatile as $$
declare
  found_rows jsonb;
begin
  select coalesce(jsonb_agg(to_jsonb(held)), '[]') into found_rows from (
    select t.* from tallies t
    where t.project_id = project and t.name in (
      select many.name from tallies many where many.project_id = project group by many.name having count(*) > 1)
    limit rows_max for update skip locked) held;
  delete from tallies t using jsonb_populate_recordset(null::tallies, found_rows) r
  where t.project_id = project and t.name = r.name and t.id = r.id;
  insert into tallies (project_id, name, id, delta)
  select project, r.name, row_id, sum(r.delta) from jsonb_populate_recordset(null::tallies, found_rows) r group by r.name;
  return jsonb_array_length(found_rows);
end $$;
