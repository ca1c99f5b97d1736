import { expect, test } from 'vitest'
import { operations } from '../../operations.ts'
import { replicaRule, writes } from './operation.ts'

/*
 * A replica refuses every write. An operation that is added to these lists must do nothing but read, with everything that it calls.
 */

const rules = operations.map((operation) => [operation.id, replicaRule(operation)] as const)
const withRule = (isSuch: (rule: (typeof rules)[number][1]) => boolean) =>
  rules.flatMap(([id, rule]) => (isSuch(rule) ? [id] : [])).sort()

test('what a replica may answer, whatever is sent', () => {
  expect(withRule((rule) => rule === true)).toEqual(
    [
      ...['examineCampaignsQualification', 'examineVouchersQualification'],
      ...['getCampaignStatistics', 'getCampaignSummary', 'getLiability', 'getLoyaltyStatistics'],
      ...['getStatisticsOverview', 'getVoucherRedemption', 'listApiKeys', 'listAssignmentsOfValidationRule'],
      ...['listAsyncActions', 'listAttention', 'listAuditLog', 'listBinEntries', 'listBrandings'],
      ...['listCampaignTemplates', 'listCampaignTemplatesOfProject', 'listCampaignTransactions', 'listCampaigns'],
      ...['listCategories', 'listClientPromotionTiers', 'listClientVouchers', 'listConsentDefinitions'],
      ...['listConsentGroups', 'listCustomEventSchemas', 'listCustomerActivities', 'listCustomerActivity'],
      ...['listCustomerConsents', 'listCustomerRedeemables', 'listCustomerSegments', 'listCustomers'],
      ...['listEarningRules', 'listEarningRulesOfTier', 'listEvents', 'listExports', 'listLocations'],
      ...['listLoyaltyMembers', 'listLoyaltyPrograms', 'listLoyaltyRewardAssignments', 'listLoyaltyRewards'],
      ...['listLoyaltyTiers', 'listManagedMetadataSchemas', 'listMemberActivities', 'listMemberActivity'],
      'listMemberPendingPoints',
      ...['listMemberPointsExpiration', 'listMemberRewards', 'listMemberTiers', 'listMemberTransactions'],
      ...['listMetadataSchemas', 'listNotifications', 'listOrders', 'listProductCollectionActivities'],
      ...['listProductCollections', 'listProducts', 'listProductsInCollection'],
      ...['listProgramMemberActivities', 'listProgramMemberActivity'],
      ...['listProgramMemberPendingPoints', 'listProgramMemberTransactions', 'listProgramPendingPoints'],
      ...['listProgramTransactions', 'listProjects', 'listPromotionStacks', 'listPromotionStacksOfCampaign'],
      ...['listPromotionTiers', 'listPromotionTiersOfCampaign', 'listPublications', 'listRedemptions'],
      ...['listReferralHolders', 'listReferralHoldersInCampaign', 'listReferralTiers', 'listRewardAssignments'],
      ...['listRewards', 'listRewardsOfTier', 'listSegmentActivities', 'listSegments', 'listSkus'],
      ...['listStackingRules', 'listUsers', 'listValidationRuleAssignments', 'listValidationRules'],
      ...['listVoucherPublications', 'listVoucherRedemptions', 'listVoucherTransactions', 'listVouchers'],
      ...['listWebhookSendouts', 'listWebhooks', 'searchProject', 'validatePromotions', 'validatePromotionsByQuery'],
    ].sort(),
  )
})

test('what a replica may answer unless there is a session', () => {
  expect(withRule((rule) => typeof rule === 'function')).toEqual([
    'checkEligibility',
    'checkEligibilityOnClient',
    'validatePromotionTier',
    'validateRedeemables',
    'validateRedeemablesOnClient',
    'validateVoucher',
    'validateVoucherByQuery',
  ])
  for (const [id, rule] of rules) {
    if (typeof rule !== 'function') continue
    const input = { params: {}, target: undefined }
    expect(rule({ ...input, query: {}, body: {} }), id).toBe(true)
    expect(rule({ ...input, query: { session_key: 's' }, body: { session: { type: 'LOCK' } } }), id).toBe(false)
  }
})

test('what writes in a transaction never reads from a replica', () => {
  const wrong = operations.filter(
    (operation) => replicaRule(operation) !== false && writes(operation) && operation.saves !== true,
  )
  expect(wrong.map(({ id }) => id)).toEqual([])
})
