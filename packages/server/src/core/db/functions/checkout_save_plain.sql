-- Writes a batch of plain redemptions: of discount codes, one per request, for known customers, in new orders or without one. Does the same
-- as checkout_save_all, but its parameters are an array per column instead of one JSON document: reading rows of whole tables out of JSON takes
-- about 100 µs more per redemption. checkout/decision/save-plain.ts calls it.
-- Returns whether segment checks were queued. Raises GU001 as checkout_save_all does, and locks in the same order.
--
-- A parameter with JSON values is one text, separated by chr(30), which JSON escapes. Those of a request have the place of the request;
-- its events are event_ids[event_firsts[place]:event_lasts[place]].
create or replace function checkout_save_plain(project text, moment timestamptz, lock_wait text,
  order_ids text[], order_statuses text[], order_amounts bigint[], order_initial_amounts bigint[], order_discounts bigint[],
  order_item_discounts bigint[], order_customers text[], order_dates timestamptz[], order_client text[], order_items text, order_metadata text,
  order_redemptions text, order_goods text,
  customer_ids text[], customer_amounts bigint[], customer_orders bigint[], customer_redemptions bigint[], latest_amounts bigint[],
  latest_dates timestamptz[],
  voucher_ids text[], voucher_versions text[], voucher_quantities bigint[],
  redemption_ids text[], redemption_vouchers text[], redemption_campaigns text[], redemption_codes text[], redemption_customers text[],
  redemption_trackings text[], redemption_orders text[], redemption_channels text[], redemption_dates timestamptz[], redemption_metadata text,
  redemption_order_texts text, redemption_undos text,
  usage_scopes text[], usage_days date[], usage_ids text[], usage_redemptions bigint[], usage_amounts numeric[], usage_discounts numeric[],
  tally_names text[], tally_ids text[], tally_deltas bigint[],
  check_customers text[], check_requests text[], check_callers text,
  request_ids text[], event_firsts int[], event_lasts int[], event_sources text, event_parts_texts text,
  event_ids text[], event_types text[], event_categories text[], event_entities text[], event_dates timestamptz[], event_requests int[],
  event_campaigns text[], event_vouchers text[], event_data_texts text)
  returns boolean language plpgsql
  volatile
  -- As for checkout_save_all.
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
  as $$
declare
  texts text[];
  more_texts text[];
  further_texts text[];
  goods_texts text[];
  changed bigint;
  has_checks boolean := false;
