import { operation } from '../../core/http/operation.ts'
import { listed } from '../../core/query/list.ts'
import { assignRule } from './assign.ts'
import { listAssignments } from './assignment-store.ts'
import { createRule } from './create.ts'
import { createdView } from './created-view.ts'
import { removeRule } from './remove.ts'
import {
  AssignValidationRuleQuery,
  CreatedValidationRule,
  StoredValidationRule,
  ValidationRuleAssignment,
  ValidationRuleAssignmentBody,
  ValidationRuleAssignmentList,
  ValidationRuleAssignmentPageQuery,
  ValidationRuleAssignmentQuery,
  ValidationRuleBody,
  ValidationRuleList,
  ValidationRuleQuery,
} from './schema.ts'
import { getRule, listRules } from './store.ts'
import { unassignRule } from './unassign.ts'
import { changeRule } from './update.ts'

export const validationRules = [
  operation({
    id: 'listValidationRules',
    method: 'GET',
    path: '/v1/validation-rules',
    summary: 'List validation rules',
    description: 'Page by page, with the number of assignments of each.',
    query: ValidationRuleQuery,
    reply: ValidationRuleList,
    errors: ['invalid_query_params'],
    run: async (ctx, { query }) => {
      const { rules, total } = await listRules(ctx, query)
      return listed('data', rules, { total })
    },
  }),
  operation({
    id: 'createValidationRule',
    method: 'POST',
    path: '/v1/validation-rules',
    summary: 'Create a validation rule',
    description:
      'Segments, products and collections that a rule names need not exist: as long as they do not, they match nothing. The answer has what was sent, with the defaults of what it names; reading the rule shows all of it.',
    body: ValidationRuleBody,
    reply: CreatedValidationRule,
    errors: ['invalid_payload', 'invalid_validation_rules'],
    run: async (ctx, { body }) => createdView(await createRule(ctx, body), body),
  }),
  operation({
    id: 'getValidationRule',
    method: 'GET',
    path: '/v1/validation-rules/{validationRuleId}',
    summary: 'Get a validation rule',
    description: 'By id, with its rules and the goods that it covers.',
    reply: StoredValidationRule,
    errors: ['not_found'],
    run: (ctx, { params }) => getRule(ctx, params.validationRuleId),
  }),
  operation({
    id: 'updateValidationRule',
    method: 'PUT',
    path: '/v1/validation-rules/{validationRuleId}',
    summary: 'Update a validation rule',
    description:
      'Each property that is sent replaces the stored one as a whole, at once for everything the rule is assigned to.',
    body: ValidationRuleBody,
    reply: StoredValidationRule,
    errors: ['invalid_payload', 'invalid_validation_rules', 'not_found'],
    target: (ctx, { params }) => getRule(ctx, params.validationRuleId, { lock: 'no key update' }),
    run: (ctx, { target, body }) => changeRule(ctx, target.id, body),
  }),
  operation({
    id: 'deleteValidationRule',
    method: 'DELETE',
    path: '/v1/validation-rules/{validationRuleId}',
    summary: 'Delete a validation rule',
    description: 'Its assignments go with it: what it was assigned to is no longer restricted by it.',
    reply: null,
    errors: ['not_found'],
    target: (ctx, { params }) => getRule(ctx, params.validationRuleId, { lock: 'update' }),
    run: (ctx, { target }) => removeRule(ctx, target),
  }),
  operation({
    id: 'listAssignmentsOfValidationRule',
    method: 'GET',
    path: '/v1/validation-rules/{validationRuleId}/assignments',
    summary: 'List the assignments of a validation rule',
    description: 'A rule that does not exist has none.',
    query: ValidationRuleAssignmentPageQuery,
    reply: ValidationRuleAssignmentList,
    errors: ['invalid_query_params'],
    run: async (ctx, { params, query }) => {
      const { assignments, total } = await listAssignments(ctx, { ...query, rule: params.validationRuleId })
      return listed('data', assignments, { total })
    },
  }),
  operation({
    id: 'assignValidationRule',
    method: 'POST',
    path: '/v1/validation-rules/{validationRuleId}/assignments',
    summary: 'Assign a validation rule',
    description: 'An object may hold any number of different rules; all of them must hold.',
    query: AssignValidationRuleQuery,
    body: ValidationRuleAssignmentBody,
    reply: ValidationRuleAssignment,
    errors: ['invalid_query_params', 'invalid_payload', 'not_found', 'duplicate_found'],
    target: (ctx, { params }) => getRule(ctx, params.validationRuleId, { lock: 'key share' }),
    run: (ctx, { target, query, body }) => assignRule(ctx, target, body, { force: query.force === true }),
  }),
  operation({
    id: 'deleteValidationRuleAssignment',
    method: 'DELETE',
    path: '/v1/validation-rules/{validationRuleId}/assignments/{assignmentId}',
    summary: 'Delete an assignment of a validation rule',
    description: 'The rule does not apply to that object any more; the rule itself stays.',
    reply: null,
    errors: ['not_found'],
    target: (ctx, { params }) => getRule(ctx, params.validationRuleId, { lock: 'key share' }),
    run: (ctx, { target, params }) => unassignRule(ctx, target, params.assignmentId),
  }),
  operation({
    id: 'listValidationRuleAssignments',
    method: 'GET',
    path: '/v1/validation-rules-assignments',
    summary: 'List assignments of validation rules',
    description: 'Direct assignments only: the rule of a campaign is not listed under its vouchers.',
    query: ValidationRuleAssignmentQuery,
    reply: ValidationRuleAssignmentList,
    errors: ['invalid_query_params'],
    run: async (ctx, { query }) => {
      const { assignments, total } = await listAssignments(ctx, query)
      return listed('data', assignments, { total })
    },
  }),
]
