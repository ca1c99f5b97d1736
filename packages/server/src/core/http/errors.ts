import { limits } from '../lib/limits.ts'

/**
 * Every refusal of the service: key → status and message (docs/reference/errors.md#keys). Keys and statuses are what clients rely
 * on. A key is listed here once the code uses it; keys that the contract only reserves are in errors.test.ts.
 */
const table = {
  // Platform
  unauthorized: [401, 'Unauthorized'],
  not_signed_in: [401, 'Not signed in'],
  invalid_credentials: [401, 'Invalid credentials'],
  second_factor_required: [401, 'Second factor required'],
  forbidden: [403, 'Forbidden'],
  missing_required_permission: [403, 'Missing permission'],
  not_found: [404, 'Resource not found'],
  method_not_allowed: [405, 'HTTP Method Not Allowed'],
  not_acceptable: [406, 'Not Acceptable'],
  payload_too_large: [413, 'Payload content length greater than maximum allowed'],
  query_too_large: [413, 'Query too large'],
  unsupported_media_type: [415, 'Unsupported Media Type'],
  too_many_requests: [429, 'Too many requests hit the API too quickly.'],
  too_many_attempts: [429, 'Too many attempts to sign in'],
  missing_project_id: [400, 'Missing project'],
  invalid_link: [400, 'Invalid link'],
  weak_password: [400, 'Weak password'],
  invalid_code: [400, 'Invalid code'],
  second_factor_is_on: [400, 'Second factor is on'],
  second_factor_is_off: [400, 'Second factor is off'],
  oauth_tokens_limit_exceeded: [429, 'Too many active OAuth tokens'],
  missing_parameters: [400, 'Missing parameters'],
  missing_param: [400, 'Missing required parameter'],
  invalid_grant_type: [400, 'Invalid grant_type'],
  invalid_scope: [400, 'Invalid scope'],
  invalid_api_version: [400, 'Invalid API version'],
  idempotency_key_conflict: [409, 'Idempotency key conflict'],
  idempotency_key_in_progress: [409, 'Request in progress'],
  internal_error: [500, 'Internal Server Error'],
  service_unavailable: [503, 'Service Unavailable'],

  // Input and resources
  invalid_payload: [400, 'Invalid payload'],
  invalid_query_params: [400, 'Invalid query params'],
  duplicate_found: [409, 'Duplicated resource found'],
  resource_in_use: [400, 'Resource in use'],
  resource_protected: [400, 'Resource is protected'],
  metadata_validation_failed: [400, 'Metadata validation failed'],
  invalid_validation_rules: [400, 'Invalid Validation Rule Definition'],
  invalid_customer: [400, 'Invalid customer'],
  invalid_order: [400, 'Invalid order'],
  invalid_amount: [400, 'Invalid Amount'],
  invalid_product: [400, 'Invalid product'],
  invalid_sku: [400, 'Invalid SKU'],
  invalid_export_fields: [400, 'Invalid Export'],

  // Codes and campaigns
  invalid_voucher: [400, 'Invalid Voucher'],
  invalid_campaign: [400, 'Invalid Campaign'],
  invalid_code_config: [400, 'Invalid code config'],
  duplicate_key: [400, 'Duplicate codes'],
  invalid_add_balance_params: [400, 'Invalid add balance params'],
  campaign_type_is_not_supported_by_campaign_template: [
    400,
    'Campaign of the given type is not supported by campaign template',
  ],
  feature_is_not_supported_by_campaign_template: [400, 'Feature is not supported by campaign template'],

  // Checkout
  voucher_disabled: [400, 'voucher is disabled'],
  voucher_not_active: [400, 'voucher is not active yet'],
  voucher_not_active_now: [400, 'voucher not active now'],
  voucher_expired: [400, 'voucher expired'],
  quantity_exceeded: [400, 'quantity exceeded'],
  gift_amount_exceeded: [400, 'gift amount exceeded'],
  loyalty_card_points_exceeded: [400, 'loyalty card points exceeded'],
  reward_out_of_stock: [400, 'Reward out of stock'],
  referrer_not_permitted_to_redeem: [400, 'voucher cannot be redeemed by referrer'],
  not_published: [400, 'Voucher is not published'],
  customer_rules_violated: [400, 'customer does not match validation rules'],
  order_rules_violated: [400, 'order does not match validation rules'],
  redemption_rules_violated: [400, 'redemption does not match validation rules'],
  promotion_inactive: [400, 'Inactive Promotion'],
  promotion_not_active_now: [400, 'promotion not active now'],
  missing_customer: [400, 'Missing customer'],
  missing_reward: [400, 'Missing reward'],
  missing_order: [400, 'Missing order'],
  missing_amount: [400, 'Missing order amount'],
  missing_order_items: [400, 'Missing order items'],
  missing_order_items_amount: [400, 'Missing applicable order items'],
  invalid_gift: [400, 'Invalid gift'],
  duplicated_redeemables: [400, 'Duplicated redeemables detected'],
  invalid_redeemables: [400, 'Invalid redeemables'],
  ambiguous_tracking_id: [400, 'Ambiguous trackingId'],
  already_rolled_back: [400, 'Already rolled back'],
  invalid_redemption: [400, 'Invalid redemption'],
  invalid_redemption_parent: [400, 'Invalid redemption parent'],
  multiple_requests: [400, 'Multiple requests detected'],
  no_effect: [400, 'Redeemable does not have any effect'],
  exclusion_rules_not_met: [400, 'Redeemable cannot be applied due to exclusion rules'],
  preceding_validation_failed: [400, 'Redeemable cannot be applied due to preceding validation failure'],
  applicable_redeemables_limit_exceeded: [400, 'Applicable redeemables limit exceeded'],
  applicable_redeemables_per_category_limit_exceeded: [400, 'Applicable redeemables limit per category exceeded'],
  applicable_exclusive_redeemables_limit_exceeded: [400, 'Applicable exclusive redeemables limit exceeded'],
  applicable_exclusive_redeemables_per_category_limit_exceeded: [
    400,
    'Applicable exclusive redeemables limit per category exceeded',
  ],

  // Loyalty, rewards, referrals
  invalid_pending_points_state: [400, 'Invalid pending points state'],
  invalid_expiration_date: [400, 'Invalid Expiration Date'],
  invalid_balance: [400, 'Invalid balance'],
  campaign_not_active: [400, 'Campaign is not active'],
  campaign_not_allow_auto_join: [400, 'Campaign does not allow auto join'],
  loyalty_card_not_active: [400, 'Loyalty card is not active'],
  holder_assignement_duplication: [409, 'Customer is already assigned to given redeemable'],

  // Publications
  missing_vouchers: [400, 'Missing vouchers'],
  voucher_already_published: [400, 'Voucher already published'],
  voucher_cannot_be_published: [400, 'Voucher cannot be published'],
  no_voucher_suitable_for_publication: [400, "Couldn't find any voucher suitable for publication"],
  duplicate_source_id: [400, 'Duplicate source_id'],
  too_many_vouchers_requested: [400, 'Too many vouchers requested'],
  page_over_limit: [400, 'Listing resource above 1000 page is not supported'],

  // Management
  used_incorrect_role: [400, 'Used incorrect role'],
  user_not_assigned: [400, 'User is not assigned'],
  stacking_rules_exist: [409, 'Stacking rules exist'],
  branding_exist: [409, 'Branding exist'],
} as const satisfies Record<string, readonly [status: number, message: string]>

