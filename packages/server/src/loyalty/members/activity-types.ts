import type { EmittedEventType } from '../../core/events/catalogue.ts'

/**
 * The event types in the activity of a card (docs/reference/loyalty-programs.md#events): events of the card and of its holder,
 * all beginning with `customer`.
 */
export const activityTypes = [
  'customer.loyalty.tier.joined',
  'customer.loyalty.tier.left',
  'customer.loyalty.tier.upgraded',
  'customer.loyalty.tier.downgraded',
  'customer.loyalty.tier.prolonged',
  'customer.loyalty.tier.expiration.changed',
  'customer.publication.succeeded',
  'customer.publication.failed',
  'customer.redemption.succeeded',
  'customer.redemption.failed',
  'customer.redemption.rollback.succeeded',
  'customer.redemption.rollback.failed',
  'customer.rewarded',
  'customer.rewarded.loyalty_points',
  'customer.reward_redemptions.created',
  'customer.reward_redemptions.pending',
  'customer.reward_redemptions.completed',
  'customer.reward_redemptions.rolledback',
  'customer.voucher.deleted',
  'customer.voucher.loyalty_card.points_added',
  'customer.voucher.loyalty_card.points_transferred',
  'customer.voucher.loyalty_card.points_expired',
  'customer.voucher.loyalty_card.pending_points.added',
  'customer.voucher.loyalty_card.pending_points.updated',
  'customer.voucher.loyalty_card.pending_points.canceled',
  'customer.voucher.loyalty_card.pending_points.activated',
] as const satisfies readonly EmittedEventType[]
