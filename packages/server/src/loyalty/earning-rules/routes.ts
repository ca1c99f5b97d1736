import type { Ctx } from '../../core/context.ts'
import { operation } from '../../core/http/operation.ts'
import { listed } from '../../core/query/list.ts'
import { getProgram } from '../programs/store.ts'
import { createEarningRules } from './create.ts'
import { toEarningRule } from './earning-rule.ts'
import { removeEarningRule } from './remove.ts'
import {
  CreateEarningRules,
  EarningRule,
  EarningRuleList,
  EarningRuleQuery,
  EarningRules,
  UpdateEarningRule,
} from './schema.ts'
import { getEarningRule, listEarningRules } from './store.ts'
import { changeEarningRule, type RuleInProgram, switchEarningRule } from './update.ts'

interface RuleParams {
  campaignId: string
  earningRuleId: string
}

/**
 * Locks a rule for a change, and its program before it: a request that adds tiers with mappings locks the program exclusively.
 */
async function lockRule(ctx: Ctx, { campaignId, earningRuleId }: RuleParams): Promise<RuleInProgram> {
  const campaign = await getProgram(ctx, campaignId, { lock: 'keyShare' })
  return { campaign, rule: await getEarningRule(ctx, campaign.id, earningRuleId, { lock: 'update' }) }
}

export const earningRules = [
  operation({
    id: 'listEarningRules',
    method: 'GET',
    path: '/v1/loyalties/{campaignId}/earning-rules',
    summary: 'List the earning rules of a program',
    description: 'For what the program pays points, page by page.',
    query: EarningRuleQuery,
    reply: EarningRuleList,
    errors: ['invalid_query_params', 'not_found'],
    target: (ctx, { params }) => getProgram(ctx, params.campaignId),
    run: async (ctx, { target, query }) => {
      const { rules, total } = await listEarningRules(ctx, target.id, query)
      return listed('data', rules, { total })
    },
  }),
  operation({
    id: 'createEarningRules',
    method: 'POST',
    path: '/v1/loyalties/{campaignId}/earning-rules',
    summary: 'Add earning rules to a program',
    description: 'All of them or none. They pay for what happens from now on.',
    body: CreateEarningRules,
    reply: EarningRules,
    errors: ['invalid_payload', 'missing_param', 'not_found', 'resource_protected', 'metadata_validation_failed'],
    target: (ctx, { params }) => getProgram(ctx, params.campaignId, { lock: 'keyShare' }),
    run: (ctx, { target, body }) => createEarningRules(ctx, target, body),
  }),
  operation({
    id: 'getEarningRule',
    method: 'GET',
    path: '/v1/loyalties/{campaignId}/earning-rules/{earningRuleId}',
    summary: 'Get an earning rule',
    description: 'By id, below its program.',
    reply: EarningRule,
    errors: ['not_found'],
    run: async (ctx, { params }) => {
      const { id } = await getProgram(ctx, params.campaignId)
      const rule = await getEarningRule(ctx, id, params.earningRuleId)
      return toEarningRule(rule, rule.validation_rule_id)
    },
  }),
  operation({
    id: 'updateEarningRule',
    method: 'PUT',
    path: '/v1/loyalties/{campaignId}/earning-rules/{earningRuleId}',
    summary: 'Update an earning rule',
    description:
      'What is not sent stays; metadata are merged key by key. The rule keeps its event, and what that is about.',
    body: UpdateEarningRule,
    reply: EarningRule,
    errors: ['invalid_payload', 'not_found', 'resource_protected', 'metadata_validation_failed'],
    target: (ctx, { params }) => lockRule(ctx, params),
    run: (ctx, { target, body }) => changeEarningRule(ctx, target, body),
  }),
  operation({
    id: 'deleteEarningRule',
    method: 'DELETE',
    path: '/v1/loyalties/{campaignId}/earning-rules/{earningRuleId}',
    summary: 'Delete an earning rule',
    description: 'For good. Points that it has paid stay; tiers map it no longer.',
    reply: null,
    errors: ['not_found', 'resource_protected'],
    target: (ctx, { params }) => lockRule(ctx, params),
    run: (ctx, { target }) => removeEarningRule(ctx, target),
  }),
  operation({
    id: 'enableEarningRule',
    method: 'POST',
    path: '/v1/loyalties/{campaignId}/earning-rules/{earningRuleId}/enable',
    summary: 'Enable an earning rule',
    description: 'The rule pays points again. Enabling an enabled rule changes nothing.',
    reply: EarningRule,
    errors: ['not_found'],
    target: (ctx, { params }) => lockRule(ctx, params),
    run: (ctx, { target }) => switchEarningRule(ctx, target, true),
  }),
  operation({
    id: 'disableEarningRule',
    method: 'POST',
    path: '/v1/loyalties/{campaignId}/earning-rules/{earningRuleId}/disable',
    summary: 'Disable an earning rule',
    description: 'The rule pays no points until it is enabled again. Points that it paid stay.',
    reply: EarningRule,
    errors: ['not_found'],
    target: (ctx, { params }) => lockRule(ctx, params),
    run: (ctx, { target }) => switchEarningRule(ctx, target, false),
  }),
]
