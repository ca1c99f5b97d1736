import * as engine from '@guerdon/engine/schema'
import { IsSchema, type TSchema } from 'typebox'
import * as apiKeys from './account/api-keys/schema.ts'
import * as oauth from './account/oauth/schema.ts'
import * as projects from './account/projects/schema.ts'
import * as customers from './audience/customers/schema.ts'
import * as segments from './audience/segments/schema.ts'
import * as productCollections from './catalogue/product-collections/schema.ts'
import * as products from './catalogue/products/schema.ts'
import * as skus from './catalogue/skus/schema.ts'
import * as checkout from './checkout/decision/schema.ts'
import * as qualifications from './checkout/qualifications/schema.ts'
import * as validations from './checkout/validations/schema.ts'
import * as activities from './core/events/activities.ts'
import * as asyncActions from './core/jobs/async-actions/schema.ts'
import * as files from './core/jobs/files/schema.ts'
import * as customEventSchemas from './definitions/custom-event-schemas/schema.ts'
import * as locations from './definitions/locations/schema.ts'
import * as metadataSchemas from './definitions/metadata-schemas/schema.ts'
import * as exports from './exports/schema.ts'
import * as campaignTemplates from './incentives/campaign-templates/schema.ts'
import * as campaigns from './incentives/campaigns/schema.ts'
import * as campaignSummary from './incentives/campaigns/summary.ts'
import * as promotions from './incentives/promotions/schema.ts'
import * as publications from './incentives/publications/schema.ts'
import * as voucherImports from './incentives/vouchers/import-schema.ts'
import * as vouchers from './incentives/vouchers/schema.ts'
import * as customEvents from './loyalty/custom-events/schema.ts'
import * as earningRules from './loyalty/earning-rules/schema.ts'
import * as members from './loyalty/members/schema.ts'
import * as loyalty from './loyalty/points/schema.ts'
import * as loyalties from './loyalty/programs/schema.ts'
import * as referrals from './loyalty/referrals/schema.ts'
import * as rewardAssignments from './loyalty/reward-assignments/schema.ts'
import * as rewards from './loyalty/rewards/schema.ts'
import * as loyaltyTiers from './loyalty/tiers/schema.ts'
import * as orders from './orders/schema.ts'
import * as redeeming from './redemptions/redeem-schema.ts'
import * as rollbacks from './redemptions/rollback-schema.ts'
import * as redemptions from './redemptions/schema.ts'
import * as categories from './rules/categories/schema.ts'
import * as stackingRules from './rules/stacking-rules/schema.ts'
import * as validationRules from './rules/validation-rules/schema.ts'
import * as trashBin from './trash-bin/schema.ts'

const modules = [
  engine,
  activities,
  campaigns,
  campaignSummary,
  campaignTemplates,
  vouchers,
  voucherImports,
  exports,
  files,
  customEvents,
  customers,
  customEventSchemas,
  promotions,
  loyalties,
  earningRules,
  loyalty,
  loyaltyTiers,
  publications,
  checkout,
  validations,
  qualifications,
  redeeming,
  redemptions,
  rollbacks,
  members,
  rewards,
  rewardAssignments,
  referrals,
  segments,
  locations,
  metadataSchemas,
  orders,
  productCollections,
  products,
  skus,
  apiKeys,
  asyncActions,
  categories,
  oauth,
  projects,
  stackingRules,
  trashBin,
  validationRules,
]

/** Names in the OpenAPI document for constants whose own name would be unclear to its readers. */
const publicNames: Readonly<Record<string, string>> = {
  AccessTokenForm: 'OauthAccessTokenForm',
  Introspection: 'OauthIntrospection',
  ProjectView: 'Project',
  StoredStackingRules: 'StackingRules',
  StoredValidationRule: 'ValidationRule',
  Token: 'OauthToken',
  TokenForm: 'OauthTokenForm',
}

/** The schemas by their name in the OpenAPI document: the name of the exported constant, unless it is in `publicNames`. */
export const namedSchemas: ReadonlyArray<readonly [name: string, schema: TSchema]> = modules.flatMap((module) =>
  Object.entries(module)
    .filter((entry): entry is [string, TSchema] => IsSchema(entry[1]))
    .map(([name, schema]) => [publicNames[name] ?? name, schema] as const),
)
