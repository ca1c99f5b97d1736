import type { MethodName } from './nouns.ts'

/** Methods of the library that no operation serves, and why. The coverage test checks that each of them answers 404. */
export const notServed: Partial<Record<MethodName, string>> = {
  'loyalties.getMemberActivities': 'the contract has replaced it by `listMemberActivity`',
  'validationRules.validate': 'the contract has no path on which a rule is tried alone',
}
