import type { Step } from './schema/index.ts'

/** The failed check of refusals and skips that no limit or rule step explains: name, expected value, actual value. */
const checks: Readonly<Record<string, readonly [check: string, expected: unknown, actual: unknown]>> = {
  not_found: ['exists', true, false],
  not_published: ['published', true, false],
  missing_reward: ['reward', 'present', null],
  missing_order: ['order', 'present', null],
  missing_amount: ['order.amount', 'present', null],
  missing_order_items: ['order.items', 'present', null],
  missing_order_items_amount: ['order.items.amount', 'present', null],
  invalid_customer: ['customer', 'the holder', 'somebody else'],
  invalid_amount: ['amounts', 'exact', 'too large'],
  no_effect: ['effect', true, false],
  exclusion_rules_not_met: ['exclusive redeemables', 'none', 'applicable'],
  preceding_validation_failed: ['preceding redeemables', 'applicable', 'inapplicable'],
}

/** Appends the failed check to the steps of a refusal, unless a step failed already. */
export function withFailure(steps: Step[], key: string): Step[] {
  const failedCheck = checks[key]
  if (failedCheck === undefined || steps.some((step) => 'passed' in step && step.passed === false)) return steps
  const [check, expected, actual] = failedCheck
  return [...steps, { step: 'check', check, expected, actual, passed: false }]
}

/** Whether a check only repeats the message of its refusal. */
export const isObvious = (check: string): boolean =>
  check !== 'published' && Object.values(checks).some(([name]) => name === check)
