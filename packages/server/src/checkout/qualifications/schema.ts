import {
  Amount,
  AppliedDiscount,
  BundleResult,
  CalculatedItem,
  CoveredEntries,
  Instant,
  Int,
  Maybe,
  Metadata,
  OneOf,
  StackingRules,
} from '@guerdon/engine/schema'
import { type Static, Type } from 'typebox'
import { clientReply } from '../../audience/customers/client-view.ts'
import { warnings } from '../../core/http/warnings.ts'
import { limits } from '../../core/lib/limits.ts'
import { Campaign } from '../../incentives/campaigns/schema.ts'
import { Voucher } from '../../incentives/vouchers/schema.ts'
import { ValidationRuleAssignment } from '../../rules/validation-rules/schema.ts'
import {
  CalculatedOrderView,
  CategoryInResult,
  checkout,
  checkoutWithoutSession,
  ExplanationView,
  RefusalView,
  ValidationOptions,
} from '../decision/schema.ts'

export const Scenario = OneOf([
  'ALL',
  'CUSTOMER_WALLET',
  'AUDIENCE_ONLY',
  'PRODUCTS',
  'PRODUCTS_DISCOUNT',
  'PROMOTION_STACKS',
  'PRODUCTS_BY_CUSTOMER',
  'PRODUCTS_DISCOUNT_BY_CUSTOMER',
])
export type Scenario = Static<typeof Scenario>

const Values = Maybe(Type.Array(Type.String(), { maxItems: limits.filter_values_max }))

/** What one field of a redeemable must be. */
export const FieldConditions = Type.Object({
  conditions: Maybe(
    Type.Object({
      $is: Values,
      $is_not: Values,
      $in: Values,
      $not_in: Values,
      $has_value: Maybe(Type.Array(Type.Unsafe<unknown>({}))),
      $is_unknown: Maybe(Type.Array(Type.Unsafe<unknown>({}))),
    }),
  ),
})
const FieldFilter = Maybe(FieldConditions)

/** `$is` and `$is_not` use only the first value. */
export const QualificationFilters = Type.Object({
  junction: Maybe(
    Type.String({ pattern: '^([aA][nN][dD]|[oO][rR])$', description: '`and`, the default, or `or`, in any case.' }),
  ),
  category_id: FieldFilter,
  campaign_id: FieldFilter,
  campaign_type: FieldFilter,
  resource_id: FieldFilter,
  resource_type: FieldFilter,
  voucher_type: FieldFilter,
  code: FieldFilter,
  holder_role: FieldFilter,
})
export type QualificationFilters = Static<typeof QualificationFilters>

/** Has no upper bound: clients ask for 100, and get the largest page (`pageSizeOf`). */
const PageSize = Type.Integer({
  minimum: 1,
  description: `More than ${limits.qualification_page_max} counts as ${limits.qualification_page_max}.`,
})

export const QualificationOptions = Type.Object({
  limit: Maybe(PageSize),
  starting_after: Maybe(
    Type.String({
      maxLength: 64,
      description:
        'Only what was created before this moment: `more_starting_after` of the page before. `"null"` is none.',
    }),
  ),
  sorting_rule: Maybe(OneOf(['DEFAULT', 'BEST_DEAL', 'LEAST_DEAL'])),
  expand: Maybe(
    Type.Array(Type.String(), {
      maxItems: 20,
      description: '`redeemable`, `category`, `validation_rules`; others are ignored.',
    }),
  ),
  filters: Maybe(QualificationFilters),
  explain: ValidationOptions.properties.explain,
  as_of: ValidationOptions.properties.as_of,
})
export type QualificationOptions = Static<typeof QualificationOptions>

export const QualificationBody = Type.Object(
  { scenario: Maybe(Scenario), ...checkout, options: Maybe(QualificationOptions) },
  {
    examples: [
      {
        scenario: 'ALL',
        customer: { source_id: 'customer-1' },
        order: { items: [{ source_id: 'mug', quantity: 2, price: 1250 }] },
        options: { limit: 10, sorting_rule: 'BEST_DEAL', expand: ['redeemable'] },
      },
    ],
  },
)
export type QualificationBody = Static<typeof QualificationBody>

/** A rule assignment with its result, as far as its rules were evaluated (docs/reference/rules.md#failure). */
export const JudgedAssignment = Type.Object({
  ...ValidationRuleAssignment.properties,
  updated_at: Type.Optional(Instant),
  validation_status: OneOf(['VALID', 'PARTIALLY_VALID', 'INVALID']),
  validation_omitted_rules: Type.Array(Type.String()),
})
export type JudgedAssignment = Static<typeof JudgedAssignment>

/** The rules of a redeemable with their results. */
export const JudgedAssignments = Type.Object({
  object: Type.Literal('list'),
  data_ref: Type.Literal('data'),
  data: Type.Array(JudgedAssignment),
  total: Int({ minimum: 0 }),
})

