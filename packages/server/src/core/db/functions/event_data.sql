-- The data of an event. Events of one request share most of their data, so it is stored once for all of them, as a list of parts:
-- the row of such an event holds, for each property, the position of its value in that list.
create or replace function event_data(data text, parts text) returns jsonb language plpgsql immutable as $$
declare
  list jsonb := parts::jsonb;
begin
  if parts is null then return data::jsonb; end if;
  return (select coalesce(jsonb_object_agg(key, list -> value::int), '{}') from json_each_text(data::json));
end $$;
