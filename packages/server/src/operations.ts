import { apiKeys } from './api-keys/routes.ts'
import { asyncActions } from './async-actions/routes.ts'
import { campaignTemplates } from './campaign-templates/routes.ts'
import { campaignImports } from './campaigns/import-routes.ts'
import { campaigns } from './campaigns/routes.ts'
import { categories } from './categories/routes.ts'
import { codeImages } from './code-images/routes.ts'
import { customEventSchemas } from './custom-event-schemas/routes.ts'
import { customEvents } from './custom-events/routes.ts'
import { customers } from './customers/routes.ts'
import { earningRules } from './earning-rules/routes.ts'
import { exports } from './exports/routes.ts'
import type { Operation } from './http/operation.ts'
import { locations } from './locations/routes.ts'
import { loyalties } from './loyalties/routes.ts'
import { loyalty } from './loyalty/routes.ts'
import { loyaltyTiers } from './loyalty-tiers/routes.ts'
import { members } from './members/routes.ts'
import { metadataSchemas } from './metadata-schemas/routes.ts'
import { oauth } from './oauth/routes.ts'
import { orders } from './orders/routes.ts'
import { productCollections } from './product-collections/routes.ts'
import { products } from './products/routes.ts'
import { projects } from './projects/routes.ts'
import { promotions } from './promotions/routes.ts'
import { publications } from './publications/routes.ts'
import { qualifications } from './qualifications/routes.ts'
import { redeeming } from './redemptions/redeem-routes.ts'
import { redemptions } from './redemptions/routes.ts'
import { referrals } from './referrals/routes.ts'
import { rewardAssignments } from './reward-assignments/routes.ts'
import { rewards } from './rewards/routes.ts'
import { segments } from './segments/routes.ts'
import { sessions } from './sessions/routes.ts'
import { skus } from './skus/routes.ts'
import { stackingRules } from './stacking-rules/routes.ts'
import { taskResults } from './task-results/routes.ts'
import { trashBin } from './trash-bin/routes.ts'
import { validationRules } from './validation-rules/routes.ts'
import { validations } from './validations/routes.ts'
import { voucherImports } from './vouchers/import-routes.ts'
import { vouchers } from './vouchers/routes.ts'

/** Every operation the service knows, by resource: the table of contents of the API. */
export const operations: readonly Operation[] = [
  ...oauth,
  ...categories,
  ...campaigns,
  ...campaignImports,
  ...vouchers,
  ...voucherImports,
  ...customers,
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
  ...codeImages,
  ...projects,
  ...apiKeys,
  ...stackingRules,
  ...customEventSchemas,
]