begin
  perform set_config('lock_timeout', lock_wait, true);

  if order_ids is not null then
    texts := string_to_array(order_items, chr(30));
    more_texts := string_to_array(order_metadata, chr(30));
    further_texts := string_to_array(order_redemptions, chr(30), 'null');
    goods_texts := string_to_array(order_goods, chr(30), 'null');
    insert into orders (project_id, id, status, amount, initial_amount, discount_amount, items_discount_amount, items, metadata,
      customer_id, redemptions, discounted_goods, client_order, created_at)
    select project, order_ids[n], order_statuses[n], order_amounts[n], order_initial_amounts[n], order_discounts[n],
      order_item_discounts[n], texts[n]::jsonb, more_texts[n]::jsonb, order_customers[n], further_texts[n]::jsonb,
      goods_texts[n]::jsonb, order_client[n], order_dates[n]
    from generate_series(1, cardinality(order_ids)) n;
  end if;

  if customer_ids is not null then
    if cardinality(customer_ids) > 1 then
      perform 1 from customers c where c.project_id = project and c.id = any(customer_ids) order by c.id for update;
    end if;
    update customers c set
      orders_total_amount = c.orders_total_amount + customer_amounts[n],
      orders_total_count = c.orders_total_count + customer_orders[n],
      redemptions_succeeded = c.redemptions_succeeded + customer_redemptions[n],
      last_order_amount = case when latest_dates[n] >= coalesce(c.last_order_date, '-infinity')
        then latest_amounts[n] else c.last_order_amount end,
      last_order_date = greatest(c.last_order_date, latest_dates[n])
    from generate_series(1, cardinality(customer_ids)) n
    where c.project_id = project and c.id = customer_ids[n] and c.deleted_at is null;
    get diagnostics changed = row_count;
    if changed < cardinality(customer_ids) then
      raise exception 'customer %', (select r.id from unnest(customer_ids) r (id) where not exists (
        select from customers c where c.project_id = project and c.id = r.id and c.deleted_at is null) limit 1)
        using errcode = 'GU001';
    end if;
  end if;

  if cardinality(voucher_ids) > 1 then
    perform 1 from vouchers v where v.project_id = project and v.id = any(voucher_ids) order by v.id for update;
  end if;
  update vouchers v set redeemed_quantity = v.redeemed_quantity + voucher_quantities[n], updated_at = moment
  from generate_series(1, cardinality(voucher_ids)) n
  where v.project_id = project and v.id = voucher_ids[n] and v.xmin = voucher_versions[n]::xid;
  get diagnostics changed = row_count;
  if changed < cardinality(voucher_ids) then
    raise exception 'voucher %', (select r.id from unnest(voucher_ids, voucher_versions) r (id, version) where not exists (
      select from vouchers v where v.project_id = project and v.id = r.id
        and v.xmin in (r.version::xid, pg_current_xact_id()::xid)) limit 1)
      using errcode = 'GU001';
  end if;

  texts := string_to_array(redemption_order_texts, chr(30), 'null');
  more_texts := string_to_array(redemption_undos, chr(30));
  further_texts := string_to_array(redemption_metadata, chr(30), 'null');
  insert into redemptions (project_id, id, object, result, status, related_object_type, related_object_id, campaign_id, voucher_code,
    customer_id, tracking_id, order_id, metadata, channel_type, channel_id, "order", undo, created_at)
  select project, redemption_ids[n], 'redemption', 'SUCCESS', 'SUCCEEDED', 'voucher', redemption_vouchers[n], redemption_campaigns[n],
    redemption_codes[n], redemption_customers[n], redemption_trackings[n], redemption_orders[n], further_texts[n]::jsonb, 'API',
    redemption_channels[n], texts[n]::jsonb, more_texts[n]::jsonb, redemption_dates[n]
  from generate_series(1, cardinality(redemption_ids)) n;

  insert into usage (project_id, scope_id, day, is_undone, id, redemptions, orders_amount, discounted_amount, credits)
  select project, usage_scopes[n], usage_days[n], false, usage_ids[n], usage_redemptions[n], usage_amounts[n], usage_discounts[n], 0
  from generate_series(1, cardinality(usage_ids)) n;
  insert into tallies (project_id, name, id, delta)
  select project, tally_names[n], tally_ids[n], tally_deltas[n] from generate_series(1, cardinality(tally_ids)) n;

  if check_customers is not null and exists (select from segments g
    where g.project_id = project and g.type <> 'static' and g.deleted_at is null) then
    insert into segment_checks (project_id, customer_id, request_id, caller, created_at)
    select own.id, c.customer_id, c.request_id, c.caller::jsonb, moment
    from projects own, unnest(check_customers, check_requests, string_to_array(check_callers, chr(30))) c (customer_id, request_id, caller)
    where own.id = project
    on conflict do nothing;
    has_checks := found;
  end if;

  texts := string_to_array(event_parts_texts, chr(30));
  insert into event_parts (project_id, id, event_ids, parts)
  select project, event_ids[event_firsts[n]], event_ids[event_firsts[n]:event_lasts[n]], texts[n]
  from generate_series(1, cardinality(event_firsts)) n;
  texts := string_to_array(event_data_texts, chr(30));
  more_texts := string_to_array(event_sources, chr(30));
  -- Through jsonb, so that the properties have the same order as those that checkout_save_all writes.
  insert into event_rows (project_id, id, type, category, entity_id, created_at, group_id, event_source, campaign_id, voucher_id, data,
    parts_id)
  select project, event_ids[n], event_types[n], event_categories[n], event_entities[n], event_dates[n], request_ids[event_requests[n]],
    more_texts[event_requests[n]]::jsonb, event_campaigns[n], event_vouchers[n], texts[n]::jsonb::text, event_ids[event_firsts[event_requests[n]]]
  from generate_series(1, cardinality(event_ids)) n;
  return has_checks;
end $$;