export type ErrorKey = keyof typeof table

export const errorKeys = Object.keys(table) as ErrorKey[]

export const errorStatus = (key: ErrorKey): number => table[key][0]
export const errorMessage = (key: ErrorKey): string => table[key][1]

/** One fault of a body or query. */
export interface Fault {
  /** From the root: `.order.items[0].price`; empty for the root itself. */
  path: string
  /** What `details` of an error would say about it. */
  details: string
}

/** The optional fields of an error body: see docs/reference/errors.md#error-body. */
export interface ErrorFacts {
  message?: string
  details?: string
  /** All faults of the input; `details` is that of the first. */
  errors?: readonly Fault[]
  resource_id?: string
  resource_type?: string
  related_object_ids?: string[]
  related_object_type?: string
  related_object_total?: number
  redeemable_id?: string
  redeemable_type?: string
  /** The custom message of a validation rule. */
  error?: { message: string }
  /** The reasons per redeemable, for requests with `options.explain`. */
  explanation?: object[]
}

export interface ErrorBody extends Omit<ErrorFacts, 'error'> {
  code: number
  key: ErrorKey
  message: string
  request_id: string
  error?: { message: string } | string
  statusCode?: number
}

/**
 * A refusal. Thrown, it rolls back the transaction of the request; returned from `run`, the transaction commits and the
 * caller still gets the error.
 */
