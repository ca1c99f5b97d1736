import { apiKeys } from './api-keys/routes.ts'
import { asyncActions } from './async-actions/routes.ts'
import { categories } from './categories/routes.ts'
import type { Operation } from './http/operation.ts'
import { oauth } from './oauth/routes.ts'
import { projects } from './projects/routes.ts'
import { stackingRules } from './stacking-rules/routes.ts'

/** Every operation the service knows, by resource: the table of contents of the API. */
export const operations: readonly Operation[] = [
  ...oauth,
  ...categories,
  ...asyncActions,
  ...projects,
  ...apiKeys,
  ...stackingRules,
]
