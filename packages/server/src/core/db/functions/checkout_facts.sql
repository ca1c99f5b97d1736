-- First read of a checkout: every row that a request names, as JSON. Contains no business rule. Rows carry their xmin, which
-- checkout_save compares. Requests that name rows only (special is null) can be batched: one call finds the rows of all of them.
--
-- special holds what some requests need in addition: a stored reply, a stored order, a session, usage of tiers and rewards.
-- With special.lock, the rows that a redemption changes are locked first, in the global lock order:
-- order, customers, vouchers, guards; by id within each kind.
create or replace function checkout_facts(project text, moment timestamptz, code_keys text[], customer_sources text[], customer_ids text[],
  product_sources text[], product_ids text[], sku_sources text[], sku_ids text[], special jsonb)
  returns json language plpgsql
  volatile
  -- One generic plan per connection that uses indexes only: planning takes longer than running, and a plan made while the tables
  -- were small must still be good after they have grown.
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
  as $$
declare
  session text;
  order_id text;
  named text[];
  order_products text[];
  order_skus text[];
  voucher_ids text[];
  has_cards boolean;
  has_holders boolean;
  found_version bigint;
  found_order json;
  found_vouchers json;
  found_cards json;
  found_holders json;
  found_customers json;
  found_people json;
  found_products json;
  found_more_products json;
  found_skus json;
  found_usage json;
  found_rewards json;
  has_session boolean := false;
