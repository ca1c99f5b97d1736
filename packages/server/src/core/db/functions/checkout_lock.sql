-- Locks the rows that a batch of redemptions may change, in the global lock order (checkout_save): customers, then vouchers; by id
-- within each kind. Waits at most lock_wait for each of them.
create or replace function checkout_lock(project text, code_keys text[], customer_sources text[], customer_ids text[], lock_wait text)
  returns void language plpgsql
  volatile
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
  as $$
begin
  perform set_config('lock_timeout', lock_wait, true);
  -- Also the holders of cards and referral codes: a redemption may change them too.
  perform 1 from customers c where c.project_id = project and c.deleted_at is null and c.id = any(customer_ids || array(
    select c.id from customers c
    where c.project_id = project and c.source_id = any(customer_sources) and c.deleted_at is null
    union all select v.holder_id from vouchers v where v.project_id = project and v.code_key = any(code_keys)
      and (v.type = 'LOYALTY_CARD' or v.is_referral_code)))
    order by c.id for update;
  perform 1 from vouchers v where v.project_id = project and v.code_key = any(code_keys) order by v.id for update;
end $$;
