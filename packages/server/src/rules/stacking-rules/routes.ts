import { defaultStackingRules } from '@guerdon/engine'
import type { StackingRules } from '@guerdon/engine/schema'
import type { Ctx } from '../../core/context.ts'
import { ApiError, invalidPayload, notFound } from '../../core/http/errors.ts'
import { operation } from '../../core/http/operation.ts'
import { listed } from '../../core/query/list.ts'
import { mergeRules, whyNotConsistent } from './rules.ts'
import { StackingRulesBody, StackingRulesList, StoredStackingRules } from './schema.ts'
import { deleteStackingRules, findStackingRules, insertStackingRules, updateStackingRules } from './store.ts'

export const stackingRules = [
  operation({
    id: 'listStackingRules',
    method: 'GET',
    path: '/management/v1/projects/{projectId}/stacking-rules',
    summary: 'List stacking rules',
    description: 'Exactly one set is in force: the one the project made, or the default with the id `stk_default`.',
    reply: StackingRulesList,
    errors: ['not_found'],
    run: async (ctx) => listed('data', [(await findStackingRules(ctx)) ?? defaultsOf(ctx)], { total: 1 }),
  }),
  operation({
    id: 'createStackingRules',
    method: 'POST',
    path: '/management/v1/projects/{projectId}/stacking-rules',
    summary: 'Create stacking rules',
    description: 'Fields that are not sent take their defaults.',
    body: StackingRulesBody,
    reply: StoredStackingRules,
    errors: ['invalid_payload', 'not_found', 'stacking_rules_exist'],
    run: async (ctx, { body }) => {
      const created = await insertStackingRules(ctx, refuseInconsistent(mergeRules(defaultStackingRules, body)))
      if (created !== undefined) return created
      throw new ApiError('stacking_rules_exist', { details: 'Cannot exist more stacking rules for given project' })
    },
  }),
  operation({
    id: 'getStackingRules',
    method: 'GET',
    path: '/management/v1/projects/{projectId}/stacking-rules/{stackingRulesId}',
    summary: 'Get stacking rules',
    description: 'By id; `stk_default` is the set that applies while the project has none of its own.',
    reply: StoredStackingRules,
    errors: ['not_found'],
    run: async (ctx, { params }) => {
      const customRules = await findStackingRules(ctx)
      const inForce = customRules ?? defaultsOf(ctx)
      if (inForce.id !== params.stackingRulesId) throw notFound('stacking_rules', params.stackingRulesId)
      return inForce
    },
  }),
  operation({
    id: 'updateStackingRules',
    method: 'PUT',
    path: '/management/v1/projects/{projectId}/stacking-rules/{stackingRulesId}',
    summary: 'Update stacking rules',
    description: 'Only the fields that are sent change; lists and the map of category limits are replaced whole.',
    body: StackingRulesBody,
    reply: StoredStackingRules,
    errors: ['invalid_payload', 'not_found'],
    target: (ctx, { params }) => getCustomRules(ctx, params.stackingRulesId),
    run: (ctx, { target, body }) => updateStackingRules(ctx, refuseInconsistent(mergeRules(target, body))),
  }),
  operation({
    id: 'deleteStackingRules',
    method: 'DELETE',
    path: '/management/v1/projects/{projectId}/stacking-rules/{stackingRulesId}',
    summary: 'Delete stacking rules',
    description: 'The defaults are in force again.',
    reply: null,
    errors: ['not_found'],
    target: (ctx, { params }) => getCustomRules(ctx, params.stackingRulesId),
    run: (ctx, { target }) => deleteStackingRules(ctx, target.id),
  }),
]

const defaultsOf = ({ project }: Ctx): StoredStackingRules => ({
  id: 'stk_default',
  ...defaultStackingRules,
  created_at: project.created_at,
  updated_at: null,
})

/** The rules that the project created, by their id; the default set cannot be changed or deleted. */
async function getCustomRules(ctx: Ctx, id: string): Promise<StoredStackingRules> {
  const customRules = await findStackingRules(ctx, { lock: true })
  if (customRules === undefined || customRules.id !== id) throw notFound('stacking_rules', id)
  return customRules
}

function refuseInconsistent(rules: StackingRules): StackingRules {
  const reason = whyNotConsistent(rules)
  if (reason !== null) throw invalidPayload(reason)
  return rules
}
