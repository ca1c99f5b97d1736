import { ActivityList, CountedActivityList, countActivities, listActivities } from '../../core/events/activities.ts'
import { operation } from '../../core/http/operation.ts'
import { startAsyncAction } from '../../core/jobs/async-action.ts'
import { StartedAsyncAction } from '../../core/jobs/async-actions/schema.ts'
import { startFileImport } from '../../core/jobs/file-import.ts'
import { CsvFile } from '../../core/jobs/files/schema.ts'
import { loadMetadataRules } from '../../definitions/metadata-schemas/rules.ts'
import { updateCustomerMetadata, updateCustomers } from './bulk.ts'
import { clientCustomerView } from './client-view.ts'
import { toCustomer } from './customer.ts'
import { importCustomers } from './import.ts'
import { issueTrackingId } from './issue-tracking-id.ts'
import { pageOfCustomers } from './list.ts'
import { actsFor, withSourceId } from './on-client-side.ts'
import { eraseCustomer, hideCustomer } from './remove.ts'
import {
  BulkCustomerMetadata,
  BulkCustomers,
  ClientCustomer,
  Customer,
  CustomerActivitiesQuery,
  CustomerActivityQuery,
  CustomerBody,
  CustomerList,
  CustomerProfile,
  CustomerQuery,
  CustomerWithAssets,
  IssuedTrackingId,
  PermanentDeletion,
} from './schema.ts'
import { getCustomer, getCustomerToErase } from './store.ts'
import { changeCustomer, upsertCustomer } from './upsert.ts'