begin
  if special is not null then
    if special ? 'key' then
      select json_build_object('kept', json_build_object('fingerprint', encode(k.fingerprint, 'hex'), 'status', k.status,
        'body', k.body)) into found_order
      from idempotency_keys k where k.project_id = project and k.key = special->>'key' and k.expires_at > moment;
      if found then return found_order; end if;
    end if;

    -- Resolve source ids and voucher ids to the keys that the queries below use.
    order_id := special->>'order_id';
    if order_id is null and special ? 'order_source' then
      select o.id into order_id from orders o where o.project_id = project and o.source_id = special->>'order_source';
    end if;
    if special ? 'voucher_ids' then
      code_keys := code_keys || array(select v.code_key from vouchers v where v.project_id = project
        and v.id = any(array(select jsonb_array_elements_text(special->'voucher_ids'))));
    end if;

    if special ? 'lock' then
      perform set_config('lock_timeout', special->>'lock', true);
      perform 1 from orders o where o.project_id = project and o.id = order_id for update;
      -- All customers that the request may be about: named in it, of the stored order, or holders of its cards and referral codes.
      perform 1 from customers c where c.project_id = project and c.deleted_at is null and c.id = any(customer_ids || array(
        select c.id from customers c
        where c.project_id = project and c.source_id = any(customer_sources) and c.deleted_at is null
        union all select o.customer_id from orders o where o.project_id = project and o.id = order_id
        union all select v.holder_id from vouchers v where v.project_id = project and v.code_key = any(code_keys)
          and (v.type = 'LOYALTY_CARD' or v.is_referral_code)))
        order by c.id for update;
      perform 1 from vouchers v where v.project_id = project and v.code_key = any(code_keys) order by v.id for update;
      perform 1 from guards g where g.project_id = project
        and g.name = any(array(select jsonb_array_elements_text(special->'guards'))) order by g.name for update;
    end if;

    if order_id is not null then
      select to_json(o), array[o.customer_id, o.referrer_id],
        array(select i->>'product_id' from jsonb_array_elements(o.items) i where i->>'product_id' is not null),
        array(select i->>'sku_id' from jsonb_array_elements(o.items) i where i->>'sku_id' is not null)
      into found_order, named, order_products, order_skus
      from (select o.*, o.xmin::text from orders o where o.project_id = project and o.id = order_id) o;
      customer_ids := customer_ids || named;
      product_ids := product_ids || order_products;
      sku_ids := sku_ids || order_skus;
    end if;

    session := special->>'session';
    if session is not null then
      has_session := exists (select from holds h
        where h.project_id = project and h.session_key = session and h.expires_at > moment);
    end if;
    if special ? 'rewards' then
      select json_object_agg(r.id, r.redeemed) into found_rewards from rewards r
      where r.project_id = project and r.id = any(array(select jsonb_array_elements_text(special->'rewards')));
    end if;
    if special ? 'tiers' then
      select json_object_agg(u.scope_id, u.used) into found_usage from (
        select scope_id, json_build_object(
          'redemptions', sum(case when is_undone then -redemptions else redemptions end),
          'orders_amount', sum(case when is_undone then -orders_amount else orders_amount end),
          'discounted_amount', sum(case when is_undone then -discounted_amount else discounted_amount end)) as used
        from usage where project_id = project
          and scope_id = any(array(select jsonb_array_elements_text(special->'tiers')))
        group by scope_id) u;
    end if;
  end if;

  named := customer_ids;
  if customer_sources is not null then
    select json_agg(c), named || array_agg(c.id) into found_customers, named
    from (select c.*, c.xmin::text from customers c
      where c.project_id = project and c.source_id = any(customer_sources) and c.deleted_at is null) c;
  end if;

  if code_keys is not null then
    select json_agg(v order by v.id), array_agg(v.id), customer_ids || array_agg(v.holder_id) || array_agg(v.referrer_id),
      bool_or(v.type <> 'DISCOUNT_VOUCHER'), bool_or(v.publish_count > 0 or v.is_referral_code or v.holder_id is not null)
    into found_vouchers, voucher_ids, customer_ids, has_cards, has_holders
    from (
      select v.*, v.xmin::text,
        (select json_agg(a order by a.created_at, a.id) from rule_assignments a
          where a.project_id = project and a.related_object_id = v.id and a.related_object_type = 'voucher') as assignments,
        case when v.quantity is not null or v.type <> 'DISCOUNT_VOUCHER' then (
          select json_build_object('quantity', sum(h.quantity) filter (where h.expires_at > moment),
            'credits', sum(h.credits) filter (where h.expires_at > moment),
            'ended_at', max(h.expires_at) filter (where h.expires_at <= moment))
          from holds h where h.project_id = project and h.resource_id = v.id
            and h.session_key is distinct from session) end as held
      from vouchers v
      where v.project_id = project and v.code_key = any(code_keys) and v.deleted_at is null) v;
  end if;
  if has_cards then
    select json_object_agg(v.id, json_build_object(
      'lots', (select json_agg(json_build_object('id', l.id, 'points', l.points, 'expires_at', l.expires_at) order by l.id)
        from lots l where l.project_id = project and l.voucher_id = v.id and l.expired_points is null),
      'last_transaction', (select max(t.id) from voucher_transactions t where t.project_id = project and t.voucher_id = v.id),
      'member', (select json_build_object('tier_id', m.tier_id, 'due_on', m.due_on) from loyalty_members m
        where m.project_id = project and m.voucher_id = v.id))) into found_cards
    from vouchers v where v.project_id = project and v.id = any(voucher_ids) and v.type <> 'DISCOUNT_VOUCHER';
  end if;
  if has_holders then
    -- Which of the customers in question hold which of these vouchers.
    select json_agg(json_build_object('voucher_id', h.voucher_id, 'customer_id', h.customer_id)) into found_holders
    from holders h
    where h.project_id = project and h.voucher_id = any(voucher_ids) and h.customer_id = any(named || customer_ids);
  end if;

  -- Customers named by id, by the stored order or by a voucher.
  customer_ids := array_remove(customer_ids, null);
  if cardinality(customer_ids) > 0 then
    select json_agg(c) into found_people
    from (select c.*, c.xmin::text from customers c
      where c.project_id = project and c.id = any(customer_ids) and c.deleted_at is null) c;
  end if;

  if product_sources is not null then
    select json_agg(g) into found_products from products g
    where g.project_id = project and g.source_id = any(product_sources) and g.deleted_at is null;
  end if;
  if sku_sources is not null or sku_ids is not null then
    select json_agg(s), product_ids || array_agg(s.product_id) into found_skus, product_ids from skus s
    where s.project_id = project and (s.source_id = any(sku_sources) or s.id = any(sku_ids)) and s.deleted_at is null;
  end if;
  if product_ids is not null then
    select json_agg(g) into found_more_products from products g
    where g.project_id = project and g.id = any(product_ids) and g.deleted_at is null;
  end if;

  select config_version into found_version from projects where id = project;
  return json_build_object('config_version', found_version, 'order', found_order, 'vouchers', found_vouchers,
    'cards', found_cards, 'holders', found_holders, 'customers', found_customers, 'people', found_people, 'products', found_products, 'more_products', found_more_products,
    'skus', found_skus, 'tier_usage', found_usage, 'rewards_redeemed', found_rewards, 'has_session', has_session);
end $$;