const qualified = {
  id: Type.String({ description: 'A code, or the id of a tier, a stack or a campaign.' }),
  object: OneOf(['voucher', 'promotion_tier', 'promotion_stack', 'campaign']),
  created_at: Instant,
  result: Type.Object({
    discount: Type.Optional(AppliedDiscount),
    gift: Type.Optional(Type.Object({ balance: Amount, credits: Amount, locked_credits: Type.Optional(Amount) })),
    loyalty_card: Type.Optional(
      Type.Object({
        points: Amount,
        balance: Amount,
        exchange_ratio: Type.Optional(Type.Number()),
        points_ratio: Type.Optional(Int()),
      }),
    ),
    bundle: Type.Optional(BundleResult),
  }),
  order: Type.Optional(CalculatedOrderView),
  applicable_to: Type.Optional(CoveredEntries),
  inapplicable_to: Type.Optional(CoveredEntries),
  metadata: Type.Optional(Metadata),
  name: Type.Optional(Type.String()),
  banner: Type.Optional(Type.String()),
  campaign_id: Type.Optional(Type.String()),
  campaign_name: Type.Optional(Type.String()),
  categories: Type.Optional(Type.Array(CategoryInResult)),
  validation_rules_assignments: Type.Optional(JudgedAssignments),
  explanation: Type.Optional(ExplanationView),
}

/** One tier of a stack that qualifies, with the order as it is after this tier. */
export const QualifiedTier = Type.Object(qualified)
export type QualifiedTier = Static<typeof QualifiedTier>

/** A qualified redeemable, evaluated on its own (docs/reference/qualifications.md). */
export const QualifiedRedeemable = Type.Object({
  ...qualified,
  redeemables: Type.Optional(Type.Array(QualifiedTier)),
})
export type QualifiedRedeemable = Static<typeof QualifiedRedeemable>

/** A line of the request with its recognised goods. */
export const UnderstoodItem = Type.Object({
  ...CalculatedItem.properties,
  initial_quantity: Type.Optional(Amount),
})

/** The order of the request with its recognised goods, without calculated amounts. */
export const UnderstoodOrder = Type.Object({
  ...Type.Partial(CalculatedOrderView).properties,
  items: Type.Array(UnderstoodItem),
  object: Type.Literal('order'),
})
export type UnderstoodOrder = Static<typeof UnderstoodOrder>

export const Qualification = Type.Object({
  redeemables: Type.Object({
    object: Type.Literal('list'),
    data_ref: Type.Literal('data'),
    data: Type.Array(QualifiedRedeemable),
    total: Type.Integer({ minimum: 0, description: 'Elements of this answer.' }),
    has_more: Type.Boolean(),
    more_starting_after: Type.Optional(Instant),
  }),
  tracking_id: Type.Optional(Type.String()),
  order: Type.Optional(UnderstoodOrder),
  stacking_rules: StackingRules,
  ...warnings,
})
export type Qualification = Static<typeof Qualification>

/** The body of the deprecated operations. */
export const ExaminationBody = Type.Object(checkoutWithoutSession, {
  examples: [{ customer: { source_id: 'customer-1' }, order: { amount: 2_500 } }],
})
export type ExaminationBody = Static<typeof ExaminationBody>

/** Whether a rule alone holds; where it does not, `reason` and `error` say why. */
export const RuleValidation = Type.Object({
  valid: Type.Boolean(),
  rule_id: Type.String(),
  applicable_to: CoveredEntries,
  inapplicable_to: CoveredEntries,
  reason: Type.Optional(Type.String()),
  error: Type.Optional(RefusalView),
})
export type RuleValidation = Static<typeof RuleValidation>

const examination = {
  audienceRulesOnly: Type.Optional(Type.Boolean({ description: 'Only rules about the customer are looked at.' })),
  limit: Type.Optional(PageSize),
}

export const VoucherExaminationQuery = Type.Object({
  ...examination,
  order: Type.Optional(OneOf(['created_at', '-created_at', 'updated_at', '-updated_at', 'code', '-code'])),
})
export type VoucherExaminationQuery = Static<typeof VoucherExaminationQuery>

export const CampaignExaminationQuery = Type.Object({
  ...examination,
  order: Type.Optional(
    OneOf([
      'created_at',
      '-created_at',
      'updated_at',
      '-updated_at',
      'type',
      '-type',
      'code',
      '-code',
      'category',
      '-category',
      'campaign',
      '-campaign',
    ]),
  ),
})
export type CampaignExaminationQuery = Static<typeof CampaignExaminationQuery>

const examined = {
  object: Type.Literal('list'),
  data_ref: Type.Literal('data'),
  total: Int({ minimum: 0 }),
  id: Type.String({ description: '`valid_` and 24 letters and digits.' }),
  created_at: Instant,
  tracking_id: Type.Optional(Type.String()),
}

/** A qualified voucher, with the goods it applies to. */
export const ExaminedVoucher = Type.Object({
  ...Voucher.properties,
  validation_rules_assignments: JudgedAssignments,
  applicable_to: CoveredEntries,
  inapplicable_to: CoveredEntries,
})

/** A campaign whose vouchers could be redeemed. */
export const ExaminedCampaign = Type.Object({
  ...Campaign.properties,
  validation_rules_assignments: JudgedAssignments,
})

export const VoucherExamination = Type.Object({ ...examined, data: Type.Array(ExaminedVoucher) })
export type VoucherExamination = Static<typeof VoucherExamination>

export const CampaignExamination = Type.Object({ ...examined, data: Type.Array(ExaminedCampaign) })
export type CampaignExamination = Static<typeof CampaignExamination>

/** The same on the client side (docs/reference/client-side.md#answers). */
export const ClientQualification = clientReply(Qualification)
