import { ActivityList, listActivities } from '../../core/events/activities.ts'
import { operation } from '../../core/http/operation.ts'
import { listed } from '../../core/query/list.ts'
import { createSegment } from './create.ts'
import { listSegmentsOf } from './of-customer.ts'
import { removeSegment } from './remove.ts'
import {
  CreateSegment,
  CustomerSegmentList,
  Segment,
  SegmentActivityQuery,
  SegmentList,
  SegmentQuery,
  UpdateSegment,
} from './schema.ts'
import { getSegment, listSegments, toSegment } from './store.ts'
import { changeSegment } from './update.ts'

export const segments = [
  operation({
    id: 'listSegments',
    method: 'GET',
    path: '/v1/segments',
    summary: 'List segments',
    description: 'Groups of customers, page by page.',
    query: SegmentQuery,
    reply: SegmentList,
    errors: ['invalid_query_params'],
    run: async (ctx, { query }) => {
      const { rows, total } = await listSegments(ctx, query)
      return listed('data', rows.map(toSegment), { total })
    },
  }),
  operation({
    id: 'createSegment',
    method: 'POST',
    path: '/v1/segments',
    summary: 'Create a segment',
    description:
      'A `static` segment is a list of customers. A `passive` or `auto-update` segment is a filter; the latter also tells ' +
      'when a customer enters or leaves it.',
    body: CreateSegment,
    reply: Segment,
    errors: ['invalid_payload'],
    run: (ctx, { body }) => createSegment(ctx, body),
  }),
  operation({
    id: 'getSegment',
    method: 'GET',
    path: '/v1/segments/{segmentId}',
    summary: 'Get a segment',
    description: 'By id, without its members.',
    reply: Segment,
    errors: ['not_found'],
    run: async (ctx, { params }) => toSegment(await getSegment(ctx, params.segmentId)),
  }),
  operation({
    id: 'updateSegment',
    method: 'PUT',
    path: '/v1/segments/{segmentId}',
    summary: 'Update a segment',
    description: 'Every segment can be renamed; only a passive one can get another filter.',
    body: UpdateSegment,
    reply: Segment,
    errors: ['invalid_payload', 'not_found'],
    target: (ctx, { params }) => getSegment(ctx, params.segmentId, { lock: true }),
    run: (ctx, { target, body }) => changeSegment(ctx, target, body),
  }),
  operation({
    id: 'deleteSegment',
    method: 'DELETE',
    path: '/v1/segments/{segmentId}',
    summary: 'Delete a segment',
    description: 'Refused while a validation rule, an earning rule or a referral tier names it.',
    reply: null,
    errors: ['not_found', 'resource_in_use'],
    target: (ctx, { params }) => getSegment(ctx, params.segmentId, { lock: true }),
    run: (ctx, { target }) => removeSegment(ctx, target),
  }),
  operation({
    id: 'listSegmentActivities',
    method: 'GET',
    path: '/v1/segments/{segmentId}/activities',
    summary: 'List what happened to a segment',
    description: 'Events of the segment, the newest first: created, changed, activated.',
    query: SegmentActivityQuery,
    reply: ActivityList,
    errors: ['invalid_query_params', 'not_found'],
    target: (ctx, { params }) => getSegment(ctx, params.segmentId),
    run: (ctx, { target, query }) => listActivities(ctx, target.id, query),
  }),
  operation({
    id: 'listCustomerSegments',
    method: 'GET',
    path: '/v1/customers/{customerId}/segments',
    summary: 'List the segments of a customer',
    description: 'An unknown customer is evaluated as a new one with that `source_id`.',
    reply: CustomerSegmentList,
    errors: [],
    run: async (ctx, { params }) => {
      const data = await listSegmentsOf(ctx, params.customerId)
      return listed('data', data, { total: data.length })
    },
  }),
]
