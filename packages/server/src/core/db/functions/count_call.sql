-- Counts one call in every window. If one of them is full, raises GUR01 and counts it in none.
create or replace function count_call(project text, kinds text[], lengths integer[], starts timestamptz[], maxima bigint[])
returns table (kind text, seconds integer, calls bigint) language plpgsql as $$
#variable_conflict use_column
declare
  counted integer;
begin
  return query
    insert into call_windows as w (project_id, kind, seconds, starts_at, calls, calls_max)
    select own.id, t.kind, t.seconds, t.starts_at, 1, t.calls_max
    from projects own, unnest(kinds, lengths, starts, maxima) as t (kind, seconds, starts_at, calls_max)
    where own.id = project
    order by t.kind, t.seconds
    on conflict (project_id, kind, seconds, starts_at) do update
      set calls = w.calls + 1, calls_max = excluded.calls_max
      where w.calls < excluded.calls_max
    returning w.kind, w.seconds, w.calls;
  get diagnostics counted = row_count;
  if counted < cardinality(kinds) then
    raise exception 'a call window is full' using errcode = 'GUR01';
  end if;
end $$;
