import type { MethodName } from './nouns.ts'

/** Methods of the library that no operation serves, and why. The coverage test checks that each of them answers 404. */
export const notServed: Partial<Record<MethodName, string>> = {
  'consents.list':
    'consents (docs/reference/client-side.md#vouchers-customers-and-consents) are no resource of the public contract',
  'customers.updateConsents':
    'consents (docs/reference/client-side.md#vouchers-customers-and-consents) are no resource of the public contract',
  'clientSide.listConsents':
    'consents (docs/reference/client-side.md#vouchers-customers-and-consents) are no resource of the public contract',
  'clientSide.updateConsents':
    'consents (docs/reference/client-side.md#vouchers-customers-and-consents) are no resource of the public contract',
  'clientSide.listVouchers':
    'the reduced list of vouchers (docs/reference/client-side.md#list-vouchers) is no operation of the public contract',
  'loyalties.getMemberActivities': 'the contract has replaced it by `listMemberActivity`',
  'validationRules.validate': 'the contract has no path on which a rule is tried alone',
}