export class ApiError extends Error {
  readonly key: ErrorKey
  readonly facts: ErrorFacts
  /** Response headers, such as `Retry-After`. */
  readonly headers: Readonly<Record<string, string>>
  /** Set where the contract requires a status without a body. */
  bodiless = false
  /** Of a 429: the limit that was reached, for the metrics. */
  limit: RateLimit | null = null

  constructor(key: ErrorKey, facts: ErrorFacts = {}, headers: Readonly<Record<string, string>> = {}) {
    super(facts.details ?? facts.message ?? errorMessage(key))
    this.key = key
    this.facts = facts
    this.headers = headers
  }

  get status(): number {
    return errorStatus(this.key)
  }
}

/** 404 for one resource: `notFound('category', id)`. */
export const notFound = (resourceType: string, resourceId: string): ApiError =>
  new ApiError('not_found', {
    details: `Cannot find ${resourceType} with id ${resourceId}`,
    resource_id: resourceId,
    resource_type: resourceType,
  })

/** 415, with the media type that the operation takes. */
export const unsupportedMediaType = (wanted?: string): ApiError =>
  new ApiError('unsupported_media_type', wanted === undefined ? {} : { details: `Send the body as ${wanted}` })

/** 409 for a value that must be unique and exists already: `duplicate('category', 'name', name)`. */
export const duplicate = (resourceType: string, field: string, value: string): ApiError =>
  new ApiError('duplicate_found', {
    details: `Duplicated ${resourceType} exists with ${field} ${value}`,
    resource_id: value,
    resource_type: resourceType,
  })

/** 400 for a resource that other resources still reference: `inUse('category', id, { type: 'stacking_rules', ids: [rules.id] })`. */
export const inUse = (
  resourceType: string,
  resourceId: string,
  { type, ids, total = ids.length }: { type: string; ids: string[]; total?: number },
): ApiError => {
  const listedIds = ids.slice(0, relatedIdsMax)
  return new ApiError('resource_in_use', {
    details: `Resource ${resourceType} with id ${resourceId} is in use by ${type} with ids [${listedIds.join(', ')}]`,
    resource_id: resourceId,
    resource_type: resourceType,
    related_object_ids: listedIds,
    related_object_type: type,
    related_object_total: total,
  })
}

/** Ids listed in an error body (docs/reference/errors.md#error-body); `related_object_total` counts all of them. */
const relatedIdsMax = 20

/** 400 for a built-in object, which cannot be changed. */
export const isProtected = (resourceType: string, resourceId: string): ApiError =>
  new ApiError('resource_protected', {
    details: `Resource ${resourceType} with id ${resourceId} is built in and cannot be changed`,
    resource_id: resourceId,
    resource_type: resourceType,
  })

/** Creates the refusal of input with these faults, or with the one that a text describes: `Property .order.amount must be integer`. */
export type Refuse = (fault: string | readonly Fault[]) => ApiError

export const invalidPayload: Refuse = (fault) => inputError('invalid_payload', fault)
export const invalidQuery: Refuse = (fault) => inputError('invalid_query_params', fault)

