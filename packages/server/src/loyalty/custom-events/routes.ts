import { clientView } from '../../audience/customers/client-view.ts'
import { withSourceId } from '../../audience/customers/on-client-side.ts'
import { operation } from '../../core/http/operation.ts'
import { ClientTrackedEvent, TrackEvent, TrackedEvent } from './schema.ts'
import { trackEvent } from './track.ts'

export const customEvents = [
  operation({
    id: 'trackCustomEvent',
    method: 'POST',
    path: '/v1/events',
    summary: 'Track a custom event',
    description: 'Creates the customer, or brings it up to date, and stores what it did.',
    body: TrackEvent,
    reply: TrackedEvent,
    errors: ['invalid_payload', 'not_found', 'metadata_validation_failed', 'invalid_customer'],
    run: (ctx, { body }) => trackEvent(ctx, body),
  }),
  operation({
    id: 'trackClientCustomEvent',
    method: 'POST',
    path: '/client/v1/events',
    summary: 'Track a custom event (client side)',
    description:
      'Creates and changes customers, and names referrals and loyalty cards, only where the project lets its client side do so.',
    body: TrackEvent,
    reply: TrackedEvent,
    for_pages: { reply: ClientTrackedEvent, view: clientView },
    errors: ['invalid_payload', 'forbidden', 'not_found', 'metadata_validation_failed', 'invalid_customer'],
    run: (ctx, { body }) => trackEvent(ctx, { ...body, customer: withSourceId(ctx, body.customer) }),
  }),
]
