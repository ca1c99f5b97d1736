-- Trigger on orders: an order whose status or amounts change gets the position of the transaction, by which the statistics find it
-- (docs/decisions/0064-statistics-from-sums.md). New orders get theirs from the default of the column.
create or replace function mark_changed_order() returns trigger language plpgsql as $$
begin
  new.position := pg_current_xact_id()::text::bigint + (select shift from event_positions);
  return new;
end $$;
