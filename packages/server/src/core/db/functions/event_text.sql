-- The data of an event as the text of a JSON object, with the properties in their stored order: the same bytes each time. `event_data`
-- returns the same as jsonb, which sorts properties. `json` keeps the text of each part as it was written.
create or replace function event_text(data text, parts text) returns text language plpgsql immutable as $$
begin
  if parts is null then return data; end if;
  return (
    select '{' || coalesce(string_agg(to_json(d.name)::text || ':' || p.value::text, ',' order by d.position), '') || '}'
    from json_each_text(data::json) with ordinality d (name, part, position)
    join json_array_elements(parts::json) with ordinality p (value, place) on p.place = d.part::int + 1
  );
end $$;
