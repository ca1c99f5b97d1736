import { Instant, Nullable, partial, stackingRules } from '@guerdon/engine/schema'
import { type Static, Type } from 'typebox'
import { listOf } from '../../core/query/list.ts'

/** Which redeemables may be combined, and how; the body of creation and update. */
export const StackingRulesBody = partial(stackingRules)
export type StackingRulesBody = Static<typeof StackingRulesBody>

export const StoredStackingRules = Type.Object({
  id: Type.String(),
  ...stackingRules,
  created_at: Instant,
  updated_at: Nullable(Instant),
})
export type StoredStackingRules = Static<typeof StoredStackingRules>

export const StackingRulesList = listOf('data', StoredStackingRules, { total: true })
