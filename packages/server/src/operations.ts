import { apiKeys } from './account/api-keys/routes.ts'
import { branding } from './account/branding/routes.ts'
import { oauth } from './account/oauth/routes.ts'
import { projects } from './account/projects/routes.ts'
import { signInOperations } from './account/sign-in/routes.ts'
import { users } from './account/users/routes.ts'
import { consents } from './audience/consents/routes.ts'
import { customers } from './audience/customers/routes.ts'
import { segments } from './audience/segments/routes.ts'
import { productCollections } from './catalogue/product-collections/routes.ts'
import { products } from './catalogue/products/routes.ts'
import { skus } from './catalogue/skus/routes.ts'
import { qualifications } from './checkout/qualifications/routes.ts'
import { sessions } from './checkout/sessions/routes.ts'
import { validations } from './checkout/validations/routes.ts'
import type { Operation } from './core/http/operation.ts'
import { asyncActions } from './core/jobs/async-actions/routes.ts'
import { taskResults } from './core/jobs/task-results/routes.ts'
import { customEventSchemas } from './definitions/custom-event-schemas/routes.ts'
import { locations } from './definitions/locations/routes.ts'
import { metadataSchemas } from './definitions/metadata-schemas/routes.ts'
import { exports } from './exports/routes.ts'
import { campaignTemplates } from './incentives/campaign-templates/routes.ts'
import { campaigns } from './incentives/campaigns/routes.ts'
import { codeImages } from './incentives/code-images/routes.ts'
import { promotions } from './incentives/promotions/routes.ts'
import { publications } from './incentives/publications/routes.ts'
import { vouchers } from './incentives/vouchers/routes.ts'
import { customEvents } from './loyalty/custom-events/routes.ts'
import { earningRules } from './loyalty/earning-rules/routes.ts'
import { members } from './loyalty/members/routes.ts'
import { loyalty } from './loyalty/points/routes.ts'
import { loyalties } from './loyalty/programs/routes.ts'
import { referrals } from './loyalty/referrals/routes.ts'
import { rewardAssignments } from './loyalty/reward-assignments/routes.ts'
import { rewards } from './loyalty/rewards/routes.ts'
import { loyaltyTiers } from './loyalty/tiers/routes.ts'
import { auditLog } from './monitoring/audit-log/routes.ts'
import { events } from './monitoring/events/routes.ts'
import { notifications } from './monitoring/notifications/routes.ts'
import { usage } from './monitoring/usage/routes.ts'
import { orders } from './orders/routes.ts'
import { redeeming } from './redemptions/redeem-routes.ts'
import { redemptions } from './redemptions/routes.ts'
import { categories } from './rules/categories/routes.ts'
import { stackingRules } from './rules/stacking-rules/routes.ts'
import { validationRules } from './rules/validation-rules/routes.ts'
import { attention } from './statistics/attention/routes.ts'
import { statistics } from './statistics/figures/routes.ts'
import { searching } from './statistics/search/routes.ts'
import { trashBin } from './trash-bin/routes.ts'
import { webhooks } from './webhooks/routes.ts'
import { sendouts } from './webhooks/sendouts/routes.ts'

/** Every operation the service knows, by resource: the table of contents of the API. */
export const operations: readonly Operation[] = [
  ...oauth,
  ...signInOperations,
  ...categories,
  ...campaigns,
  ...vouchers,
  ...customers,
  ...consents,
  ...promotions,
  ...loyalties,
  ...earningRules,
  ...loyaltyTiers,
  ...campaignTemplates,
  ...publications,
  ...validations,
  ...qualifications,
  ...sessions,
  ...redeeming,
  ...redemptions,
  ...members,
  ...loyalty,
  ...rewards,
  ...rewardAssignments,
  ...referrals,
  ...segments,
  ...customEvents,
  ...validationRules,
  ...products,
  ...skus,
  ...productCollections,
  ...orders,
  ...locations,
  ...metadataSchemas,
  ...asyncActions,
  ...taskResults,
  ...exports,
  ...trashBin,
  ...statistics,
  ...searching,
  ...attention,
  ...codeImages,
  ...projects,
  ...users,
  ...apiKeys,
  ...notifications,
  ...usage,
  ...auditLog,
  ...stackingRules,
  ...customEventSchemas,
  ...branding,
  ...events,
  ...webhooks,
  ...sendouts,
]
