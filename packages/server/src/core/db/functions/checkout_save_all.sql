-- Writes everything that a checkout decided, in one statement and one transaction, or nothing. Contains no business rule.
--   p     what to write; each key is one table or one kind of change. checkout/decision/payload.ts builds it.
--   told  texts of the event parts, separated by chr(30); p.told holds the ids of the events that share each of them.
-- Returns whether segment checks were queued.
--
-- Every row that the evaluation relied on is listed with the xmin or the guard version that was read. If one is stale, the
-- function raises GU001 with the row as its message, and the caller retries with fresh rows. An idempotency key that another
-- request has stored raises GU002.
--
-- Global lock order: key, order, customers, vouchers, guards; by id within each kind.
-- Statements name the project of every table as a parameter. An insert that may meet a conflict reads the row of the project, beside which a
-- distributed database then runs all of it: otherwise it counts the rows that were read (docs/decisions/0082-distributed-by-project.md).
create or replace function checkout_save_all(project text, p jsonb, told text) returns boolean language plpgsql
  volatile
  -- One generic plan per connection that uses indexes only: planning takes longer than running, and a plan made while the tables
  -- were small must still be good after they have grown.
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
  as $$
declare
  moment timestamptz := (p->>'now')::timestamptz;
  one jsonb;
  row_change jsonb;
  changed bigint;
  stale text;
  has_checks boolean := false;
