-- Trigger on vouchers: a card that is put into the bin or deleted takes its balance away from what is owed to holders
-- (docs/decisions/0064-statistics-from-sums.md), also when a node of an earlier release deletes it. Cards of a deleted campaign or
-- project are not owed anyway, and may be many.
create or replace function subtract_deleted_card() returns trigger language plpgsql as $$
declare
  balance bigint := old.credits_added - coalesce(old.credits_subtracted, 0) - coalesce(old.credits_redeemed, 0)
    - coalesce(old.credits_expired, 0);
begin
  insert into tallies (project_id, name, id, delta)
  select own.id, 'owed/' || coalesce(old.campaign_id, '') || case old.type when 'GIFT_VOUCHER' then '/gift_cards' else '/points' end,
    gen_random_uuid()::text, -balance
  from projects own where own.id = old.project_id and own.deleted_at is null and balance <> 0
    and (old.campaign_id is null or exists (
      select from campaigns c where c.project_id = old.project_id and c.id = old.campaign_id and c.deleted_at is null));
  return null;
end $$;
