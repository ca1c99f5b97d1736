import * as engine from '@guerdon/engine/schema'
import { IsSchema, type TSchema } from 'typebox'
import * as apiKeys from './api-keys/schema.ts'
import * as asyncActions from './async-actions/schema.ts'
import * as campaignTemplates from './campaign-templates/schema.ts'
import * as campaignImports from './campaigns/import-schema.ts'
import * as campaigns from './campaigns/schema.ts'
import * as campaignSummary from './campaigns/summary.ts'
import * as categories from './categories/schema.ts'
import * as checkout from './checkout/schema.ts'
import * as customEventSchemas from './custom-event-schemas/schema.ts'
import * as customEvents from './custom-events/schema.ts'
import * as customers from './customers/schema.ts'
import * as earningRules from './earning-rules/schema.ts'
import * as activities from './events/activities.ts'
import * as exports from './exports/schema.ts'
import * as files from './files/schema.ts'
import * as locations from './locations/schema.ts'
import * as loyalties from './loyalties/schema.ts'
import * as loyalty from './loyalty/schema.ts'
import * as loyaltyTiers from './loyalty-tiers/schema.ts'
import * as members from './members/schema.ts'
import * as metadataSchemas from './metadata-schemas/schema.ts'
import * as oauth from './oauth/schema.ts'
import * as orders from './orders/schema.ts'
import * as productCollections from './product-collections/schema.ts'
import * as products from './products/schema.ts'
import * as projects from './projects/schema.ts'
import * as promotions from './promotions/schema.ts'
import * as publications from './publications/schema.ts'
import * as qualifications from './qualifications/schema.ts'
import * as redeeming from './redemptions/redeem-schema.ts'
import * as rollbacks from './redemptions/rollback-schema.ts'
import * as redemptions from './redemptions/schema.ts'
import * as referrals from './referrals/schema.ts'
import * as rewardAssignments from './reward-assignments/schema.ts'
import * as rewards from './rewards/schema.ts'
import * as segments from './segments/schema.ts'
import * as skus from './skus/schema.ts'
import * as stackingRules from './stacking-rules/schema.ts'
import * as trashBin from './trash-bin/schema.ts'
import * as validationRules from './validation-rules/schema.ts'
import * as validations from './validations/schema.ts'
import * as voucherImports from './vouchers/import-schema.ts'
import * as vouchers from './vouchers/schema.ts'

const modules = [
  engine,
  activities,
  campaigns,
  campaignImports,
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

/** Where the constant's name says more about our code than a reader of the documentation wants to know. */
const renamed: Readonly<Record<string, string>> = {
  AccessTokenForm: 'OauthAccessTokenForm',
  Introspection: 'OauthIntrospection',
  ProjectView: 'Project',
  StoredStackingRules: 'StackingRules',
  StoredValidationRule: 'ValidationRule',
  Token: 'OauthToken',
  TokenForm: 'OauthTokenForm',
}

/** What the documentation calls our schemas: the name of the constant that holds each. */
export const namedSchemas: ReadonlyArray<readonly [name: string, schema: TSchema]> = modules.flatMap((module) =>
  Object.entries(module)
    .filter((entry): entry is [string, TSchema] => IsSchema(entry[1]))
    .map(([name, schema]) => [renamed[name] ?? name, schema] as const),
)
