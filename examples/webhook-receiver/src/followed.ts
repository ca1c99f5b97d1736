/** The events that the receiver wants, from webhooks and from the list alike. */
export const followed = ['customer.created', 'redemption.succeeded', 'redemption.rollback.succeeded'] as const
