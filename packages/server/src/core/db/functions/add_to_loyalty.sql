-- Applies changes to customers.loyalty, by campaign name: points of the card, referred customers and, if the change contains it,
-- the tier. A change with 'gone' removes the campaign and subtracts its points.
create or replace function add_to_loyalty(loyalty jsonb, moves jsonb) returns jsonb language plpgsql immutable as $$
declare
  name text;
  move jsonb;
  own jsonb;
  points bigint;
  referred bigint;
begin
  for name, move in select key, value from jsonb_each(moves) order by key loop
    own := coalesce(loyalty->'campaigns'->name, '{"points": 0, "referred_customers": 0}');
    if move ? 'gone' then
      points := -(own->>'points')::bigint;
      referred := -(own->>'referred_customers')::bigint;
      loyalty := loyalty #- array['campaigns', name];
    else
      points := coalesce((move->>'points')::bigint, 0);
      referred := coalesce((move->>'referred_customers')::bigint, 0);
      own := own || jsonb_build_object('points', (own->>'points')::bigint + points,
        'referred_customers', (own->>'referred_customers')::bigint + referred);
      if move ? 'loyalty_tier' then
        own := own - 'loyalty_tier' || jsonb_strip_nulls(jsonb_build_object('loyalty_tier', move->'loyalty_tier'));
      end if;
      loyalty := jsonb_set(loyalty, array['campaigns', name], own);
    end if;
    loyalty := loyalty || jsonb_build_object('points', (loyalty->>'points')::bigint + points,
      'referred_customers', (loyalty->>'referred_customers')::bigint + referred);
  end loop;
  return loyalty;
end $$;