export const customers = [
  operation({
    id: 'listCustomers',
    method: 'GET',
    path: '/v1/customers',
    summary: 'List customers',
    description:
      '`starting_after` continues at a moment of creation, or of the last update when sorted by it. `starting_after_id` ' +
      'continues after a customer and skips none, however many were created in the same moment.',
    query: CustomerQuery,
    reply: CustomerList,
    errors: ['invalid_query_params'],
    run: (ctx, { query }) => pageOfCustomers(ctx, query),
  }),
  operation({
    id: 'createCustomer',
    method: 'POST',
    path: '/v1/customers',
    summary: 'Create or update a customer',
    description:
      'A known `id` or `source_id` brings that customer up to date: only what is sent changes, metadata by key. Without ' +
      'either, an anonymous customer is created.',
    body: CustomerBody,
    reply: Customer,
    errors: ['invalid_payload', 'not_found', 'metadata_validation_failed'],
    run: async (ctx, { body }) => toCustomer((await upsertCustomer(ctx, body)).customer),
  }),
  operation({
    id: 'getCustomer',
    method: 'GET',
    path: '/v1/customers/{customerId}',
    summary: 'Get a customer',
    description: 'By id or source id, with the summary of orders, redemptions and points.',
    reply: CustomerWithAssets,
    errors: ['not_found'],
    run: async (ctx, { params }) => ({
      ...toCustomer(await getCustomer(ctx, params.customerId)),
      assets: { cockpit_url: '', cockpit_preference_center_url: '' }, // this service has no cockpit to link to
    }),
  }),
  operation({
    id: 'updateCustomer',
    method: 'PUT',
    path: '/v1/customers/{customerId}',
    summary: 'Update a customer',
    description: 'Changes only what is sent; metadata is merged by key. `id` and `source_id` cannot change.',
    body: CustomerProfile,
    reply: Customer,
    errors: ['invalid_payload', 'not_found', 'metadata_validation_failed'],
    target: (ctx, { params }) => getCustomer(ctx, params.customerId, { lock: true }),
    run: async (ctx, { target, body }) => {
      const rules = await loadMetadataRules(ctx, 'customer')
      return toCustomer(await changeCustomer(ctx, target, body, { rules }))
    },
  }),
  operation({
    id: 'deleteCustomer',
    method: 'DELETE',
    path: '/v1/customers/{customerId}',
    summary: 'Delete a customer',
    description: 'Hides the customer. Its `source_id` can be used again at once; its history stays.',
    reply: null,
    errors: ['not_found'],
    target: (ctx, { params }) => getCustomer(ctx, params.customerId, { lock: true }),
    run: (ctx, { target }) => hideCustomer(ctx, target),
  }),
  operation({
    id: 'deleteCustomerPermanently',
    method: 'POST',
    path: '/v1/customers/{customerId}/permanent-deletion',
    summary: 'Delete a customer for good',
    description: 'Erases the customer, its orders, events and memberships. Also works, by id, for one that is hidden.',
    reply: PermanentDeletion,
    errors: ['not_found'],
    target: (ctx, { params }) => getCustomerToErase(ctx, params.customerId),
    run: (ctx, { target }) => eraseCustomer(ctx, target),
  }),
  operation({
    id: 'importCustomersCsv',
    method: 'POST',
    path: '/v1/customers/importCSV',
    summary: 'Import customers from a CSV file',
    description: 'A row with a known `Id` or `Source_id` overwrites the whole profile of that customer.',
    consumes: 'multipart',
    body: CsvFile,
    reply: StartedAsyncAction,
    status: 202,
    errors: ['invalid_payload'],
    run: (ctx, { body }) => startFileImport(ctx, importCustomers, [body.file], {}),
  }),
  operation({
    id: 'updateCustomersInBulk',
    method: 'POST',
    path: '/v1/customers/bulk/async',
    summary: 'Update customers in bulk',
    description: 'Customers that are not known by their `source_id` are created.',
    body: BulkCustomers,
    reply: StartedAsyncAction,
    status: 202,
    errors: ['invalid_payload'],
    run: (ctx, { body }) => startAsyncAction(ctx, updateCustomers, { items: body }),
  }),
  operation({
    id: 'updateCustomersMetadataInBulk',
    method: 'POST',
    path: '/v1/customers/metadata/async',
    summary: 'Update the metadata of many customers',
    description:
      'Merges the same metadata into all listed customers, in the background; unknown source ids create customers.',
    body: BulkCustomerMetadata,
    reply: StartedAsyncAction,
    status: 202,
    errors: ['invalid_payload'],
    run: (ctx, { body }) => startAsyncAction(ctx, updateCustomerMetadata, body),
  }),
  operation({
    id: 'listCustomerActivity',
    method: 'GET',
    path: '/v1/customers/{customerId}/activity',
    summary: 'List what happened to a customer',
    description: 'Events of the customer, the newest first: orders, redemptions, points, segments.',
    query: CustomerActivityQuery,
    reply: ActivityList,
    errors: ['invalid_query_params', 'not_found'],
    target: (ctx, { params }) => getCustomer(ctx, params.customerId),
    run: (ctx, { target, query }) => listActivities(ctx, target.id, query),
  }),
  operation({
    id: 'listCustomerActivities',
    method: 'GET',
    path: '/v1/customers/{customerId}/activities',
    summary: 'List what happened to a customer, with the total',
    description: 'The older form of `/activity`.',
    query: CustomerActivitiesQuery,
    reply: CountedActivityList,
    errors: ['invalid_query_params', 'not_found'],
    target: (ctx, { params }) => getCustomer(ctx, params.customerId),
    run: async (ctx, { target, query }) => ({
      ...(await listActivities(ctx, target.id, query)),
      total: await countActivities(ctx, target.id, query),
    }),
  }),
  operation({
    id: 'issueTrackingId',
    method: 'GET',
    path: '/v1/customers/{customerId}/tracking-id',
    summary: 'Issue a tracking id of a customer',
    description:
      'For the pages of a customer that the shop has recognised: client-side requests prove by it for which customer they are.',
    reply: IssuedTrackingId,
    empowers: true,
    errors: ['not_found', 'invalid_customer'],
    target: (ctx, { params }) => getCustomer(ctx, params.customerId),
    run: async (ctx, { target }) => issueTrackingId(ctx, target),
  }),
  operation({
    id: 'createClientCustomer',
    method: 'POST',
    path: '/client/v1/customers',
    summary: 'Create or update a customer (client side)',
    description:
      'From a page, metadata is not taken, and an existing customer is changed only by a request that proves it by a tracking id.',
    flag: 'client_create_customer_enabled',
    body: CustomerBody,
    reply: Customer,
    for_pages: { reply: ClientCustomer, view: clientCustomerView },
    errors: ['invalid_payload', 'not_found', 'metadata_validation_failed'],
    run: async (ctx, { body }) => {
      const { customer } = await upsertCustomer(ctx, withSourceId(ctx, body), {
        mayChange: (existing) => actsFor(ctx, existing),
      })
      // Who claims an id does not learn the source id, which may be an e-mail address.
      return toCustomer(body.id == null || actsFor(ctx, customer) ? customer : { ...customer, source_id: null })
    },
  }),
]
