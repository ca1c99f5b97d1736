// What Guerdon adds to the types of the official client, `@voucherify/sdk` 2.x. Types only: load it once, anywhere, with
//   import type {} from '@guerdon/engine/voucherify-sdk'
// An augmentation has to name the module that declares a type; the client re-exports all of them.

import type { Explanation } from '@guerdon/engine/schema'
import type {
  QualificationsCheckEligibilityRequestBody,
  QualificationsCheckEligibilityResponseBody,
} from '@voucherify/sdk'

/** Options of validations, qualifications and redemptions beyond the public contract. */
export interface ExplainOptions {
  /** Each result says why: rules, limits, bases, rounding. Server side only. */
  explain?: boolean
}

export interface ValidationOptions extends ExplainOptions {
  /** Evaluates as if at this moment, an ISO 8601 date. Server side only, without a session. */
  as_of?: string
}

/** What `options.explain` adds to a result; also to refused and skipped ones, whose types cannot be augmented. */
export interface Explained {
  explanation?: Explanation & {
    /** The whole explanation in one line of English. */
    sentence: string
  }
}

type QualificationOptions = NonNullable<QualificationsCheckEligibilityRequestBody['options']>
type QualifiedRedeemable = QualificationsCheckEligibilityResponseBody['redeemables']['data'][number]

export type ExplainedQualificationRequest = Omit<QualificationsCheckEligibilityRequestBody, 'options'> & {
  options: QualificationOptions & ValidationOptions
}

export type ExplainedQualification = Omit<QualificationsCheckEligibilityResponseBody, 'redeemables'> & {
  redeemables: Omit<QualificationsCheckEligibilityResponseBody['redeemables'], 'data'> & {
    data: Array<QualifiedRedeemable & Explained>
  }
}

declare module '@voucherify/sdk/dist/types/Stackable.js' {
  interface StackableOptions extends ValidationOptions {}
  interface StackableRedeemableResponse extends Explained {}
}

declare module '@voucherify/sdk/dist/types/Validations.js' {
  interface ValidationsValidateVoucherParams {
    options?: { expand?: 'category'[] } & ValidationOptions
  }
  interface ValidationsValidateVoucherResponse extends Explained {}
}

declare module '@voucherify/sdk/dist/Qualifications.js' {
  interface Qualifications {
    checkEligibility(body: ExplainedQualificationRequest): Promise<ExplainedQualification>
  }
}