/** Input that is refused with the key of its resource; `errors` is left out where the text names no place in the input. */
export const refuseWith =
  (key: ErrorKey): Refuse =>
  (fault) =>
    typeof fault === 'string' && pathIn(fault) === '' ? new ApiError(key, { details: fault }) : inputError(key, fault)

export function inputError(key: ErrorKey, fault: string | readonly Fault[]): ApiError {
  const errors = faultsOf(fault).slice(0, limits.listed_faults_max)
  return new ApiError(key, { details: errors[0]?.details ?? errorMessage(key), errors })
}

/** Refuses a part of a body with paths from the root: `.discount` under `.voucher` is `.voucher.discount`. */
export const under =
  (parent: string, refuse: Refuse): Refuse =>
  (fault) => {
    if (typeof fault === 'string' && pathIn(fault) === '') return refuse(fault)
    return refuse(
      faultsOf(fault).map(({ path, details }) => ({
        path: parent + path,
        details: details.replace(/^(?:Payload(?= )|Property (?=[.[]))/, () => `Property ${parent}`),
      })),
    )
  }

export const faultsOf = (fault: string | readonly Fault[]): readonly Fault[] =>
  typeof fault === 'string' ? [{ path: pathIn(fault), details: fault }] : fault

/** The path that the text of a fault begins with; of a missing property, its own. */
function pathIn(details: string): string {
  const [, path = '', missing] =
    /^(?:Payload|Query|Property ([.[]\S*)) (?:(?:should|must) have required property '([^']+)')?/.exec(details) ?? []
  return missing === undefined ? path : `${path}.${missing}`
}

/** Every limit that answers 429 (docs/reference/limits.md#rate-limits). */
export const rateLimits = [
  'api_calls',
  'bulk_api_calls',
  'api_calls_cycle',
  'client_calls',
  'client_sessions',
  'wrong_codes',
  'wrong_credentials',
  'sign_in_attempts',
  'oauth_tokens',
  'webhook_attempt_waits',
  'audit_searches',
] as const
export type RateLimit = (typeof rateLimits)[number]

/** 429; `waitMs` until the next call can be admitted. */
export function tooManyRequests(
  limit: RateLimit,
  waitMs: number,
  { key = 'too_many_requests', facts = {}, headers = {} }: LimitAnswer = {},
): ApiError {
  const retryAfter = String(Math.max(1, Math.ceil(waitMs / 1_000)))
  const refusal = new ApiError(key, facts, { 'Retry-After': retryAfter, ...headers })
  refusal.limit = limit
  return refusal
}

interface LimitAnswer {
  key?: ErrorKey
  facts?: ErrorFacts
  headers?: Record<string, string>
}

/** The value of `error` that a transport failure has in addition to the normal fields (docs/reference/errors.md#transport-failures). */
const transportNames: Partial<Record<ErrorKey, string>> = {
  payload_too_large: 'Request Entity Too Large',
  unsupported_media_type: 'Unsupported Media Type',
}

/** The JSON text of an error response; `messages` are the operator's custom messages by error key. */
export function errorText(error: ApiError, requestId: string, messages: ReadonlyMap<string, string>): string {
  return error.bodiless ? '' : JSON.stringify(errorBody(error, requestId, messages.get(error.key)))
}

function errorBody(error: ApiError, requestId: string, custom: string | undefined): ErrorBody {
  const { key, facts, status } = error
  const body: ErrorBody = {
    code: status,
    key,
    message: facts.message ?? errorMessage(key),
    ...withoutMessage(facts),
    request_id: requestId,
  }
  const transport = error instanceof MalformedJson ? 'Bad Request' : transportNames[key]
  if (transport !== undefined) return { statusCode: status, error: transport, ...body }
  return custom === undefined || body.error !== undefined ? body : { ...body, error: { message: custom } }
}

function withoutMessage({ message: _, ...facts }: ErrorFacts): Omit<ErrorFacts, 'message'> {
  return facts
}

/** A body that is not JSON: `invalid_payload` with the fields of a transport failure. */
export class MalformedJson extends ApiError {
  constructor() {
    super('invalid_payload', { message: 'Invalid request payload JSON format' })
  }
}
