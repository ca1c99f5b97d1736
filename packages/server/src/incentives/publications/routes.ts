import { clientView } from '../../audience/customers/client-view.ts'
import { isPage, withSourceId } from '../../audience/customers/on-client-side.ts'
import { getCustomer } from '../../audience/customers/store.ts'
import type { Ctx } from '../../core/context.ts'
import { invalidQuery } from '../../core/http/errors.ts'
import { operation } from '../../core/http/operation.ts'
import { warn } from '../../core/http/warnings.ts'
import { getVoucher } from '../vouchers/store.ts'
import { listRedeemablesOf } from './customer-redeemables.ts'
import { readPublicationQuery } from './from-query.ts'
import { pageOfPublications } from './list.ts'
import { publishInBatch } from './publication-batcher.ts'
import { type PublishOptions, publish } from './publish.ts'
import {
  ClientPublication,
  ClientPublishQuery,
  CreatePublication,
  CreatePublicationQuery,
  CustomerRedeemableList,
  CustomerRedeemableQuery,
  Publication,
  PublicationList,
  PublicationQuery,
  PublishQuery,
} from './schema.ts'

const publishErrors = [
  'not_found',
  'missing_vouchers',
  'invalid_campaign',
  'too_many_vouchers_requested',
  'metadata_validation_failed',
  'duplicate_source_id',
  'voucher_cannot_be_published',
  'voucher_already_published',
  'no_voucher_suitable_for_publication',
] as const

/** What the client side asks for: a tracking id stands for its customer, and the query may name the campaign. */
function clientRequest(ctx: Ctx, body: CreatePublication, campaign: string | undefined): CreatePublication {
  const sent = { ...body, customer: withSourceId(ctx, body.customer) }
  // A page could use up the source ids of the shop; it needs none, since it publishes once.
  if (isPage(ctx) && sent.source_id != null) {
    sent.source_id = null
    warn(ctx, 'Property .source_id is for the server side only and was ignored.')
  }
  return sent.voucher == null && sent.campaign == null ? { ...sent, campaign: campaign ?? null } : sent
}

/** A page gives its customer one code of a campaign, however often it asks. */
const clientOptions = (ctx: Ctx, { join_once }: { join_once?: boolean }): PublishOptions =>
  isPage(ctx) ? { join_once: true, one_only: true } : { join_once }

export const publications = [
  operation({
    id: 'createPublication',
    method: 'POST',
    path: '/v1/publications',
    summary: 'Give a code to a customer',
    description:
      'Either a `voucher` that is named, or the oldest free codes of a `campaign`; one that updates itself makes codes when ' +
      'there are none left. A known customer is brought up to date, an unknown one created. With the same `source_id` the ' +
      'same publication is answered again.',
    query: PublishQuery,
    body: CreatePublication,
    reply: Publication,
    errors: ['invalid_payload', 'invalid_query_params', ...publishErrors],
    runInBatch: (ctx, { query, body }) => publishInBatch(ctx, body, query),
    run: (ctx, { query, body }) => publish(ctx, body, query),
  }),
  operation({
    id: 'createClientPublication',
    method: 'POST',
    path: '/client/v1/publish',
    summary: 'Give a code to a customer (client side)',
    description: 'Creates and changes customers only where the project lets its client side do so.',
    flag: 'client_publish_enabled',
    query: ClientPublishQuery,
    body: CreatePublication,
    reply: Publication,
    for_pages: { reply: ClientPublication, view: clientView },
    errors: ['invalid_payload', 'invalid_query_params', 'forbidden', ...publishErrors],
    runInBatch: (ctx, { query, body }) =>
      publishInBatch(ctx, clientRequest(ctx, body, query.campaign), clientOptions(ctx, query)),
    run: (ctx, { query, body }) => publish(ctx, clientRequest(ctx, body, query.campaign), clientOptions(ctx, query)),
  }),
  operation({
    id: 'createPublicationByQuery',
    method: 'GET',
    path: '/v1/publications/create',
    summary: 'Give a code to a customer, by a query string',
    description:
      'The same for callers that can only follow a link. Names in brackets are properties: `campaign[name]=Autumn`.',
    query: CreatePublicationQuery,
    reply: Publication,
    errors: ['invalid_query_params', ...publishErrors],
    writes: true,
    run: async (ctx, { query }) =>
      publish(ctx, await readPublicationQuery(ctx, query), {
        join_once: query.join_once,
        one_only: true,
        refuse: invalidQuery,
      }),
  }),
  operation({
    id: 'listPublications',
    method: 'GET',
    path: '/v1/publications',
    summary: 'List publications',
    description: 'Which codes were given to whom, page by page; filters narrow the list.',
    query: PublicationQuery,
    reply: PublicationList,
    errors: ['invalid_query_params', 'page_over_limit'],
    run: (ctx, { query }) => pageOfPublications(ctx, query),
  }),
  operation({
    id: 'listVoucherPublications',
    method: 'GET',
    path: '/v1/vouchers/{code}/publications',
    summary: 'List the publications of a code',
    description: 'To whom one code was given, page by page.',
    query: PublicationQuery,
    reply: PublicationList,
    errors: ['invalid_query_params', 'page_over_limit', 'not_found'],
    target: (ctx, { params }) => getVoucher(ctx, params.code),
    run: (ctx, { target, query }) => pageOfPublications(ctx, query, target.id),
  }),
  operation({
    id: 'listCustomerRedeemables',
    method: 'GET',
    path: '/v1/customers/{customerId}/redeemables',
    summary: 'List the codes that a customer holds',
    description: 'With the state of each code: whether it can be used now.',
    query: CustomerRedeemableQuery,
    reply: CustomerRedeemableList,
    errors: ['invalid_query_params', 'not_found'],
    target: (ctx, { params }) => getCustomer(ctx, params.customerId),
    run: (ctx, { target, query }) => listRedeemablesOf(ctx, target, query),
  }),
]