begin
  perform set_config('lock_timeout', p->>'lock_timeout', true);

  if p ? 'key' then
    one := p->'key';
    insert into idempotency_keys as k (project_id, key, fingerprint, status, body, expires_at)
    values (project, one->>'key', decode(one->>'fingerprint', 'hex'), (one->>'status')::int, one->>'body',
      (one->>'expires_at')::timestamptz)
    on conflict (project_id, key) do update set fingerprint = excluded.fingerprint, status = excluded.status,
      body = excluded.body, expires_at = excluded.expires_at
      where k.expires_at <= moment or (k.status >= 400 and k.fingerprint <> excluded.fingerprint);
    if not found then raise exception 'key' using errcode = 'GU002'; end if;
  end if;

  -- New orders without a source id: no other request can create or change them, so no version is checked.
  if p ? 'new_orders' then
    insert into orders (project_id, id, source_id, status, amount, initial_amount, discount_amount, items_discount_amount,
      items, metadata, customer_id, referrer_id, redemptions, discounted_goods, client_order, created_at, updated_at)
    select project, o.id, o.source_id, o.status, o.amount, o.initial_amount, o.discount_amount, o.items_discount_amount,
      o.items, o.metadata, o.customer_id, o.referrer_id, o.redemptions, o.discounted_goods, o.client_order, o.created_at,
      o.updated_at
    from jsonb_populate_recordset(null::orders, p->'new_orders') o;
  end if;
  if p ? 'order' then
    one := p->'order';
    row_change := one->'row';
    if one->>'xmin' is null then
      -- Serialises requests that create an order with the same source id (orders/store.ts, lockSources).
      if row_change->>'source_id' is not null then
        perform pg_advisory_xact_lock(hashtextextended('order ' || project || ' ' || (row_change->>'source_id'), 0))
          from projects where id = project;
      end if;
      insert into orders (project_id, id, source_id, status, amount, initial_amount, discount_amount, items_discount_amount,
        items, metadata, customer_id, referrer_id, redemptions, discounted_goods, client_order, created_at, updated_at)
      select own.id, o.id, o.source_id, o.status, o.amount, o.initial_amount, o.discount_amount, o.items_discount_amount,
        o.items, o.metadata, o.customer_id, o.referrer_id, o.redemptions, o.discounted_goods, o.client_order, o.created_at,
        o.updated_at
      from projects own, jsonb_populate_record(null::orders, row_change) o where own.id = project
      on conflict (project_id, source_id) do nothing;
    else
      update orders o set status = n.status, amount = n.amount, initial_amount = n.initial_amount,
        discount_amount = n.discount_amount, items_discount_amount = n.items_discount_amount, items = n.items,
        metadata = n.metadata, customer_id = n.customer_id, referrer_id = n.referrer_id, redemptions = n.redemptions,
        discounted_goods = n.discounted_goods, client_order = n.client_order, updated_at = n.updated_at
      from jsonb_populate_record(null::orders, row_change) n
      where o.project_id = project and o.id = n.id and o.xmin = (one->>'xmin')::xid;
    end if;
    if not found then
      raise exception 'order %', coalesce(row_change->>'source_id', row_change->>'id') using errcode = 'GU001';
    end if;
  end if;

  if p ? 'customer_ids' then
    perform 1 from customers c where c.project_id = project
      and c.id = any(array(select jsonb_array_elements_text(p->'customer_ids'))) order by c.id for update;
  end if;
  if p ? 'customers' then
    for one in select value from jsonb_array_elements(p->'customers') order by value->>'id' collate "C" loop
      if one ? 'row' then
        insert into customers (project_id, id, source_id, name, description, email, phone, birthdate, birthday, address, metadata,
          system_metadata, orders_total_amount, orders_total_count, last_order_amount, last_order_date,
          redemptions_succeeded, redemptions_failed, redemptions_rolled_back, rollbacks_succeeded, rollbacks_failed,
          gift_redeemed_amount, gift_amount_to_go, redeemed_points, loyalty, referrals, created_at, updated_at,
          deleted_at)
        select own.id, n.id, n.source_id, n.name, n.description, n.email, n.phone, n.birthdate, n.birthday, n.address,
          n.metadata, n.system_metadata, n.orders_total_amount, n.orders_total_count, n.last_order_amount,
          n.last_order_date, n.redemptions_succeeded, n.redemptions_failed, n.redemptions_rolled_back,
          n.rollbacks_succeeded, n.rollbacks_failed, n.gift_redeemed_amount, n.gift_amount_to_go, n.redeemed_points,
          n.loyalty, n.referrals, n.created_at, n.updated_at, n.deleted_at
        from projects own, jsonb_populate_record(null::customers, one->'row') n where own.id = project
        on conflict (project_id, source_id) where deleted_at is null do nothing;
      else
        if one ? 'looks_for_latest' then
          perform 1 from customers where project_id = project and id = one->>'id' for update;
        end if;
        -- Values computed from the row that was read are written only if its version is still current.
        if one ? 'set' then
          update customers c set name = n.name, description = n.description, email = n.email, phone = n.phone,
            birthdate = n.birthdate, birthday = n.birthday, address = n.address, metadata = n.metadata,
            updated_at = n.updated_at
          from jsonb_populate_record(null::customers, one->'set') n
          where c.project_id = project and c.id = one->>'id' and c.xmin = (one->>'xmin')::xid;
          if not found then raise exception 'customer %', one->>'id' using errcode = 'GU001'; end if;
        end if;
        if one ?| array['loyalty', 'referred', 'unreferred', 'looks_for_latest'] then
          update customers c set
            loyalty = case when one ? 'loyalty' then add_to_loyalty(c.loyalty, one->'loyalty') else c.loyalty end,
            referrals = add_to_referrals(c.referrals, one),
            (last_order_amount, last_order_date) = (
              select latest.amount, latest.date from (
                (select coalesce(o.amount, 0) as amount, o.created_at as date from orders o
                  where one ? 'looks_for_latest' and o.project_id = project and o.customer_id = c.id
                    and o.status in ('PAID', 'FULFILLED') order by o.created_at desc, o.id desc limit 1)
                union all select c.last_order_amount, c.last_order_date where not one ? 'looks_for_latest'
              ) latest limit 1)
          where c.project_id = project and c.id = one->>'id' and c.deleted_at is null;
        end if;
      end if;
      if not found then raise exception 'customer %', one->>'id' using errcode = 'GU001'; end if;
    end loop;
  end if;
  -- Increments need no version check.
  if p ? 'customer_sums' then
    update customers c set
      orders_total_amount = c.orders_total_amount + coalesce(a.orders_total_amount, 0),
      orders_total_count = c.orders_total_count + coalesce(a.orders_total_count, 0),
      redemptions_succeeded = c.redemptions_succeeded + coalesce(a.redemptions_succeeded, 0),
      redemptions_failed = c.redemptions_failed + coalesce(a.redemptions_failed, 0),
      redemptions_rolled_back = c.redemptions_rolled_back + coalesce(a.redemptions_rolled_back, 0),
      rollbacks_succeeded = c.rollbacks_succeeded + coalesce(a.rollbacks_succeeded, 0),
      rollbacks_failed = c.rollbacks_failed + coalesce(a.rollbacks_failed, 0),
      gift_redeemed_amount = c.gift_redeemed_amount + coalesce(a.gift_redeemed_amount, 0),
      redeemed_points = c.redeemed_points + coalesce(a.redeemed_points, 0),
      last_order_amount = case when a.latest_date >= coalesce(c.last_order_date, '-infinity')
        then a.latest_amount else c.last_order_amount end,
      last_order_date = greatest(c.last_order_date, a.latest_date)
    from jsonb_to_recordset(p->'customer_sums') a (id text, orders_total_amount bigint, orders_total_count bigint,
      redemptions_succeeded bigint, redemptions_failed bigint, redemptions_rolled_back bigint, rollbacks_succeeded bigint,
      rollbacks_failed bigint, gift_redeemed_amount bigint, redeemed_points bigint, latest_amount bigint,
      latest_date timestamptz)
    where c.project_id = project and c.id = a.id and c.deleted_at is null;
    get diagnostics changed = row_count;
    if changed < jsonb_array_length(p->'customer_sums') then
      raise exception 'customer %', (select a->>'id' from jsonb_array_elements(p->'customer_sums') a where not exists (
        select from customers c where c.project_id = project and c.id = a->>'id' and c.deleted_at is null) limit 1)
        using errcode = 'GU001';
    end if;
  end if;

  if p ? 'vouchers' then
    one := p->'vouchers';
    stale := one->0->>'id';
    if jsonb_array_length(one) > 1 then
      perform 1 from vouchers v where v.project_id = project
        and v.id = any(array(select value->>'id' from jsonb_array_elements(one))) order by v.id for update;
      select value->>'id' into stale from jsonb_array_elements(one) where not exists (
        select from vouchers v where v.project_id = project and v.id = value->>'id' and v.xmin = (value->>'xmin')::xid) limit 1;
    end if;
    update vouchers v set
      redeemed_quantity = v.redeemed_quantity + coalesce(n.quantity, 0),
      credits_added = v.credits_added + coalesce(n.credits_added, 0),
      credits_subtracted = v.credits_subtracted + coalesce(n.credits_subtracted, 0),
      credits_redeemed = v.credits_redeemed + coalesce(n.credits_redeemed, 0),
      credits_expired = v.credits_expired + coalesce(n.credits_expired, 0),
      credits_pending = v.credits_pending + coalesce(n.credits_pending, 0),
      updated_at = case when n.is_held then v.updated_at else moment end
    from jsonb_to_recordset(one) n (id text, xmin text, quantity bigint, credits_added bigint, credits_subtracted bigint,
      credits_redeemed bigint, credits_expired bigint, credits_pending bigint, is_held boolean)
    where v.project_id = project and v.id = n.id and v.xmin = n.xmin::xid;
    get diagnostics changed = row_count;
    if changed < jsonb_array_length(one) then raise exception 'voucher %', stale using errcode = 'GU001'; end if;
    if one @? '$[*].ended_at' then
      -- Lock in the same order as the release of a session below, to avoid deadlocks.
      perform 1 from holds h join jsonb_to_recordset(one) n (id text, ended_at timestamptz)
        on h.project_id = project and h.resource_id = n.id and h.expires_at <= n.ended_at
      order by h.session_key, h.resource_id for update of h;
      delete from holds h using jsonb_to_recordset(one) n (id text, ended_at timestamptz)
      where h.project_id = project and h.resource_id = n.id and h.expires_at <= n.ended_at;
    end if;
  end if;

  if p ? 'guards' then
    for one in select value from jsonb_array_elements(p->'guards') order by value->>'name' collate "C" loop
      insert into guards as g (project_id, name, version, touched_at)
      values (project, one->>'name', nextval('guard_versions'), moment)
      on conflict (project_id, name) do update set version = excluded.version, touched_at = excluded.touched_at
        where g.version = (one->>'version')::bigint;
      if not found then raise exception 'guard %', one->>'name' using errcode = 'GU001'; end if;
    end loop;
  end if;

  if p ? 'lots' then
    insert into lots as l (project_id, voucher_id, id, points, expires_at, expired_points, created_at)
    select own.id, n.voucher_id, n.id, n.points, n.expires_at, n.expired_points, coalesce(n.created_at, moment)
    from projects own, jsonb_populate_recordset(null::lots, p->'lots') n where own.id = project
    on conflict (project_id, voucher_id, id) do update set points = excluded.points,
      expired_points = excluded.expired_points, updated_at = moment;
  end if;
  if p ? 'members' then
    insert into loyalty_members as m (project_id, voucher_id, campaign_id, customer_id, tier_id, tier_start_date,
      tier_expiration_date, tier_created_at, tier_updated_at, scheduled_tier_id, scheduled_start_date, redeemed_on,
      redeemed_runs, due_on)
    select own.id, n.voucher_id, n.campaign_id, n.customer_id, n.tier_id, n.tier_start_date, n.tier_expiration_date,
      n.tier_created_at, n.tier_updated_at, n.scheduled_tier_id, n.scheduled_start_date, n.redeemed_on, n.redeemed_runs,
      n.due_on
    from projects own, jsonb_populate_recordset(null::loyalty_members, p->'members') n where own.id = project
    on conflict (project_id, voucher_id) do update set customer_id = excluded.customer_id, tier_id = excluded.tier_id,
      tier_start_date = excluded.tier_start_date, tier_expiration_date = excluded.tier_expiration_date,
      tier_created_at = excluded.tier_created_at, tier_updated_at = excluded.tier_updated_at,
      scheduled_tier_id = excluded.scheduled_tier_id, scheduled_start_date = excluded.scheduled_start_date,
      redeemed_on = excluded.redeemed_on, redeemed_runs = excluded.redeemed_runs, due_on = excluded.due_on;
  end if;
  if p ? 'pending_points' then
    insert into pending_points as q (project_id, id, voucher_id, campaign_id, customer_id, order_id, points, activates_at,
      expiration_rules, details, status, created_at, updated_at)
    select own.id, n.id, n.voucher_id, n.campaign_id, n.customer_id, n.order_id, n.points, n.activates_at,
      nullif(n.expiration_rules, 'null'), n.details, n.status, n.created_at, n.updated_at
    from projects own, jsonb_populate_recordset(null::pending_points, p->'pending_points') n where own.id = project
    on conflict (project_id, id) do update set points = excluded.points, status = excluded.status,
      updated_at = excluded.updated_at;
  end if;
  if p ? 'earnings' then
    insert into earnings
    select project, n.order_id, n.voucher_id, n.earning_rule_id, n.created_at
    from jsonb_populate_recordset(null::earnings, p->'earnings') n;
  end if;
  if p ? 'reward_redemptions' then
    insert into reward_redemptions as q (project_id, id, state, voucher_id, campaign_id, customer_id, reward_id,
      reward_assignment_id, source_id, source_type, issued, created_at, updated_at)
    select own.id, n.id, n.state, n.voucher_id, n.campaign_id, n.customer_id, n.reward_id, n.reward_assignment_id,
      n.source_id, n.source_type, nullif(n.issued, 'null'), n.created_at, n.updated_at
    from projects own, jsonb_populate_recordset(null::reward_redemptions, p->'reward_redemptions') n where own.id = project
    on conflict (project_id, id) do update set state = excluded.state, updated_at = excluded.updated_at;
  end if;
  if p ? 'redemptions' then
    insert into redemptions (project_id, id, object, result, status, related_object_type, related_object_id, campaign_id,
      stack_id, voucher_code, parent_id, redemption_id, customer_id, tracking_id, order_id, amount, metadata, session_key,
      channel_type, channel_id, failure_code, failure_message, reason, reward, "order", undo, rollback, created_at)
    select project, r.id, r.object, r.result, r.status, r.related_object_type, r.related_object_id, r.campaign_id,
      r.stack_id, r.voucher_code, r.parent_id, r.redemption_id, r.customer_id, r.tracking_id, r.order_id, r.amount,
      r.metadata, r.session_key, r.channel_type, r.channel_id, r.failure_code, r.failure_message, r.reason, r.reward,
      r."order", r.undo, r.rollback, r.created_at
    from jsonb_populate_recordset(null::redemptions, p->'redemptions') r;
  end if;
  if p ? 'rolled_back' then
    update redemptions r set status = 'ROLLED_BACK', rollback = n.rollback
    from jsonb_populate_recordset(null::redemptions, p->'rolled_back') n
    where r.project_id = project and r.id = n.id;
  end if;
  if p ? 'transactions' then
    insert into voucher_transactions
    select project, t.id, t.voucher_id, t.campaign_id, t.type, t.amount, t.balance, t.source_id, t.source, t.reason,
      t.details, t.related_transaction_id, t.created_at
    from jsonb_populate_recordset(null::voucher_transactions, p->'transactions') t;
  end if;
  if p ? 'postings' then
    insert into postings
    select project, n.voucher_id, n.id, n.transaction_id, n.source, n.destination, n.amount, n.lot_id, n.expires_at, n.created_at
    from jsonb_populate_recordset(null::postings, p->'postings') n;
  end if;
  if p ? 'holders' then
    insert into holders
    select own.id, h.id, h.voucher_id, h.customer_id, h.campaign_id, h.role, h.publication_id, h.created_at, h.metadata
    from projects own, jsonb_populate_recordset(null::holders, p->'holders') h where own.id = project
    on conflict (project_id, voucher_id, customer_id) do nothing;
  end if;
  if p ? 'released' then
    -- Serialises the requests of one session: the later one replaces its holds.
    perform pg_advisory_xact_lock(hashtextextended('session ' || project || ' ' || (p->>'released'), 0))
      from projects where id = project;
    perform 1 from holds where project_id = project and session_key = p->>'released' order by resource_id for update;
    delete from holds where project_id = project and session_key = p->>'released';
  end if;
  if p ? 'holds' then
    insert into holds
    select own.id, h.session_key, h.resource_id, h.quantity, h.credits, h.created_at, h.expires_at
    from projects own, jsonb_populate_recordset(null::holds, p->'holds') h where own.id = project
    on conflict (project_id, session_key, resource_id) do update set quantity = excluded.quantity,
      credits = excluded.credits, created_at = excluded.created_at, expires_at = excluded.expires_at;
  end if;
  if p ? 'usage' then
    insert into usage
    select project, u.scope_id, u.day, u.is_undone, u.id, u.redemptions, u.orders_amount, u.discounted_amount, u.credits
    from jsonb_populate_recordset(null::usage, p->'usage') u;
  end if;
  if p ? 'tallies' then
    insert into tallies
    select project, t.name, t.id, t.delta
    from jsonb_populate_recordset(null::tallies, p->'tallies') t;
  end if;
  if p ? 'segment_checks' then
    insert into segment_checks
    select own.id, s.customer_id, s.request_id, s.caller, moment
    from projects own, jsonb_populate_recordset(null::segment_checks, p->'segment_checks') s
   
    where own.id = project
      and exists (select from segments g where g.project_id = project and g.type <> 'static' and g.deleted_at is null)
    on conflict do nothing;
    has_checks := found;
  end if;
  -- Event data shared by the events of one request is stored once.
  if told is not null then
    insert into event_parts (project_id, id, event_ids, parts)
    select project, e.ids[1], e.ids, e.parts
    from unnest(string_to_array(told, chr(30))) with ordinality t (parts, place)
    cross join lateral (select t.parts, array(select jsonb_array_elements_text(p->'told'->(t.place::int - 1))) as ids) e;
    insert into event_rows (project_id, id, type, category, entity_id, created_at, group_id, event_source, campaign_id,
      voucher_id, data, parts_id)
    select project, e.id, e.type, e.category, e.entity_id, e.created_at, e.group_id, e.event_source, e.campaign_id,
      e.voucher_id, e.data, e.parts_id
    from jsonb_populate_recordset(null::event_rows, p->'events') e;
  end if;
  return has_checks;
end $$;
