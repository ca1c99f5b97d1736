import { operation } from '../../core/http/operation.ts'
import { listed } from '../../core/query/list.ts'
import { removeCustomEventSchema } from './remove.ts'
import { CreateCustomEventSchema, CustomEventSchema, CustomEventSchemaList, UpdateCustomEventSchema } from './schema.ts'
import { getCustomEventSchemaById, listCustomEventSchemas } from './store.ts'
import { changeCustomEventSchema, createCustomEventSchema } from './write.ts'

export const customEventSchemas = [
  operation({
    id: 'listCustomEventSchemas',
    method: 'GET',
    path: '/management/v1/projects/{projectId}/custom-event-schemas',
    summary: 'List custom event schemas',
    description: 'All of them, oldest first.',
    reply: CustomEventSchemaList,
    errors: ['not_found'],
    run: async (ctx) => {
      const data = await listCustomEventSchemas(ctx)
      return listed('data', data, { total: data.length })
    },
  }),
  operation({
    id: 'createCustomEventSchema',
    method: 'POST',
    path: '/management/v1/projects/{projectId}/custom-event-schemas',
    summary: 'Create a custom event schema',
    description: 'Only events that have a schema can be tracked.',
    body: CreateCustomEventSchema,
    reply: CustomEventSchema,
    errors: ['invalid_payload', 'not_found', 'duplicate_found'],
    run: (ctx, { body }) => createCustomEventSchema(ctx, body),
  }),
  operation({
    id: 'getCustomEventSchema',
    method: 'GET',
    path: '/management/v1/projects/{projectId}/custom-event-schemas/{customEventSchemaId}',
    summary: 'Get a custom event schema',
    description: 'By id, with the definitions of its metadata.',
    reply: CustomEventSchema,
    errors: ['not_found'],
    run: (ctx, { params }) => getCustomEventSchemaById(ctx, params.customEventSchemaId),
  }),
  operation({
    id: 'updateCustomEventSchema',
    method: 'PUT',
    path: '/management/v1/projects/{projectId}/custom-event-schemas/{customEventSchemaId}',
    summary: 'Update a custom event schema',
    description:
      'Properties that are sent are added or replaced, and may change their type; the others stay. `"deleted": true` retires one.',
    body: UpdateCustomEventSchema,
    reply: CustomEventSchema,
    errors: ['invalid_payload', 'not_found'],
    target: (ctx, { params }) => getCustomEventSchemaById(ctx, params.customEventSchemaId),
    run: (ctx, { target, body }) => changeCustomEventSchema(ctx, target.id, body.schema),
  }),
  operation({
    id: 'deleteCustomEventSchema',
    method: 'DELETE',
    path: '/management/v1/projects/{projectId}/custom-event-schemas/{customEventSchemaId}',
    summary: 'Delete a custom event schema',
    description:
      'Such events can no longer be tracked; those that were stay. Refused while an earning rule or a referral program ' +
      'waits for them.',
    reply: null,
    errors: ['not_found', 'resource_in_use'],
    target: (ctx, { params }) => getCustomEventSchemaById(ctx, params.customEventSchemaId),
    run: (ctx, { target }) => removeCustomEventSchema(ctx, target.id),
  }),
]
