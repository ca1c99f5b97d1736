import { operation } from '../../core/http/operation.ts'
import { listed } from '../../core/query/list.ts'
import {
  CreateManagedMetadataSchema,
  CreateMetadataSchema,
  ManagedMetadataSchema,
  ManagedMetadataSchemaList,
  MetadataSchema,
  MetadataSchemaList,
  UpdateManagedMetadataSchema,
  UpdateMetadataSchema,
} from './schema.ts'
import { managedProperties, publicProperties, toSnake } from './spelling.ts'
import { getMetadataSchema, getMetadataSchemaOf, listMetadataSchemas, type StoredSchema } from './store.ts'
import { changeMetadataSchema, createMetadataSchema, removeMetadataSchema } from './write.ts'

const updateDescription =
  'Definitions that are sent are added, or replace the stored ones whole; the others stay. The type of a definition cannot change. `"deleted": true` retires one.'

export const metadataSchemas = [
  operation({
    id: 'listMetadataSchemas',
    method: 'GET',
    path: '/v1/metadata-schemas',
    summary: 'List metadata schemas',
    description: 'All metadata schemas of the project, oldest first.',
    reply: MetadataSchemaList,
    errors: [],
    run: async (ctx) => {
      const schemas = await listMetadataSchemas(ctx)
      return listed('schemas', schemas.map(toPublic), { total: schemas.length })
    },
  }),
  operation({
    id: 'createMetadataSchema',
    method: 'POST',
    path: '/v1/metadata-schemas',
    summary: 'Create a metadata schema',
    description: 'Definitions may be written in camelCase or in snake_case.',
    body: CreateMetadataSchema,
    reply: MetadataSchema,
    errors: ['invalid_payload', 'duplicate_found'],
    run: async (ctx, { body }) => toPublic(await createMetadataSchema(ctx, { ...body, ...snake(body) })),
  }),
  operation({
    id: 'getMetadataSchema',
    method: 'GET',
    path: '/v1/metadata-schemas/{resource}',
    summary: 'Get a metadata schema',
    description: 'By its id or by the object it describes, such as `customer`.',
    reply: MetadataSchema,
    errors: ['not_found'],
    run: async (ctx, { params }) => toPublic(await getMetadataSchemaOf(ctx, params.resource)),
  }),
  operation({
    id: 'updateMetadataSchema',
    method: 'PUT',
    path: '/v1/metadata-schemas/{resource}',
    summary: 'Update a metadata schema',
    description: updateDescription,
    body: UpdateMetadataSchema,
    reply: MetadataSchema,
    errors: ['invalid_payload', 'not_found'],
    target: (ctx, { params }) => getMetadataSchemaOf(ctx, params.resource),
    run: async (ctx, { target, body }) =>
      toPublic(await changeMetadataSchema(ctx, target.id, { ...body, ...snake(body) })),
  }),
  operation({
    id: 'deleteMetadataSchema',
    method: 'DELETE',
    path: '/v1/metadata-schemas/{resource}',
    summary: 'Delete a metadata schema',
    description: 'Metadata that objects already have stays as it is.',
    reply: null,
    errors: ['not_found'],
    target: (ctx, { params }) => getMetadataSchemaOf(ctx, params.resource),
    run: (ctx, { target }) => removeMetadataSchema(ctx, target),
  }),

  operation({
    id: 'listManagedMetadataSchemas',
    method: 'GET',
    path: '/management/v1/projects/{projectId}/metadata-schemas',
    summary: 'List metadata schemas of a project',
    description: 'All of them, oldest first.',
    reply: ManagedMetadataSchemaList,
    errors: ['not_found'],
    run: async (ctx) => {
      const schemas = await listMetadataSchemas(ctx)
      return listed('data', schemas.map(toManaged), { total: schemas.length })
    },
  }),
  operation({
    id: 'createManagedMetadataSchema',
    method: 'POST',
    path: '/management/v1/projects/{projectId}/metadata-schemas',
    summary: 'Create a metadata schema of a project',
    description: 'There is one schema for each kind of object; definitions are written in snake case here.',
    body: CreateManagedMetadataSchema,
    reply: ManagedMetadataSchema,
    errors: ['invalid_payload', 'not_found', 'duplicate_found'],
    run: async (ctx, { body }) => toManaged(await createMetadataSchema(ctx, body)),
  }),
  operation({
    id: 'getManagedMetadataSchema',
    method: 'GET',
    path: '/management/v1/projects/{projectId}/metadata-schemas/{metadataSchemaId}',
    summary: 'Get a metadata schema of a project',
    description: 'By id; definitions are written in snake case here.',
    reply: ManagedMetadataSchema,
    errors: ['not_found'],
    run: async (ctx, { params }) => toManaged(await getMetadataSchema(ctx, params.metadataSchemaId)),
  }),
  operation({
    id: 'updateManagedMetadataSchema',
    method: 'PUT',
    path: '/management/v1/projects/{projectId}/metadata-schemas/{metadataSchemaId}',
    summary: 'Update a metadata schema of a project',
    description: updateDescription,
    body: UpdateManagedMetadataSchema,
    reply: ManagedMetadataSchema,
    errors: ['invalid_payload', 'not_found'],
    target: (ctx, { params }) => getMetadataSchema(ctx, params.metadataSchemaId),
    run: async (ctx, { target, body }) => toManaged(await changeMetadataSchema(ctx, target.id, body)),
  }),
  operation({
    id: 'deleteManagedMetadataSchema',
    method: 'DELETE',
    path: '/management/v1/projects/{projectId}/metadata-schemas/{metadataSchemaId}',
    summary: 'Delete a metadata schema of a project',
    description: 'Metadata that objects already have stays as it is.',
    reply: null,
    errors: ['not_found'],
    target: (ctx, { params }) => getMetadataSchema(ctx, params.metadataSchemaId),
    run: (ctx, { target }) => removeMetadataSchema(ctx, target),
  }),
]

const snake = ({ properties }: { properties: Readonly<Record<string, Parameters<typeof toSnake>[0]>> }) => ({
  properties: Object.fromEntries(Object.entries(properties).map(([name, sent]) => [name, toSnake(sent)])),
})

const toManaged = ({ definitions, ...schema }: StoredSchema): ManagedMetadataSchema => ({
  ...schema,
  properties: managedProperties(definitions),
  object: 'metadata_schema',
})

const toPublic = ({ definitions, ...schema }: StoredSchema): MetadataSchema => ({
  ...schema,
  properties: publicProperties(definitions),
  object: 'metadata_schema',
})
