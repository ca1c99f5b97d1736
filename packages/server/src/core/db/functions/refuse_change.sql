-- Trigger: rows of this table are immutable.
create or replace function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% never change', tg_table_name;
end $$;
