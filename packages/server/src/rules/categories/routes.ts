import { operation } from '../../core/http/operation.ts'
import { listed } from '../../core/query/list.ts'
import { removeCategory } from './remove.ts'
import { Category, CategoryBody, CategoryList, DeleteCategoryQuery } from './schema.ts'
import { getCategory, insertCategory, listCategories, updateCategory } from './store.ts'

export const categories = [
  operation({
    id: 'listCategories',
    method: 'GET',
    path: '/v1/categories',
    summary: 'List categories',
    description: 'All categories of the project, newest first.',
    reply: CategoryList,
    errors: [],
    run: async (ctx) => {
      const data = await listCategories(ctx)
      return listed('data', data, { total: data.length, has_more: false })
    },
  }),
  operation({
    id: 'createCategory',
    method: 'POST',
    path: '/v1/categories',
    summary: 'Create a category',
    description: 'The name must be unique in the project. `hierarchy` decides which categories are applied first.',
    body: CategoryBody,
    reply: Category,
    errors: ['invalid_payload', 'duplicate_found'],
    run: (ctx, { body }) => insertCategory(ctx, body),
  }),
  operation({
    id: 'getCategory',
    method: 'GET',
    path: '/v1/categories/{categoryId}',
    summary: 'Get a category',
    description: 'By id.',
    reply: Category,
    errors: ['not_found'],
    run: (ctx, { params }) => getCategory(ctx, params.categoryId),
  }),
  operation({
    id: 'updateCategory',
    method: 'PUT',
    path: '/v1/categories/{categoryId}',
    summary: 'Update a category',
    description: 'Replaces name and hierarchy, both of which are required.',
    body: CategoryBody,
    reply: Category,
    errors: ['invalid_payload', 'not_found', 'duplicate_found'],
    target: (ctx, { params }) => getCategory(ctx, params.categoryId),
    run: (ctx, { target, body }) => updateCategory(ctx, target.id, body),
  }),
  operation({
    id: 'deleteCategory',
    method: 'DELETE',
    path: '/v1/categories/{categoryId}',
    summary: 'Delete a category',
    description: 'Refused while the stacking rules of the project name it, unless they are told to let go of it.',
    query: DeleteCategoryQuery,
    reply: null,
    errors: ['invalid_query_params', 'not_found', 'resource_in_use'],
    target: (ctx, { params }) => getCategory(ctx, params.categoryId),
    run: (ctx, { target, query }) => removeCategory(ctx, target.id, query.remove_from_stacking_rules === true),
  }),
]
