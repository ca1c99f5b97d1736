import { clientView } from '../../audience/customers/client-view.ts'
import { operation, operationPair } from '../../core/http/operation.ts'
import { getRule } from '../../rules/validation-rules/store.ts'
import { examineCampaigns, examineVouchers } from './examine.ts'
import { qualifications as qualify } from './qualify.ts'
import {
  CampaignExamination,
  CampaignExaminationQuery,
  ClientQualification,
  ExaminationBody,
  Qualification,
  QualificationBody,
  RuleValidation,
  VoucherExamination,
  VoucherExaminationQuery,
} from './schema.ts'
import { tryRule } from './try-rule.ts'

const errors = [
  'invalid_payload',
  'not_found',
  'invalid_amount',
  'metadata_validation_failed',
  'ambiguous_tracking_id',
  'missing_customer',
] as const

const examination =
  'Older than `POST /v1/qualifications`, which says more. Rules that only a redemption can decide (budgets, redemptions per customer) are not looked at.'

export const qualifications = [
  ...operationPair({
    id: 'checkEligibility',
    method: 'POST',
    path: '/v1/qualifications',
    summary: 'Check eligibility',
    second: {
      id: 'checkEligibilityOnClient',
      path: '/client/v1/qualifications',
      for_pages: { reply: ClientQualification, view: clientView },
    },
    description:
      'Lists what could be redeemed by the customer on the order, each with what it would do alone; stacking limits play no part. The `scenario` says what is looked at and which rules count. One request looks at a bounded number of candidates, the newest first: where `has_more` is true, the next page begins at `more_starting_after`, also when this page has fewer elements than asked for. `BEST_DEAL` and `LEAST_DEAL` rank all of what was looked at and give no cursor.',
    body: QualificationBody,
    reply: Qualification,
    errors,
    writes: false,
    reads_replica: ({ body }) => body.session == null,
    run: (ctx, { body }) => qualify(ctx, body),
  }),
  operation({
    id: 'checkValidationRule',
    method: 'POST',
    path: '/v1/validation-rules/{validationRuleId}/validation',
    summary: 'Check a validation rule',
    description:
      'Says whether the rule alone holds for the customer and the order, and which goods it covers. Nothing is redeemed. Rules that only a redemption can decide (budgets, redemptions per customer) are not looked at.',
    body: ExaminationBody,
    reply: RuleValidation,
    errors: ['invalid_payload', 'not_found', 'invalid_amount', 'metadata_validation_failed', 'ambiguous_tracking_id'],
    writes: false,
    target: (ctx, { params }) => getRule(ctx, params.validationRuleId),
    run: (ctx, { target, body }) => tryRule(ctx, target, body),
  }),
  operation({
    id: 'examineVouchersQualification',
    method: 'POST',
    path: '/v1/vouchers/qualification',
    summary: 'Examine which vouchers qualify',
    description: examination,
    query: VoucherExaminationQuery,
    body: ExaminationBody,
    reply: VoucherExamination,
    errors: [...errors, 'invalid_query_params'],
    writes: false,
    reads_replica: true,
    run: (ctx, { body, query }) => examineVouchers(ctx, body, query),
  }),
  operation({
    id: 'examineCampaignsQualification',
    method: 'POST',
    path: '/v1/campaigns/qualification',
    summary: 'Examine which campaigns qualify',
    description: examination,
    query: CampaignExaminationQuery,
    body: ExaminationBody,
    reply: CampaignExamination,
    errors: [...errors, 'invalid_query_params'],
    writes: false,
    reads_replica: true,
    run: (ctx, { body, query }) => examineCampaigns(ctx, body, query),
  }),
]
