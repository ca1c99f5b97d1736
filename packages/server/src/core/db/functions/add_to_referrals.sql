-- Who referred a customer, with one more (`referred`) or without those of a redemption (`unreferred`). A function of its own, and immutable:
-- a distributed database lets no other look at the columns of an update.
create or replace function add_to_referrals(referrals jsonb, change jsonb) returns jsonb language plpgsql immutable as $$
begin
  if change ? 'referred' then
    return jsonb_build_object('total', (referrals->>'total')::bigint + 1, 'campaigns', referrals->'campaigns' || (change->'referred'));
  elsif change ? 'unreferred' then
    return (
      select jsonb_build_object('total', count(*), 'campaigns', coalesce(jsonb_agg(value order by place), '[]'))
      from jsonb_array_elements(referrals->'campaigns') with ordinality as each (value, place)
      where value->>'related_object_id' <> change->>'unreferred');
  end if;
  return referrals;
end $$;
