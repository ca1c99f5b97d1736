/**
 * What an event says. Events that tell of the same thing say mostly the same, so that what they say is stored once for all of
 * them, as a list of parts: the row of such an event has, for each of its properties, the place of its value in that list.
 */
export const event_data = `
create function event_data(data text, parts text) returns jsonb language plpgsql immutable as $$
declare
  list jsonb := parts::jsonb;
begin
  if parts is null then return data::jsonb; end if;
  return (select coalesce(jsonb_object_agg(key, list -> value::int), '{}') from json_each_text(data::json));
end $$`
