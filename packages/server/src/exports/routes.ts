import { operation } from '../core/http/operation.ts'
import { listed } from '../core/query/list.ts'
import { createExport } from './create.ts'
import { findExportFile } from './download.ts'
import { CreateExport, Export, ExportList, ExportQuery, GetExportQuery } from './schema.ts'
import { deleteExport, getExport, listExports } from './store.ts'

export const exports = [
  operation({
    id: 'createExport',
    method: 'POST',
    path: '/v1/exports',
    summary: 'Create an export',
    description:
      'Writes a CSV file in the background. Once the export is `DONE`, the `url` of its `result` is where the file is.',
    body: CreateExport,
    reply: Export,
    errors: ['invalid_payload', 'invalid_export_fields', 'not_found'],
    also_for: ['VIEWER', 'MERCHANT'],
    run: (ctx, { body }) => createExport(ctx, body.exported_object, body.parameters),
  }),
  operation({
    id: 'listExports',
    method: 'GET',
    path: '/v1/exports',
    summary: 'List exports',
    query: ExportQuery,
    reply: ExportList,
    errors: ['invalid_query_params'],
    run: async (ctx, { query }) => {
      const { exports, total } = await listExports(ctx, query)
      return listed('exports', exports, { total })
    },
  }),
  operation({
    id: 'getExport',
    method: 'GET',
    path: '/v1/exports/{exportId}',
    summary: 'Get an export, or download its file',
    description:
      'With a `token` in the query the answer is the file as CSV, and no credentials are needed: the `url` of the result is such an address.',
    query: GetExportQuery,
    reply: Export,
    errors: ['invalid_query_params', 'not_found'],
    run: (ctx, { params }) => getExport(ctx, params.exportId),
    download: {
      media_types: ['text/plain'],
      find: (ctx, { params, query }) => findExportFile(ctx, params.exportId, query.token),
    },
  }),
  operation({
    id: 'deleteExport',
    method: 'DELETE',
    path: '/v1/exports/{exportId}',
    summary: 'Delete an export',
    description: 'The file is deleted too.',
    reply: null,
    errors: ['not_found'],
    run: (ctx, { params }) => deleteExport(ctx, params.exportId),
  }),
]
