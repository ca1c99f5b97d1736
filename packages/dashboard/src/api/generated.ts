// Generated from openapi.json by `npm run generate`. Do not edit.

/** The schemas of the API by name. */
export interface Schemas {
  Activity: {
    id: string
    type: string
    data: Record<string, unknown>
    created_at: string
    group_id: string
    category: 'ACTION' | 'EFFECT'
    event_source: {
      channel: 'API' | 'CLIENT_API' | 'USER_PORTAL' | 'INTERNAL'
      api_key?: { name: string; app_id: string }
      user?: { id: string }
    }
  }
  ActivityList: {
    object: 'list'
    data_ref: 'data'
    data: Array<Schemas['Activity']>
    has_more: boolean
    more_starting_after?: string
  }
  AddPromotionTierFromTemplate: {
    campaign_id: string
    name: string
    active?: boolean | null
    banner?: string | null
    metadata?: Record<string, unknown>
    hierarchy?: number
    start_date?: string | null
    expiration_date?: string | null
    validity_timeframe?: { interval?: string; duration?: string } | null
    validity_day_of_week?: Array<number> | null
    validity_hours?: {
      daily: Array<{ start_time: string; expiration_time: string; days_of_week?: Array<number> }>
    } | null
    category?: string | null
    category_id?: string | null
  }
  AddVoucherWithCode: {
    category?: string | null
    category_id?: string | null
    start_date?: string | null
    expiration_date?: string | null
    active?: boolean | null
    additional_info?: string | null
    metadata?: Record<string, unknown>
    redemption?: Schemas['RedemptionLimit'] | null
  }
  AddVouchers: {
    code?: string | null
    code_config?: Schemas['CodeConfigBody'] | null
    category?: string | null
    category_id?: string | null
    start_date?: string | null
    expiration_date?: string | null
    active?: boolean | null
    additional_info?: string | null
    metadata?: Record<string, unknown>
    redemption?: Schemas['RedemptionLimit'] | null
  }
  AdjustBalance: { amount: number; source_id?: string | null; reason?: string | null }
  AdjustPendingPoints: { points: number | string }
  AdjustPoints: {
    points: number | string
    expiration_type?: 'PROGRAM_RULES' | 'CUSTOM_DATE' | 'NON_EXPIRING' | null
    expiration_date?: string | null
    reason?: string | null
    source_id?: string | null
  }
  AmountDiscount: {
    type: 'AMOUNT'
    amount_off?: number | null
    amount_off_formula?: string | null
    aggregated_amount_limit?: number | null
    effect?:
      | 'APPLY_TO_ORDER'
      | 'APPLY_TO_ITEMS'
      | 'APPLY_TO_ITEMS_BY_QUANTITY'
      | 'APPLY_TO_ITEMS_PROPORTIONALLY'
      | 'APPLY_TO_ITEMS_PROPORTIONALLY_BY_QUANTITY'
      | null
  }
  ApiKey: {
    id: string
    name: string
    kind: 'server' | 'integration' | 'client'
    role: string
    ip_whitelist: Array<string>
    status: 'ACTIVE' | 'BLOCKED'
    app_id: string
    client_id: string
    primary: boolean
    created_at: string
    object: 'api_key'
  }
  ApiKeyList: { object: 'list'; data_ref: 'data'; data: Array<Schemas['ApiKey']>; total: number }
  ApiKeyWithSecret: {
    id: string
    name: string
    kind: 'server' | 'integration' | 'client'
    role: string
    ip_whitelist: Array<string>
    status: 'ACTIVE' | 'BLOCKED'
    app_id: string
    client_id: string
    primary: boolean
    created_at: string
    object: 'api_key'
    secret: string
  }
  ApplicableEntry: {
    object: 'product' | 'sku' | 'products_collection'
    id?: string | null
    source_id?: string | null
    product_id?: string | null
    product_source_id?: string | null
    strict?: boolean | null
    effect?:
      | 'APPLY_TO_EVERY'
      | 'APPLY_TO_CHEAPEST'
      | 'APPLY_FROM_CHEAPEST'
      | 'APPLY_TO_MOST_EXPENSIVE'
      | 'APPLY_FROM_MOST_EXPENSIVE'
      | null
    target?: 'ITEM' | 'UNIT' | null
    skip_initially?: number | null
    repeat?: number | null
    price?: number | null
    price_formula?: string | null
    quantity_limit?: number | null
    aggregated_quantity_limit?: number | null
    amount_limit?: number | null
    aggregated_amount_limit?: number | null
    product_campaign_quantity_limit?: number | null
    product_campaign_quantity_limit_formula?: string | null
    product_customer_campaign_quantity_limit?: number | null
    product_customer_campaign_quantity_limit_formula?: string | null
    product_promotion_tier_quantity_limit?: number | null
    product_promotion_tier_quantity_limit_formula?: string | null
    product_customer_promotion_tier_quantity_limit?: number | null
    product_customer_promotion_tier_quantity_limit_formula?: string | null
    product_in_collection_campaign_quantity_limit?: number | null
    product_in_collection_campaign_quantity_limit_formula?: string | null
    product_in_collection_customer_campaign_quantity_limit?: number | null
    product_in_collection_customer_campaign_quantity_limit_formula?: string | null
    product_in_collection_promotion_tier_quantity_limit?: number | null
    product_in_collection_promotion_tier_quantity_limit_formula?: string | null
    product_in_collection_customer_promotion_tier_quantity_limit?: number | null
    product_in_collection_customer_promotion_tier_quantity_limit_formula?: string | null
  }
  ApplicableTo: {
    included: Array<Schemas['ApplicableEntry']>
    excluded: Array<Schemas['ApplicableEntry']>
    included_all: boolean
  }
  ApplicationDetail: {
    source_index: number
    source_applied_quantity: number
    source_applied_quantity_amount: number
    target_index: number
    target_applied_quantity: number
    target_applied_quantity_amount: number
    target_applied_discount_amount: number
  }
  AppliedDiscount: {
    type: 'AMOUNT' | 'PERCENT' | 'FIXED' | 'UNIT'
    effect: string
    amount_off?: number
    percent_off?: number
    fixed_amount?: number
    unit_off?: number
    unit_type?: string
    units?: Array<{
      unit_off: number
      unit_type: string
      effect: string
      product?: { id?: string | null; source_id?: string | null; name?: string | null }
      sku?: { id?: string | null; source_id?: string | null; sku?: string | null }
    }>
    product?: { id?: string | null; source_id?: string | null; name?: string | null }
    sku?: { id?: string | null; source_id?: string | null; sku?: string | null }
    amount_limit?: number
    aggregated_amount_limit?: number
    is_dynamic: boolean
  }
  AssignLoyaltyRewards: Array<{
    reward: string
    parameters?: { loyalty?: { points?: number | null | string; auto_redeem?: boolean | null } | null } | null
    validation_rules?: Array<string> | null
  }>
  AssignUser: { id?: string | null; login?: string | null; role: string }
  AsyncAction: {
    id: string
    type:
      | 'CAMPAIGN.VOUCHERS_GENERATE'
      | 'CAMPAIGN.VOUCHERS_UPDATE'
      | 'CAMPAIGN.VOUCHERS_DELETE'
      | 'CAMPAIGN.VOUCHERS_IMPORT'
      | 'CAMPAIGN.VOUCHERS_IMPORT_CSV'
      | 'VOUCHERS.IMPORT'
      | 'VOUCHERS.IMPORT_CSV'
      | 'VOUCHERS.BULK_UPDATE'
      | 'VOUCHERS.METADATA_UPDATE'
      | 'CUSTOMERS.IMPORT_CSV'
      | 'CUSTOMERS.BULK_UPDATE'
      | 'CUSTOMERS.METADATA_UPDATE'
      | 'PRODUCTS.IMPORT_CSV'
      | 'PRODUCTS.BULK_UPDATE'
      | 'PRODUCTS.METADATA_UPDATE'
      | 'SKUS.IMPORT_CSV'
      | 'ORDERS.IMPORT'
      | 'CAMPAIGNS.METADATA_KEY_PURGE'
      | 'CUSTOMERS.METADATA_KEY_PURGE'
      | 'PRODUCTS.METADATA_KEY_PURGE'
      | 'VOUCHERS.METADATA_KEY_PURGE'
      | 'ORDERS.METADATA_KEY_PURGE'
    status: 'ENQUEUED' | 'IN_PROGRESS' | 'DONE' | 'FAILED'
    operation_status: 'UNKNOWN' | 'SUCCESS' | 'FAILED'
    created_at: string
    updated_at: string
    request_id: string
    processing_time?: number
    progress: number
    object: 'async_action'
    result?: Record<string, unknown>
  }
  AsyncActionBase: {
    id: string
    type:
      | 'CAMPAIGN.VOUCHERS_GENERATE'
      | 'CAMPAIGN.VOUCHERS_UPDATE'
      | 'CAMPAIGN.VOUCHERS_DELETE'
      | 'CAMPAIGN.VOUCHERS_IMPORT'
      | 'CAMPAIGN.VOUCHERS_IMPORT_CSV'
      | 'VOUCHERS.IMPORT'
      | 'VOUCHERS.IMPORT_CSV'
      | 'VOUCHERS.BULK_UPDATE'
      | 'VOUCHERS.METADATA_UPDATE'
      | 'CUSTOMERS.IMPORT_CSV'
      | 'CUSTOMERS.BULK_UPDATE'
      | 'CUSTOMERS.METADATA_UPDATE'
      | 'PRODUCTS.IMPORT_CSV'
      | 'PRODUCTS.BULK_UPDATE'
      | 'PRODUCTS.METADATA_UPDATE'
      | 'SKUS.IMPORT_CSV'
      | 'ORDERS.IMPORT'
      | 'CAMPAIGNS.METADATA_KEY_PURGE'
      | 'CUSTOMERS.METADATA_KEY_PURGE'
      | 'PRODUCTS.METADATA_KEY_PURGE'
      | 'VOUCHERS.METADATA_KEY_PURGE'
      | 'ORDERS.METADATA_KEY_PURGE'
    status: 'ENQUEUED' | 'IN_PROGRESS' | 'DONE' | 'FAILED'
    operation_status: 'UNKNOWN' | 'SUCCESS' | 'FAILED'
    created_at: string
    updated_at: string
    request_id: string
    processing_time?: number
    progress: number
    object: 'async_action'
  }
  AsyncActionList: {
    object: 'list'
    data_ref: 'async_actions'
    async_actions: Array<Schemas['AsyncActionBase']>
    has_more: boolean
  }
  AuditLogEntry: {
    id: string
    created_at: string
    status: 'SUCCESS' | 'FAILURE'
    status_code: number
    request_id: string
    client_request_id: string | null
    channel: string
    method: string
    endpoint: string
    url: string
    user_email: string | null
    app_id: string | null
    client_app_id: string | null
    request_duration: number
    request_body: unknown
    response_body: unknown
    async_action_id: string | null
    object: 'audit_log_entry'
  }
  AuditLogList: {
    object: 'list'
    data_ref: 'data'
    data: Array<Schemas['AuditLogEntry']>
    has_more: boolean
    more_starting_after?: string
  }
  BalanceAnswer: {
    amount: number
    points?: number
    total: number
    balance: number
    type: 'gift_voucher' | 'loyalty_card'
    operation_type: 'MANUAL' | 'AUTOMATIC'
    object: 'balance'
    related_object: { type: 'voucher'; id: string }
  }
  BinEntry: {
    id: string
    created_at: string
    deleted_by_user_id: null
    resource_id: string
    resource_type: 'campaign' | 'voucher' | 'product' | 'sku'
    resource_name: string | null
    resource_parent_id: string | null
    object: 'campaign' | 'voucher' | 'product' | 'sku'
  }
  BinEntryList: {
    object: 'list'
    data_ref: 'data'
    data: Array<Schemas['BinEntry']>
    total: number
    has_more: boolean
    more_starting_after?: string
  }
  Branding: {
    id: string
    brand: {
      name: string
      privacy_policy_url: string | null
      terms_of_use_url: string | null
      permission_reminder: string
      website_url: string | null
    }
    address: { street: string; city: string; postal: string | null; state: string | null; country: string }
    contact: { email: string; phone: string | null }
  }
  BrandingList: { object: 'list'; data_ref: 'data'; data: Array<Schemas['Branding']>; total: number }
  BulkCustomerMetadata: { source_ids: Array<string>; metadata: Record<string, unknown> }
  BulkCustomers: Array<{
    source_id: string
    name?: string | null
    description?: string | null
    email?: string | null
    phone?: string | null
    birthdate?: string | null
    birthday?: string | null
    address?: {
      city?: string | null
      state?: string | null
      line_1?: string | null
      line_2?: string | null
      country?: string | null
      postal_code?: string | null
    } | null
    metadata?: Record<string, unknown> | null
  }>
  BulkProductMetadata: { source_ids: Array<string>; metadata: Record<string, unknown> }
  BulkProducts: Array<{
    source_id: string
    name?: string | null
    price?: number | null | string
    attributes?: Array<string> | null
    metadata?: Record<string, unknown> | null
    image_url?: string | null
  }>
  BulkVoucherMetadata: { codes: Array<string>; metadata: Record<string, unknown> }
  BulkVouchers: Array<{ code: string; metadata: Record<string, unknown> }>
  BundleResult: {
    quantity: number
    limit: number
    identified: Array<{
      id: string
      object: 'product' | 'sku' | 'products_collection'
      item_quantity: number
      item_index: number
    }>
    missing?: Array<{ id: string; object: 'product' | 'sku' | 'products_collection'; item_quantity: number }>
  }
  CalculatedItem: {
    object: 'order_item'
    id?: string
    source_id?: string
    related_object?: 'product' | 'sku'
    product_id?: string
    sku_id?: string
    quantity: number
    initial_quantity: number
    price?: number
    amount?: number
    initial_amount?: number
    discount_amount?: number
    applied_discount_amount?: number
    discount_quantity?: number
    applied_discount_quantity?: number
    applied_quantity?: number
    applied_quantity_amount?: number
    subtotal_amount?: number
    product?: Schemas['OrderProduct']
    sku?: Schemas['OrderSku']
    metadata?: Record<string, unknown>
    application_details?: Array<Schemas['ApplicationDetail']>
  }
  CalculatedOrderView: {
    id?: string
    source_id?: string | null
    status?: 'CREATED' | 'PAID' | 'CANCELED' | 'FULFILLED'
    amount?: number
    initial_amount?: number
    discount_amount?: number
    items_discount_amount?: number
    total_discount_amount?: number
    total_amount?: number
    applied_discount_amount?: number
    items_applied_discount_amount?: number
    total_applied_discount_amount?: number
    items: Array<Schemas['CalculatedItem']>
    metadata?: Record<string, unknown>
    customer_id?: string | null
    referrer_id?: string | null
    customer?: { id: string; object: 'customer' }
    referrer?: { id: string; object: 'customer' }
    redemptions?: Record<
      string,
      {
        date?: string
        related_object_type?: string
        related_object_id?: string
        related_object_parent_id?: string
        stacked?: Array<string>
        rollback_id?: string
        rollback_date?: string
        rollback_stacked?: Array<string>
      }
    >
    created_at?: string
    updated_at?: string | null
    object: 'order'
  }
  Campaign: {
    id: string
    name: string
    description?: string
    campaign_type: 'DISCOUNT_COUPONS' | 'GIFT_VOUCHERS' | 'LOYALTY_PROGRAM' | 'REFERRAL_PROGRAM' | 'PROMOTION'
    type: 'AUTO_UPDATE' | 'STATIC' | 'STANDALONE'
    voucher?: Schemas['CampaignVoucher']
    promotion?: {
      object: 'list'
      data_ref: 'tiers'
      tiers: Array<Schemas['PromotionTier']>
      total: number
      has_more: false
    }
    referral_program?: Schemas['ReferralProgram']
    loyalty_tiers_expiration?: Schemas['TierExpiration']
    auto_join: boolean
    join_once: boolean
    use_voucher_metadata_schema: boolean
    start_date?: string
    expiration_date?: string
    validity_timeframe?: { interval: string; duration: string }
    validity_day_of_week?: Array<number>
    validity_hours?: { daily: Array<{ start_time: string; expiration_time: string; days_of_week?: Array<number> }> }
    activity_duration_after_publishing?: string
    vouchers_count?: number
    active: boolean
    metadata?: Record<string, unknown>
    created_at: string
    updated_at?: string
    category?: string
    category_id: string | null
    categories: Array<Schemas['Category']>
    creation_status: 'DONE' | 'IN_PROGRESS' | 'FAILED' | 'DRAFT' | 'MODIFYING'
    vouchers_generation_status: 'DONE' | 'IN_PROGRESS' | 'FAILED' | 'DRAFT' | 'MODIFYING'
    protected: boolean
    validation_rules_assignments?: Schemas['ValidationRuleAssignmentList']
    access_settings_assignments: {
      object: 'list'
      data_ref: 'data'
      data: Array<Record<string, unknown>>
      total: number
    }
    object: 'campaign'
  }
  CampaignExamination: {
    object: 'list'
    data_ref: 'data'
    total: number
    id: string
    created_at: string
    tracking_id?: string
    data: Array<Schemas['ExaminedCampaign']>
  }
  CampaignList: { object: 'list'; data_ref: 'campaigns'; campaigns: Array<Schemas['Campaign']>; total: number }
  CampaignReward: {
    campaign: { id: string; balance?: number; type: 'DISCOUNT_COUPONS' | 'GIFT_VOUCHERS' | 'LOYALTY_PROGRAM' }
  }
  CampaignSetup: {
    object: 'campaign_setup'
    campaign: Schemas['Campaign']
    created_resources: Array<Schemas['CreatedResource']>
  }
  CampaignSummary: {
    object: 'campaign_summary'
    campaign: Schemas['Campaign']
    redemptions?: number
    rollbacks?: number
    validations?: number
    publications?: number
    redemptions_succeeded?: number
    orders_amount?: number
    discounted_amount?: number
    amount_redeemed?: number
    points_redeemed?: number
    redemptions_failed?: number
    rollbacks_succeeded?: number
    rollbacks_failed?: number
    validations_succeeded?: number
    validations_failed?: number
    orders_rolledback_amount?: number
    vouchers_created?: number
    vouchers_deleted?: number
    publications_succeeded?: number
    publications_failed?: number
    rolledback_discounted_amount?: number
    created_vouchers_amount?: number
    amount_added?: number
    amount_subtracted?: number
    amount_rolledback?: number
    amount_deleted?: number
    created_vouchers_points?: number
    points_added?: number
    points_subtracted?: number
    points_rewarded?: number
    points_rolledback?: number
    points_expired?: number
    points_deleted?: number
    points_transferred_in?: number
    points_transferred_out?: number
    pending_points_added?: number
    pending_points_subtracted?: number
    pending_points_activated?: number
    pending_points_canceled?: number
    referred_customers?: number
  }
  CampaignTemplate: {
    id: string
    name: string
    description?: string
    campaign_type: 'DISCOUNT_COUPONS' | 'GIFT_VOUCHERS'
    created_at: string
    updated_at?: string
    json_template?: Schemas['JsonTemplate']
    object: 'campaign_template'
  }
  CampaignTemplateList: {
    object: 'list'
    data_ref: 'data'
    data: Array<Schemas['CampaignTemplate']>
    total?: number
    has_more: boolean
    more_starting_after?: string
  }
  CampaignVoucher: {
    type: 'DISCOUNT_VOUCHER' | 'GIFT_VOUCHER' | 'LOYALTY_CARD'
    discount?: Schemas['Discount']
    gift?: { amount: number; effect?: 'APPLY_TO_ORDER' | 'APPLY_TO_ITEMS' }
    loyalty_card?: { points: number; expiration_rules?: Schemas['PointsExpirationRules'] }
    redemption: { quantity: number | null }
    code_config?: { length: number; charset: string; pattern: string; prefix?: string; postfix?: string }
    is_referral_code: boolean
    start_date?: string
    expiration_date?: string
    validity_timeframe?: { interval: string; duration: string }
    validity_day_of_week?: Array<number>
    validity_hours?: { daily: Array<{ start_time: string; expiration_time: string; days_of_week?: Array<number> }> }
  }
  CampaignVoucherBody: {
    type: 'DISCOUNT_VOUCHER' | 'GIFT_VOUCHER' | 'LOYALTY_CARD'
    discount?: Record<string, unknown> | null
    gift?: Record<string, unknown> | null
    loyalty_card?: Record<string, unknown> | null
    redemption?: Schemas['RedemptionLimit'] | null
    code_config?: Schemas['CodeConfigBody'] | null
    code?: string | null
    is_referral_code?: boolean | null
  }
  Category: { id: string; name: string; hierarchy: number; created_at: string; updated_at?: string; object: 'category' }
  CategoryBody: { name: string; hierarchy: number }
  CategoryInResult: {
    id: string
    name: string
    hierarchy: number
    created_at: string
    updated_at?: string
    object: 'category'
    stacking_rules_type?: 'JOINT' | 'EXCLUSIVE'
  }
  CategoryList: {
    object: 'list'
    data_ref: 'data'
    data: Array<Schemas['Category']>
    total: number
    has_more: boolean
    more_starting_after?: string
  }
  CheckoutCustomer: Schemas['CustomerBody'] | string
  CheckoutOrder: {
    id?: string | number | null
    source_id?: string | number | null
    status?: 'CREATED' | 'PAID' | 'CANCELED' | 'FULFILLED' | null
    amount?: number | string | null
    initial_amount?: number | string | null
    discount_amount?: number | string | null
    items?: Array<Schemas['OrderItemBody']> | null
    metadata?: Record<string, unknown> | null
    customer?: Schemas['CheckoutCustomer'] | null
    referrer?: Schemas['CheckoutCustomer'] | null
    referrer_id?: string | null
    customer_id?: string | null
  }
  ClientCustomer: { id: string; source_id: string | null; object: 'customer' }
  ClientExplainedRedemption: {
    id: string
    date: string
    customer_id: string | null
    tracking_id: string | null
    metadata: Record<string, unknown> | null
    result: 'SUCCESS' | 'FAILURE'
    failure_code?: string
    failure_message?: string
    order: {
      id: string
      source_id: string | null
      amount?: number
      initial_amount?: number
      discount_amount?: number
      items_discount_amount?: number
      total_discount_amount?: number
      total_amount?: number
      applied_discount_amount?: number
      items_applied_discount_amount?: number
      total_applied_discount_amount?: number
      items: Array<Schemas['OrderItem']>
      metadata?: Record<string, unknown>
      customer?: { id: string; object: 'customer' }
      redemptions?: Record<
        string,
        {
          date?: string
          related_object_type?: string
          related_object_id?: string
          related_object_parent_id?: string
          stacked?: Array<string>
          rollback_id?: string
          rollback_date?: string
          rollback_stacked?: Array<string>
        }
      >
      object: 'order'
      status?: 'CREATED' | 'PAID' | 'CANCELED' | 'FULFILLED'
      customer_id?: string | null
      created_at?: string
      updated_at?: string | null
    } | null
    channel: { channel_id: string; channel_type: 'API' | 'AUTO_REDEEM' }
    customer: Schemas['ClientCustomer'] | null
    related_object_type: 'voucher' | 'promotion_tier' | 'redemption'
    related_object_id: string
    voucher: {
      id: string
      code: string
      campaign: string | null
      campaign_id: string | null
      category: string | null
      category_id: string | null
      categories: Array<{
        id: string
        name: string
        hierarchy: number
        created_at: string
        updated_at?: string
        object: 'category'
        stacking_rules_type?: 'JOINT' | 'EXCLUSIVE'
      }>
      type: 'DISCOUNT_VOUCHER' | 'GIFT_VOUCHER' | 'LOYALTY_CARD'
      discount: Schemas['Discount'] | null
      gift: Schemas['GiftCredits'] | null
      loyalty_card: Schemas['LoyaltyPoints'] | null
      start_date: string | null
      expiration_date: string | null
      validity_timeframe: { interval: string; duration: string } | null
      validity_day_of_week: Array<number> | null
      validity_hours: {
        daily: Array<{ start_time: string; expiration_time: string; days_of_week?: Array<number> }>
      } | null
      active: boolean
      additional_info: string | null
      metadata: Record<string, unknown>
      assets: { qr: { id: string; url: string }; barcode: { id: string; url: string } }
      is_referral_code: boolean
      created_at: string
      updated_at: string | null
      validation_rules_assignments?: Schemas['ValidationRuleAssignmentList']
      publish: { object: 'list'; count: number; url: string }
      redemption: {
        quantity: number | null
        redeemed_quantity: number
        redeemed_amount?: number
        redeemed_points?: number
        object: 'list'
        url: string
      }
      object: 'voucher'
      applicable_to?: Schemas['CoveredEntries']
      inapplicable_to?: Schemas['CoveredEntries']
    } | null
    promotion_tier?: {
      id: string
      name: string
      banner?: string
      action?: { discount: Schemas['Discount'] }
      metadata: Record<string, unknown>
      hierarchy: number
      promotion_id: string
      campaign_id: string
      campaign: {
        id: string
        start_date: string | null
        expiration_date: string | null
        validity_timeframe?: { interval: string; duration: string }
        validity_day_of_week?: Array<number>
        validity_hours?: { daily: Array<{ start_time: string; expiration_time: string; days_of_week?: Array<number> }> }
        active: boolean
        category_id: string | null
        object: 'campaign'
      }
      active: boolean
      start_date?: string
      expiration_date?: string
      validity_timeframe?: { interval: string; duration: string }
      validity_day_of_week?: Array<number>
      validity_hours?: { daily: Array<{ start_time: string; expiration_time: string; days_of_week?: Array<number> }> }
      validation_rule_assignments: Schemas['ValidationRuleAssignmentList']
      category_id: string | null
      categories: Array<{
        id: string
        name: string
        hierarchy: number
        created_at: string
        updated_at?: string
        object: 'category'
        stacking_rules_type?: 'JOINT' | 'EXCLUSIVE'
      }>
      created_at: string
      updated_at?: string
      object: 'promotion_tier'
    }
    reward?: {
      id: string
      name: string
      type: 'CAMPAIGN' | 'COIN' | 'MATERIAL'
      parameters: Record<string, unknown>
      metadata: Record<string, unknown>
      customer?: Schemas['ClientCustomer'] | null
      assignment_id?: string | null
      loyalty_tier_id?: string | null
      voucher?: Record<string, unknown> | null
      product?: Record<string, unknown> | null
      sku?: Record<string, unknown> | null
      created_at: string
      updated_at: string | null
      object: 'reward'
    }
    object: 'redemption'
    status: 'SUCCEEDED' | 'FAILED' | 'ROLLED_BACK'
    amount?: number
    redemption?: string
    session?: { key: string }
    related_redemptions?: {
      rollbacks: Array<{ id: string; date: string; rollback_order_mode?: 'WITH_ORDER' | 'WITHOUT_ORDER' }>
      redemptions: Array<{ id: string; date: string }>
    }
    gift?: { amount: number }
    loyalty_card?: { points: number }
  }
  ClientPromotionTierList: {
    object: 'list'
    data_ref: 'tiers'
    tiers: Array<{
      id: string
      name: string
      banner?: string
      action?: { discount: Schemas['Discount'] }
      metadata: Record<string, unknown>
      hierarchy: number
      promotion_id: string
      campaign_id: string
      campaign: {
        id: string
        start_date: string | null
        expiration_date: string | null
        validity_timeframe?: { interval: string; duration: string }
        validity_day_of_week?: Array<number>
        validity_hours?: { daily: Array<{ start_time: string; expiration_time: string; days_of_week?: Array<number> }> }
        active: boolean
        category_id: string | null
        object: 'campaign'
      }
      active: boolean
      start_date?: string
      expiration_date?: string
      validity_timeframe?: { interval: string; duration: string }
      validity_day_of_week?: Array<number>
      validity_hours?: { daily: Array<{ start_time: string; expiration_time: string; days_of_week?: Array<number> }> }
      validation_rule_assignments: Schemas['ValidationRuleAssignmentList']
      category_id: string | null
      categories: Array<Schemas['Category']>
      created_at: string
      updated_at?: string
      object: 'promotion_tier'
    }>
    total: number
    has_more: boolean
    more_starting_after?: string
  }
  ClientPromotionValidation: {
    valid: boolean
    tracking_id?: string
    promotions: Array<{
      valid: boolean
      applicable_to?: Schemas['CoveredEntries']
      inapplicable_to?: Schemas['CoveredEntries']
      tracking_id?: string
      session?: Schemas['SessionView']
      order?: {
        id?: string
        source_id?: string | null
        status?: 'CREATED' | 'PAID' | 'CANCELED' | 'FULFILLED'
        amount?: number
        initial_amount?: number
        discount_amount?: number
        items_discount_amount?: number
        total_discount_amount?: number
        total_amount?: number
        applied_discount_amount?: number
        items_applied_discount_amount?: number
        total_applied_discount_amount?: number
        items: Array<Schemas['CalculatedItem']>
        metadata?: Record<string, unknown>
        customer_id?: string | null
        customer?: { id: string; object: 'customer' }
        redemptions?: Record<
          string,
          {
            date?: string
            related_object_type?: string
            related_object_id?: string
            related_object_parent_id?: string
            stacked?: Array<string>
            rollback_id?: string
            rollback_date?: string
            rollback_stacked?: Array<string>
          }
        >
        created_at?: string
        updated_at?: string | null
        object: 'order'
      }
      reason?: string
      error?: {
        code?: number
        key?: string
        message: string
        details?: string
        request_id?: string
        resource_id?: string
        resource_type?: string
        redeemable_id?: string
        redeemable_type?: string
        error?: { message: string }
      }
      id: string
      name: string
      banner?: string
      discount?: Schemas['AppliedDiscount'] | Schemas['Discount']
      start_date?: string
      expiration_date?: string
      campaign: {
        id: string
        start_date?: string
        expiration_date?: string
        active: boolean
        categories?: Array<Schemas['Category']>
        object: 'campaign'
      }
      hierarchy: number
      discount_amount?: number
      applied_discount_amount?: number
      metadata: Record<string, unknown>
      category_id?: string | null
      categories?: Array<Schemas['CategoryInResult']>
      object: 'promotion_tier'
    }>
  }
  ClientPublication: {
    id: string
    object: 'publication'
    created_at: string
    customer_id: string
    tracking_id?: string
    metadata: Record<string, unknown>
    channel: string
    source_id: string | null
    result: 'SUCCESS' | 'FAILURE'
    vouchers_id: Array<string>
    vouchers?: Array<string>
    failure_code?: string
    failure_message?: string
    customer: Schemas['ClientCustomer']
    voucher?: {
      id: string
      code: string
      campaign: string | null
      campaign_id: string | null
      category: string | null
      category_id: string | null
      categories: Array<Schemas['Category']>
      type: 'DISCOUNT_VOUCHER' | 'GIFT_VOUCHER' | 'LOYALTY_CARD'
      discount: Schemas['Discount'] | null
      gift: Schemas['GiftCredits'] | null
      loyalty_card: Schemas['LoyaltyPoints'] | null
      start_date: string | null
      expiration_date: string | null
      validity_timeframe: { interval: string; duration: string } | null
      validity_day_of_week: Array<number> | null
      validity_hours: {
        daily: Array<{ start_time: string; expiration_time: string; days_of_week?: Array<number> }>
      } | null
      active: boolean
      additional_info: string | null
      metadata: Record<string, unknown>
      assets: { qr: { id: string; url: string }; barcode: { id: string; url: string } }
      is_referral_code: boolean
      created_at: string
      updated_at: string | null
      validation_rules_assignments?: Schemas['ValidationRuleAssignmentList']
      publish: { object: 'list'; count: number; url: string }
      redemption: {
        quantity: number | null
        redeemed_quantity: number
        redeemed_amount?: number
        redeemed_points?: number
        object: 'list'
        url: string
      }
      object: 'voucher'
    }
  }
  ClientQualification: {
    redeemables: {
      object: 'list'
      data_ref: 'data'
      data: Array<{
        id: string
        object: 'voucher' | 'promotion_tier' | 'promotion_stack' | 'campaign'
        created_at: string
        result: {
          discount?: Schemas['AppliedDiscount']
          gift?: { balance: number; credits: number; locked_credits?: number }
          loyalty_card?: { points: number; balance: number; exchange_ratio?: number; points_ratio?: number }
          bundle?: Schemas['BundleResult']
        }
        order?: {
          id?: string
          source_id?: string | null
          status?: 'CREATED' | 'PAID' | 'CANCELED' | 'FULFILLED'
          amount?: number
          initial_amount?: number
          discount_amount?: number
          items_discount_amount?: number
          total_discount_amount?: number
          total_amount?: number
          applied_discount_amount?: number
          items_applied_discount_amount?: number
          total_applied_discount_amount?: number
          items: Array<Schemas['CalculatedItem']>
          metadata?: Record<string, unknown>
          customer_id?: string | null
          customer?: { id: string; object: 'customer' }
          redemptions?: Record<
            string,
            {
              date?: string
              related_object_type?: string
              related_object_id?: string
              related_object_parent_id?: string
              stacked?: Array<string>
              rollback_id?: string
              rollback_date?: string
              rollback_stacked?: Array<string>
            }
          >
          created_at?: string
          updated_at?: string | null
          object: 'order'
        }
        applicable_to?: Schemas['CoveredEntries']
        inapplicable_to?: Schemas['CoveredEntries']
        metadata?: Record<string, unknown>
        name?: string
        banner?: string
        campaign_id?: string
        campaign_name?: string
        categories?: Array<Schemas['CategoryInResult']>
        validation_rules_assignments?: {
          object: 'list'
          data_ref: 'data'
          data: Array<Schemas['JudgedAssignment']>
          total: number
        }
        redeemables?: Array<{
          id: string
          object: 'voucher' | 'promotion_tier' | 'promotion_stack' | 'campaign'
          created_at: string
          result: {
            discount?: Schemas['AppliedDiscount']
            gift?: { balance: number; credits: number; locked_credits?: number }
            loyalty_card?: { points: number; balance: number; exchange_ratio?: number; points_ratio?: number }
            bundle?: Schemas['BundleResult']
          }
          order?: {
            id?: string
            source_id?: string | null
            status?: 'CREATED' | 'PAID' | 'CANCELED' | 'FULFILLED'
            amount?: number
            initial_amount?: number
            discount_amount?: number
            items_discount_amount?: number
            total_discount_amount?: number
            total_amount?: number
            applied_discount_amount?: number
            items_applied_discount_amount?: number
            total_applied_discount_amount?: number
            items: Array<Schemas['CalculatedItem']>
            metadata?: Record<string, unknown>
            customer_id?: string | null
            customer?: { id: string; object: 'customer' }
            redemptions?: Record<
              string,
              {
                date?: string
                related_object_type?: string
                related_object_id?: string
                related_object_parent_id?: string
                stacked?: Array<string>
                rollback_id?: string
                rollback_date?: string
                rollback_stacked?: Array<string>
              }
            >
            created_at?: string
            updated_at?: string | null
            object: 'order'
          }
          applicable_to?: Schemas['CoveredEntries']
          inapplicable_to?: Schemas['CoveredEntries']
          metadata?: Record<string, unknown>
          name?: string
          banner?: string
          campaign_id?: string
          campaign_name?: string
          categories?: Array<Schemas['CategoryInResult']>
          validation_rules_assignments?: {
            object: 'list'
            data_ref: 'data'
            data: Array<Schemas['JudgedAssignment']>
            total: number
          }
        }>
      }>
      total: number
      has_more: boolean
      more_starting_after?: string
    }
    tracking_id?: string
    order?: {
      id?: string
      source_id?: string | null
      status?: 'CREATED' | 'PAID' | 'CANCELED' | 'FULFILLED'
      amount?: number
      initial_amount?: number
      discount_amount?: number
      items_discount_amount?: number
      total_discount_amount?: number
      total_amount?: number
      applied_discount_amount?: number
      items_applied_discount_amount?: number
      total_applied_discount_amount?: number
      items: Array<{
        object: 'order_item'
        id?: string
        source_id?: string
        related_object?: 'product' | 'sku'
        product_id?: string
        sku_id?: string
        quantity: number
        initial_quantity?: number
        price?: number
        amount?: number
        initial_amount?: number
        discount_amount?: number
        applied_discount_amount?: number
        discount_quantity?: number
        applied_discount_quantity?: number
        applied_quantity?: number
        applied_quantity_amount?: number
        subtotal_amount?: number
        product?: Schemas['OrderProduct']
        sku?: Schemas['OrderSku']
        metadata?: Record<string, unknown>
        application_details?: Array<Schemas['ApplicationDetail']>
      }>
      metadata?: Record<string, unknown>
      customer_id?: string | null
      customer?: { id: string; object: 'customer' }
      redemptions?: Record<
        string,
        {
          date?: string
          related_object_type?: string
          related_object_id?: string
          related_object_parent_id?: string
          stacked?: Array<string>
          rollback_id?: string
          rollback_date?: string
          rollback_stacked?: Array<string>
        }
      >
      created_at?: string
      updated_at?: string | null
      object: 'order'
    }
    stacking_rules: Schemas['StackingRulesView']
  }
  ClientRedemptionsAnswer: {
    redemptions: Array<{
      id: string
      date: string
      customer_id: string | null
      tracking_id: string | null
      metadata: Record<string, unknown> | null
      result: 'SUCCESS' | 'FAILURE'
      failure_code?: string
      failure_message?: string
      order: {
        id: string
        source_id: string | null
        amount?: number
        initial_amount?: number
        discount_amount?: number
        items_discount_amount?: number
        total_discount_amount?: number
        total_amount?: number
        applied_discount_amount?: number
        items_applied_discount_amount?: number
        total_applied_discount_amount?: number
        items: Array<Schemas['OrderItem']>
        metadata?: Record<string, unknown>
        customer?: { id: string; object: 'customer' }
        redemptions?: Record<
          string,
          {
            date?: string
            related_object_type?: string
            related_object_id?: string
            related_object_parent_id?: string
            stacked?: Array<string>
            rollback_id?: string
            rollback_date?: string
            rollback_stacked?: Array<string>
          }
        >
        object: 'order'
        status?: 'CREATED' | 'PAID' | 'CANCELED' | 'FULFILLED'
        customer_id?: string | null
        created_at?: string
        updated_at?: string | null
      } | null
      channel: { channel_id: string; channel_type: 'API' | 'AUTO_REDEEM' }
      customer: Schemas['ClientCustomer'] | null
      related_object_type: 'voucher' | 'promotion_tier' | 'redemption'
      related_object_id: string
      voucher: {
        id: string
        code: string
        campaign: string | null
        campaign_id: string | null
        category: string | null
        category_id: string | null
        categories: Array<{
          id: string
          name: string
          hierarchy: number
          created_at: string
          updated_at?: string
          object: 'category'
          stacking_rules_type?: 'JOINT' | 'EXCLUSIVE'
        }>
        type: 'DISCOUNT_VOUCHER' | 'GIFT_VOUCHER' | 'LOYALTY_CARD'
        discount: Schemas['Discount'] | null
        gift: Schemas['GiftCredits'] | null
        loyalty_card: Schemas['LoyaltyPoints'] | null
        start_date: string | null
        expiration_date: string | null
        validity_timeframe: { interval: string; duration: string } | null
        validity_day_of_week: Array<number> | null
        validity_hours: {
          daily: Array<{ start_time: string; expiration_time: string; days_of_week?: Array<number> }>
        } | null
        active: boolean
        additional_info: string | null
        metadata: Record<string, unknown>
        assets: { qr: { id: string; url: string }; barcode: { id: string; url: string } }
        is_referral_code: boolean
        created_at: string
        updated_at: string | null
        validation_rules_assignments?: Schemas['ValidationRuleAssignmentList']
        publish: { object: 'list'; count: number; url: string }
        redemption: {
          quantity: number | null
          redeemed_quantity: number
          redeemed_amount?: number
          redeemed_points?: number
          object: 'list'
          url: string
        }
        object: 'voucher'
        applicable_to?: Schemas['CoveredEntries']
        inapplicable_to?: Schemas['CoveredEntries']
      } | null
      promotion_tier?: {
        id: string
        name: string
        banner?: string
        action?: { discount: Schemas['Discount'] }
        metadata: Record<string, unknown>
        hierarchy: number
        promotion_id: string
        campaign_id: string
        campaign: {
          id: string
          start_date: string | null
          expiration_date: string | null
          validity_timeframe?: { interval: string; duration: string }
          validity_day_of_week?: Array<number>
          validity_hours?: {
            daily: Array<{ start_time: string; expiration_time: string; days_of_week?: Array<number> }>
          }
          active: boolean
          category_id: string | null
          object: 'campaign'
        }
        active: boolean
        start_date?: string
        expiration_date?: string
        validity_timeframe?: { interval: string; duration: string }
        validity_day_of_week?: Array<number>
        validity_hours?: { daily: Array<{ start_time: string; expiration_time: string; days_of_week?: Array<number> }> }
        validation_rule_assignments: Schemas['ValidationRuleAssignmentList']
        category_id: string | null
        categories: Array<{
          id: string
          name: string
          hierarchy: number
          created_at: string
          updated_at?: string
          object: 'category'
          stacking_rules_type?: 'JOINT' | 'EXCLUSIVE'
        }>
        created_at: string
        updated_at?: string
        object: 'promotion_tier'
      }
      reward?: {
        id: string
        name: string
        type: 'CAMPAIGN' | 'COIN' | 'MATERIAL'
        parameters: Record<string, unknown>
        metadata: Record<string, unknown>
        customer?: Schemas['ClientCustomer'] | null
        assignment_id?: string | null
        loyalty_tier_id?: string | null
        voucher?: Record<string, unknown> | null
        product?: Record<string, unknown> | null
        sku?: Record<string, unknown> | null
        created_at: string
        updated_at: string | null
        object: 'reward'
      }
      object: 'redemption'
      status: 'SUCCEEDED' | 'FAILED' | 'ROLLED_BACK'
      amount?: number
      redemption?: string
      session?: { key: string }
      related_redemptions?: {
        rollbacks: Array<{ id: string; date: string; rollback_order_mode?: 'WITH_ORDER' | 'WITHOUT_ORDER' }>
        redemptions: Array<{ id: string; date: string }>
      }
      gift?: { amount: number }
      loyalty_card?: { points: number }
    }>
    parent_redemption?: {
      id: string
      date: string
      customer_id: string | null
      tracking_id: string | null
      metadata: Record<string, unknown> | null
      result: 'SUCCESS' | 'FAILURE'
      failure_code?: string
      failure_message?: string
      order: {
        id: string
        source_id: string | null
        amount?: number
        initial_amount?: number
        discount_amount?: number
        items_discount_amount?: number
        total_discount_amount?: number
        total_amount?: number
        applied_discount_amount?: number
        items_applied_discount_amount?: number
        total_applied_discount_amount?: number
        items: Array<Schemas['OrderItem']>
        metadata?: Record<string, unknown>
        customer?: { id: string; object: 'customer' }
        redemptions?: Record<
          string,
          {
            date?: string
            related_object_type?: string
            related_object_id?: string
            related_object_parent_id?: string
            stacked?: Array<string>
            rollback_id?: string
            rollback_date?: string
            rollback_stacked?: Array<string>
          }
        >
        object: 'order'
        status?: 'CREATED' | 'PAID' | 'CANCELED' | 'FULFILLED'
        customer_id?: string | null
        created_at?: string
        updated_at?: string | null
      } | null
      channel: { channel_id: string; channel_type: 'API' | 'AUTO_REDEEM' }
      customer: Schemas['ClientCustomer'] | null
      related_object_type: 'voucher' | 'promotion_tier' | 'redemption'
      related_object_id: string
      voucher: {
        id: string
        code: string
        campaign: string | null
        campaign_id: string | null
        category: string | null
        category_id: string | null
        categories: Array<{
          id: string
          name: string
          hierarchy: number
          created_at: string
          updated_at?: string
          object: 'category'
          stacking_rules_type?: 'JOINT' | 'EXCLUSIVE'
        }>
        type: 'DISCOUNT_VOUCHER' | 'GIFT_VOUCHER' | 'LOYALTY_CARD'
        discount: Schemas['Discount'] | null
        gift: Schemas['GiftCredits'] | null
        loyalty_card: Schemas['LoyaltyPoints'] | null
        start_date: string | null
        expiration_date: string | null
        validity_timeframe: { interval: string; duration: string } | null
        validity_day_of_week: Array<number> | null
        validity_hours: {
          daily: Array<{ start_time: string; expiration_time: string; days_of_week?: Array<number> }>
        } | null
        active: boolean
        additional_info: string | null
        metadata: Record<string, unknown>
        assets: { qr: { id: string; url: string }; barcode: { id: string; url: string } }
        is_referral_code: boolean
        created_at: string
        updated_at: string | null
        validation_rules_assignments?: Schemas['ValidationRuleAssignmentList']
        publish: { object: 'list'; count: number; url: string }
        redemption: {
          quantity: number | null
          redeemed_quantity: number
          redeemed_amount?: number
          redeemed_points?: number
          object: 'list'
          url: string
        }
        object: 'voucher'
        applicable_to?: Schemas['CoveredEntries']
        inapplicable_to?: Schemas['CoveredEntries']
      } | null
      promotion_tier?: {
        id: string
        name: string
        banner?: string
        action?: { discount: Schemas['Discount'] }
        metadata: Record<string, unknown>
        hierarchy: number
        promotion_id: string
        campaign_id: string
        campaign: {
          id: string
          start_date: string | null
          expiration_date: string | null
          validity_timeframe?: { interval: string; duration: string }
          validity_day_of_week?: Array<number>
          validity_hours?: {
            daily: Array<{ start_time: string; expiration_time: string; days_of_week?: Array<number> }>
          }
          active: boolean
          category_id: string | null
          object: 'campaign'
        }
        active: boolean
        start_date?: string
        expiration_date?: string
        validity_timeframe?: { interval: string; duration: string }
        validity_day_of_week?: Array<number>
        validity_hours?: { daily: Array<{ start_time: string; expiration_time: string; days_of_week?: Array<number> }> }
        validation_rule_assignments: Schemas['ValidationRuleAssignmentList']
        category_id: string | null
        categories: Array<{
          id: string
          name: string
          hierarchy: number
          created_at: string
          updated_at?: string
          object: 'category'
          stacking_rules_type?: 'JOINT' | 'EXCLUSIVE'
        }>
        created_at: string
        updated_at?: string
        object: 'promotion_tier'
      }
      reward?: {
        id: string
        name: string
        type: 'CAMPAIGN' | 'COIN' | 'MATERIAL'
        parameters: Record<string, unknown>
        metadata: Record<string, unknown>
        customer?: Schemas['ClientCustomer'] | null
        assignment_id?: string | null
        loyalty_tier_id?: string | null
        voucher?: Record<string, unknown> | null
        product?: Record<string, unknown> | null
        sku?: Record<string, unknown> | null
        created_at: string
        updated_at: string | null
        object: 'reward'
      }
      object: 'redemption'
      status: 'SUCCEEDED' | 'FAILED' | 'ROLLED_BACK'
      amount?: number
      redemption?: string
      session?: { key: string }
      related_redemptions?: {
        rollbacks: Array<{ id: string; date: string; rollback_order_mode?: 'WITH_ORDER' | 'WITHOUT_ORDER' }>
        redemptions: Array<{ id: string; date: string }>
      }
      gift?: { amount: number }
      loyalty_card?: { points: number }
    }
    order: {
      id: string
      source_id: string | null
      amount?: number
      initial_amount?: number
      discount_amount?: number
      items_discount_amount?: number
      total_discount_amount?: number
      total_amount?: number
      applied_discount_amount?: number
      items_applied_discount_amount?: number
      total_applied_discount_amount?: number
      items: Array<Schemas['OrderItem']>
      metadata?: Record<string, unknown>
      customer?: { id: string; object: 'customer' }
      redemptions?: Record<
        string,
        {
          date?: string
          related_object_type?: string
          related_object_id?: string
          related_object_parent_id?: string
          stacked?: Array<string>
          rollback_id?: string
          rollback_date?: string
          rollback_stacked?: Array<string>
        }
      >
      object: 'order'
      status?: 'CREATED' | 'PAID' | 'CANCELED' | 'FULFILLED'
      customer_id?: string | null
      created_at?: string
      updated_at?: string | null
    } | null
    inapplicable_redeemables: Array<{
      status: 'APPLICABLE' | 'INAPPLICABLE' | 'SKIPPED'
      id: string
      object: 'voucher' | 'promotion_tier' | 'promotion_stack'
      order?: {
        id?: string
        source_id?: string | null
        status?: 'CREATED' | 'PAID' | 'CANCELED' | 'FULFILLED'
        amount?: number
        initial_amount?: number
        discount_amount?: number
        items_discount_amount?: number
        total_discount_amount?: number
        total_amount?: number
        applied_discount_amount?: number
        items_applied_discount_amount?: number
        total_applied_discount_amount?: number
        items: Array<Schemas['CalculatedItem']>
        metadata?: Record<string, unknown>
        customer_id?: string | null
        customer?: { id: string; object: 'customer' }
        redemptions?: Record<
          string,
          {
            date?: string
            related_object_type?: string
            related_object_id?: string
            related_object_parent_id?: string
            stacked?: Array<string>
            rollback_id?: string
            rollback_date?: string
            rollback_stacked?: Array<string>
          }
        >
        created_at?: string
        updated_at?: string | null
        object: 'order'
      }
      applicable_to?: Schemas['CoveredEntries']
      inapplicable_to?: Schemas['CoveredEntries']
      result: {
        discount?: Schemas['AppliedDiscount']
        gift?: { balance: number; credits: number }
        loyalty_card?: { points: number }
        bundle?: Schemas['BundleResult']
        error?: Schemas['RefusalView']
        details?: { key: string; message: string }
      }
      metadata?: Record<string, unknown>
      categories?: Array<Schemas['CategoryInResult']>
      campaign_id?: string
      campaign_name?: string
      name?: string
    }>
    skipped_redeemables: Array<{
      status: 'APPLICABLE' | 'INAPPLICABLE' | 'SKIPPED'
      id: string
      object: 'voucher' | 'promotion_tier' | 'promotion_stack'
      order?: {
        id?: string
        source_id?: string | null
        status?: 'CREATED' | 'PAID' | 'CANCELED' | 'FULFILLED'
        amount?: number
        initial_amount?: number
        discount_amount?: number
        items_discount_amount?: number
        total_discount_amount?: number
        total_amount?: number
        applied_discount_amount?: number
        items_applied_discount_amount?: number
        total_applied_discount_amount?: number
        items: Array<Schemas['CalculatedItem']>
        metadata?: Record<string, unknown>
        customer_id?: string | null
        customer?: { id: string; object: 'customer' }
        redemptions?: Record<
          string,
          {
            date?: string
            related_object_type?: string
            related_object_id?: string
            related_object_parent_id?: string
            stacked?: Array<string>
            rollback_id?: string
            rollback_date?: string
            rollback_stacked?: Array<string>
          }
        >
        created_at?: string
        updated_at?: string | null
        object: 'order'
      }
      applicable_to?: Schemas['CoveredEntries']
      inapplicable_to?: Schemas['CoveredEntries']
      result: {
        discount?: Schemas['AppliedDiscount']
        gift?: { balance: number; credits: number }
        loyalty_card?: { points: number }
        bundle?: Schemas['BundleResult']
        error?: Schemas['RefusalView']
        details?: { key: string; message: string }
      }
      metadata?: Record<string, unknown>
      categories?: Array<Schemas['CategoryInResult']>
      campaign_id?: string
      campaign_name?: string
      name?: string
    }>
  }
  ClientTrackedEvent: {
    object: 'event'
    type: string
    customer: Schemas['ClientCustomer']
    referral: null
    loyalty: null
    metadata: Record<string, unknown>
  }
  ClientValidation: {
    id: string
    valid: boolean
    redeemables: Array<{
      status: 'APPLICABLE' | 'INAPPLICABLE' | 'SKIPPED'
      id: string
      object: 'voucher' | 'promotion_tier' | 'promotion_stack'
      order?: {
        id?: string
        source_id?: string | null
        status?: 'CREATED' | 'PAID' | 'CANCELED' | 'FULFILLED'
        amount?: number
        initial_amount?: number
        discount_amount?: number
        items_discount_amount?: number
        total_discount_amount?: number
        total_amount?: number
        applied_discount_amount?: number
        items_applied_discount_amount?: number
        total_applied_discount_amount?: number
        items: Array<Schemas['CalculatedItem']>
        metadata?: Record<string, unknown>
        customer_id?: string | null
        customer?: { id: string; object: 'customer' }
        redemptions?: Record<
          string,
          {
            date?: string
            related_object_type?: string
            related_object_id?: string
            related_object_parent_id?: string
            stacked?: Array<string>
            rollback_id?: string
            rollback_date?: string
            rollback_stacked?: Array<string>
          }
        >
        created_at?: string
        updated_at?: string | null
        object: 'order'
      }
      applicable_to?: Schemas['CoveredEntries']
      inapplicable_to?: Schemas['CoveredEntries']
      result: {
        discount?: Schemas['AppliedDiscount']
        gift?: { balance: number; credits: number }
        loyalty_card?: { points: number }
        bundle?: Schemas['BundleResult']
        error?: Schemas['RefusalView']
        details?: { key: string; message: string }
      }
      metadata?: Record<string, unknown>
      categories?: Array<Schemas['CategoryInResult']>
      campaign_id?: string
      campaign_name?: string
      name?: string
    }>
    skipped_redeemables?: Array<{
      status: 'APPLICABLE' | 'INAPPLICABLE' | 'SKIPPED'
      id: string
      object: 'voucher' | 'promotion_tier' | 'promotion_stack'
      order?: {
        id?: string
        source_id?: string | null
        status?: 'CREATED' | 'PAID' | 'CANCELED' | 'FULFILLED'
        amount?: number
        initial_amount?: number
        discount_amount?: number
        items_discount_amount?: number
        total_discount_amount?: number
        total_amount?: number
        applied_discount_amount?: number
        items_applied_discount_amount?: number
        total_applied_discount_amount?: number
        items: Array<Schemas['CalculatedItem']>
        metadata?: Record<string, unknown>
        customer_id?: string | null
        customer?: { id: string; object: 'customer' }
        redemptions?: Record<
          string,
          {
            date?: string
            related_object_type?: string
            related_object_id?: string
            related_object_parent_id?: string
            stacked?: Array<string>
            rollback_id?: string
            rollback_date?: string
            rollback_stacked?: Array<string>
          }
        >
        created_at?: string
        updated_at?: string | null
        object: 'order'
      }
      applicable_to?: Schemas['CoveredEntries']
      inapplicable_to?: Schemas['CoveredEntries']
      result: {
        discount?: Schemas['AppliedDiscount']
        gift?: { balance: number; credits: number }
        loyalty_card?: { points: number }
        bundle?: Schemas['BundleResult']
        error?: Schemas['RefusalView']
        details?: { key: string; message: string }
      }
      metadata?: Record<string, unknown>
      categories?: Array<Schemas['CategoryInResult']>
      campaign_id?: string
      campaign_name?: string
      name?: string
    }>
    inapplicable_redeemables?: Array<{
      status: 'APPLICABLE' | 'INAPPLICABLE' | 'SKIPPED'
      id: string
      object: 'voucher' | 'promotion_tier' | 'promotion_stack'
      order?: {
        id?: string
        source_id?: string | null
        status?: 'CREATED' | 'PAID' | 'CANCELED' | 'FULFILLED'
        amount?: number
        initial_amount?: number
        discount_amount?: number
        items_discount_amount?: number
        total_discount_amount?: number
        total_amount?: number
        applied_discount_amount?: number
        items_applied_discount_amount?: number
        total_applied_discount_amount?: number
        items: Array<Schemas['CalculatedItem']>
        metadata?: Record<string, unknown>
        customer_id?: string | null
        customer?: { id: string; object: 'customer' }
        redemptions?: Record<
          string,
          {
            date?: string
            related_object_type?: string
            related_object_id?: string
            related_object_parent_id?: string
            stacked?: Array<string>
            rollback_id?: string
            rollback_date?: string
            rollback_stacked?: Array<string>
          }
        >
        created_at?: string
        updated_at?: string | null
        object: 'order'
      }
      applicable_to?: Schemas['CoveredEntries']
      inapplicable_to?: Schemas['CoveredEntries']
      result: {
        discount?: Schemas['AppliedDiscount']
        gift?: { balance: number; credits: number }
        loyalty_card?: { points: number }
        bundle?: Schemas['BundleResult']
        error?: Schemas['RefusalView']
        details?: { key: string; message: string }
      }
      metadata?: Record<string, unknown>
      categories?: Array<Schemas['CategoryInResult']>
      campaign_id?: string
      campaign_name?: string
      name?: string
    }>
    order?: {
      id?: string
      source_id?: string | null
      status?: 'CREATED' | 'PAID' | 'CANCELED' | 'FULFILLED'
      amount?: number
      initial_amount?: number
      discount_amount?: number
      items_discount_amount?: number
      total_discount_amount?: number
      total_amount?: number
      applied_discount_amount?: number
      items_applied_discount_amount?: number
      total_applied_discount_amount?: number
      items: Array<Schemas['CalculatedItem']>
      metadata?: Record<string, unknown>
      customer_id?: string | null
      customer?: { id: string; object: 'customer' }
      redemptions?: Record<
        string,
        {
          date?: string
          related_object_type?: string
          related_object_id?: string
          related_object_parent_id?: string
          stacked?: Array<string>
          rollback_id?: string
          rollback_date?: string
          rollback_stacked?: Array<string>
        }
      >
      created_at?: string
      updated_at?: string | null
      object: 'order'
    }
    tracking_id?: string
    session?: Schemas['SessionView']
    stacking_rules: Schemas['StackingRulesView']
  }
  ClientVoucher: {
    code: string
    start_date: string | null
    expiration_date: string | null
    active: boolean
    metadata: Record<string, unknown>
    assets: { qr: { id: string; url: string }; barcode: { id: string; url: string } }
    created_at: string
    object: 'voucher'
  }
  ClientVoucherList: { object: 'list'; data_ref: 'vouchers'; vouchers: Array<Schemas['ClientVoucher']>; total: number }
  ClientVoucherValidation: {
    valid: boolean
    code: string
    applicable_to?: Schemas['CoveredEntries']
    inapplicable_to?: Schemas['CoveredEntries']
    tracking_id?: string
    session?: Schemas['SessionView']
    order?: {
      id?: string
      source_id?: string | null
      status?: 'CREATED' | 'PAID' | 'CANCELED' | 'FULFILLED'
      amount?: number
      initial_amount?: number
      discount_amount?: number
      items_discount_amount?: number
      total_discount_amount?: number
      total_amount?: number
      applied_discount_amount?: number
      items_applied_discount_amount?: number
      total_applied_discount_amount?: number
      items: Array<Schemas['CalculatedItem']>
      metadata?: Record<string, unknown>
      customer_id?: string | null
      customer?: { id: string; object: 'customer' }
      redemptions?: Record<
        string,
        {
          date?: string
          related_object_type?: string
          related_object_id?: string
          related_object_parent_id?: string
          stacked?: Array<string>
          rollback_id?: string
          rollback_date?: string
          rollback_stacked?: Array<string>
        }
      >
      created_at?: string
      updated_at?: string | null
      object: 'order'
    }
    discount?: Schemas['AppliedDiscount']
    gift?: { amount: number; balance: number; effect: 'APPLY_TO_ORDER' | 'APPLY_TO_ITEMS' }
    loyalty?: { points_cost: number }
    reward?: { id: string; assignment_id?: string; points: number }
    start_date?: string
    expiration_date?: string
    metadata: Record<string, unknown>
    campaign?: string
    campaign_id?: string
    categories?: Array<Schemas['CategoryInResult']>
    reason?: string
    error?: Schemas['RefusalView']
  }
  CodeConfigBody: {
    length?: number
    charset?: string
    prefix?: string
    postfix?: string
    pattern?: string
    [other: string]: unknown
  }
  CoinReward: { coin: { exchange_ratio: number; points_ratio: number } }
  CollectionMember: { id: string; object: 'product' | 'sku'; product_id?: string }
  CollectionProduct: Schemas['Product'] | Schemas['CollectionSku']
  CollectionProductList: { object: 'list'; data_ref: 'data'; data: Array<Schemas['CollectionProduct']>; total: number }
  CollectionSku: {
    id: string
    source_id: string | null
    product_id: string
    sku: string | null
    price: number | null
    currency: string | null
    attributes: Record<string, unknown>
    image_url: string | null
    metadata: Record<string, unknown>
    created_at: string
    updated_at: string | null
    object: 'sku'
    product: {
      id: string
      source_id: string | null
      name: string | null
      price: number | null
      attributes: Array<string>
      metadata: Record<string, unknown>
      object: 'product'
    }
  }
  CompletedRewardRedemption: {
    id: string
    state: 'CREATED' | 'PENDING' | 'COMPLETED' | 'ROLLEDBACK'
    created_at: string
    updated_at: string | null
    voucher_id: string
    campaign_id: string
    customer_id: string
    reward_assignment_id: string
    source_id: string | null
    source_type: string | null
  }
  Consent: {
    id: string
    name: string
    description: string
    category: string
    created_at: string
    updated_at: string | null
    object: 'consent'
  }
  ConsentDecisions: { unsubscribed?: boolean; [other: string]: unknown }
  ConsentGroup: {
    id: string
    name: string
    description: string
    consents: Array<string>
    created_at: string
    updated_at: string | null
    object: 'consent_group'
  }
  ConsentGroupList: { object: 'list'; data_ref: 'data'; data: Array<Schemas['ConsentGroup']>; total: number }
  ConsentList: { object: 'list'; data_ref: 'data'; data: Array<Schemas['Consent']>; total: number }
  ConsentsAndGroups: { groups: Schemas['ConsentGroupList']; consents: Schemas['ConsentList'] }
  CopyCampaignTemplate: { name: string; description?: string | null; destination_project_id: string }
  CountedActivityList: {
    object: 'list'
    data_ref: 'data'
    data: Array<Schemas['Activity']>
    total: number
    has_more: boolean
    more_starting_after?: string
  }
  CoveredEntries: { data: Array<Schemas['CoveredEntry']>; total: number; data_ref: 'data'; object: 'list' }
  CoveredEntry: {
    object: 'product' | 'sku' | 'products_collection'
    id?: string | null
    source_id?: string | null
    product_id?: string | null
    product_source_id?: string | null
    strict?: boolean | null
    effect?:
      | 'APPLY_TO_EVERY'
      | 'APPLY_TO_CHEAPEST'
      | 'APPLY_FROM_CHEAPEST'
      | 'APPLY_TO_MOST_EXPENSIVE'
      | 'APPLY_FROM_MOST_EXPENSIVE'
      | null
    target?: 'ITEM' | 'UNIT' | null
    skip_initially?: number | null
    repeat?: number | null
    price?: number | null
    price_formula?: string | null
    quantity_limit?: number | null
    aggregated_quantity_limit?: number | null
    amount_limit?: number | null
    aggregated_amount_limit?: number | null
    product_campaign_quantity_limit?: number | null
    product_campaign_quantity_limit_formula?: string | null
    product_customer_campaign_quantity_limit?: number | null
    product_customer_campaign_quantity_limit_formula?: string | null
    product_promotion_tier_quantity_limit?: number | null
    product_promotion_tier_quantity_limit_formula?: string | null
    product_customer_promotion_tier_quantity_limit?: number | null
    product_customer_promotion_tier_quantity_limit_formula?: string | null
    product_in_collection_campaign_quantity_limit?: number | null
    product_in_collection_campaign_quantity_limit_formula?: string | null
    product_in_collection_customer_campaign_quantity_limit?: number | null
    product_in_collection_customer_campaign_quantity_limit_formula?: string | null
    product_in_collection_promotion_tier_quantity_limit?: number | null
    product_in_collection_promotion_tier_quantity_limit_formula?: string | null
    product_in_collection_customer_promotion_tier_quantity_limit?: number | null
    product_in_collection_customer_promotion_tier_quantity_limit_formula?: string | null
    order_item_indices?: Array<number>
    order_item_units?: Array<{ index: number; units?: Array<number>; units_limit_exceeded?: true }>
  }
  CreateApiKey: {
    name: string
    kind?: 'server' | 'integration' | 'client'
    role?: string
    ip_whitelist?: Array<string>
  }
  CreateBranding: {
    brand: {
      name: string
      privacy_policy_url?: string | null
      terms_of_use_url?: string | null
      permission_reminder?: string | null
      website_url?: string | null
    }
    address: { street: string; city: string; postal: string | null; state?: string | null; country: string }
    contact: { email: string; phone?: string | null }
  }
  CreateCampaign: {
    name: string
    campaign_type?: 'DISCOUNT_COUPONS' | 'GIFT_VOUCHERS' | 'LOYALTY_PROGRAM' | 'REFERRAL_PROGRAM' | 'PROMOTION' | null
    type?: 'AUTO_UPDATE' | 'STATIC' | 'STANDALONE' | null
    description?: string | null
    join_once?: boolean | null
    auto_join?: boolean | null
    start_date?: string | null
    expiration_date?: string | null
    validity_timeframe?: { interval?: string; duration?: string } | null
    validity_day_of_week?: Array<number> | null
    validity_hours?: {
      daily: Array<{ start_time: string; expiration_time: string; days_of_week?: Array<number> }>
    } | null
    activity_duration_after_publishing?: string | null
    category?: string | null
    category_id?: string | null
    metadata?: Record<string, unknown> | null
    use_voucher_metadata_schema?: boolean | null
    voucher?: Schemas['CampaignVoucherBody'] | null
    referral_program?: Schemas['ReferralProgramBody'] | null
    promotion?: { tiers?: Array<Schemas['PromotionTierBody']> | null } | null
    loyalty_tiers_expiration?: Schemas['TierExpiration'] | null
    vouchers_count?: number | null
    validation_rules?: Array<string> | null
  }
  CreateCampaignFromTemplate: {
    name: string
    type?: 'AUTO_UPDATE' | 'STATIC' | 'STANDALONE' | null
    description?: string | null
    join_once?: boolean | null
    auto_join?: boolean | null
    start_date?: string | null
    expiration_date?: string | null
    validity_timeframe?: { interval?: string; duration?: string } | null
    validity_day_of_week?: Array<number> | null
    validity_hours?: {
      daily: Array<{ start_time: string; expiration_time: string; days_of_week?: Array<number> }>
    } | null
    activity_duration_after_publishing?: string | null
    category?: string | null
    category_id?: string | null
    metadata?: Record<string, unknown> | null
    use_voucher_metadata_schema?: boolean | null
    vouchers_count?: number | null
    voucher?: {
      code_config?: Schemas['CodeConfigBody'] | null
      redemption?: Schemas['RedemptionLimit'] | null
      code?: string | null
    } | null
  }
  CreateCampaignTemplate: {
    name: string
    description?: string | null
    campaign_id?: string | null
    promotion_tier_id?: string | null
  }
  CreateCampaignTransactionExport: {
    parameters?: {
      order?: '-created_at' | 'created_at' | null
      fields?: Array<string> | null
      filters?: Record<string, unknown> | null
    } | null
  }
  CreateConsent: { name: string; description?: string; category?: string }
  CreateConsentGroup: { name: string; description?: string; consents?: Array<string> }
  CreateCustomEventSchema: { name: string; schema: { properties: Record<string, Schemas['CustomEventProperty']> } }
  CreateEarningRule: {
    event: string
    loyalty: Schemas['EarningPointsBody']
    segment?: { id?: string | null } | null
    custom_event?: { schema_id?: string | null } | null
    loyalty_tier?: { id?: string | null } | null
    validation_rule_id?: string | null
    source?: { banner?: string | null } | null
    active?: boolean | null
    pending_points?: { period_type: 'DAY'; period_value: number | string } | null
    expiration_rules?:
      | (
          | {
              period_type: 'MONTH'
              period_value: number | string
              rounding_type?:
                | 'END_OF_MONTH'
                | 'END_OF_QUARTER'
                | 'END_OF_HALF_YEAR'
                | 'END_OF_YEAR'
                | 'PARTICULAR_MONTH'
                | null
              rounding_value?: number | null | string
            }
          | { period_type: 'FIXED_DAY_OF_YEAR'; fixed_month: number | string; fixed_day: number | string }
        )
      | null
    start_date?: string | null
    expiration_date?: string | null
    validity_timeframe?: { interval?: string; duration?: string } | null
    validity_day_of_week?: Array<number | string> | null
    validity_hours?: {
      daily: Array<{ start_time: string; expiration_time: string; days_of_week?: Array<number | string> }>
    } | null
    metadata?: Record<string, unknown> | null
  }
  CreateEarningRules: Array<Schemas['CreateEarningRule']>
  CreateExport:
    | { exported_object: 'order'; parameters?: Schemas['OrderExportParameters'] | null }
    | { exported_object: 'customer'; parameters?: Schemas['CustomerExportParameters'] | null }
    | { exported_object: 'product'; parameters?: Schemas['ProductExportParameters'] | null }
    | { exported_object: 'sku'; parameters?: Schemas['SkuExportParameters'] | null }
    | { exported_object: 'voucher'; parameters?: Schemas['VoucherExportParameters'] | null }
    | { exported_object: 'redemption'; parameters?: Schemas['RedemptionExportParameters'] | null }
    | { exported_object: 'publication'; parameters?: Schemas['PublicationExportParameters'] | null }
    | { exported_object: 'voucher_transactions'; parameters?: Schemas['TransactionExportParameters'] | null }
    | { exported_object: 'points_expiration'; parameters?: Schemas['PointsExpirationExportParameters'] | null }
  CreateLocation: { name: string; shape: Schemas['Shape'] }
  CreateLoyaltyMember: {
    voucher?: string | null
    customer: string | Schemas['CustomerBody']
    source_id?: string | null
    metadata?: Record<string, unknown> | null
    channel?: string | null
  }
  CreateLoyaltyProgram: {
    name: string
    campaign_type?: 'LOYALTY_PROGRAM' | null
    type?: 'AUTO_UPDATE' | 'STATIC' | 'STANDALONE' | null
    voucher?: {
      type: 'DISCOUNT_VOUCHER' | 'GIFT_VOUCHER' | 'LOYALTY_CARD'
      redemption?: { quantity?: number | null | string } | null
      code_config?: {
        length?: number | string
        charset?: string
        prefix?: string
        postfix?: string
        pattern?: string
        [other: string]: unknown
      } | null
      loyalty_card?: {
        points: number | string
        expiration_rules?:
          | (
              | {
                  period_type: 'MONTH'
                  period_value: number | string
                  rounding_type?:
                    | 'END_OF_MONTH'
                    | 'END_OF_QUARTER'
                    | 'END_OF_HALF_YEAR'
                    | 'END_OF_YEAR'
                    | 'PARTICULAR_MONTH'
                    | null
                  rounding_value?: number | null | string
                }
              | { period_type: 'FIXED_DAY_OF_YEAR'; fixed_month: number | string; fixed_day: number | string }
            )
          | null
      } | null
    } | null
    vouchers_count?: number | null | string
    description?: string | null
    auto_join?: boolean | null
    use_voucher_metadata_schema?: boolean | null
    start_date?: string | null
    expiration_date?: string | null
    validity_timeframe?: { interval?: string; duration?: string } | null
    validity_day_of_week?: Array<number | string> | null
    validity_hours?: {
      daily: Array<{ start_time: string; expiration_time: string; days_of_week?: Array<number | string> }>
    } | null
    activity_duration_after_publishing?: string | null
    category?: string | null
    category_id?: string | null
    metadata?: Record<string, unknown> | null
    loyalty_tiers_expiration?:
      | (
          | {
              qualification_type: 'BALANCE'
              start_date?: { type: 'IMMEDIATE' } | null
              expiration_date:
                | { type: 'BALANCE_DROP' }
                | {
                    type: 'CUSTOM'
                    extend: string
                    rounding?:
                      | (
                          | { type: 'MONTH' | 'QUARTER' | 'HALF_YEAR' | 'YEAR'; strategy?: 'START' | 'END' | null }
                          | { type: 'CUSTOM'; strategy?: 'START' | 'END' | null; unit: 'MONTH'; value: number | string }
                        )
                      | null
                  }
            }
          | {
              qualification_type: 'POINTS_IN_PERIOD'
              qualification_period: 'MONTH' | 'QUARTER' | 'HALF_YEAR' | 'YEAR'
              start_date: { type: 'IMMEDIATE' | 'NEXT_PERIOD' }
              expiration_date: { type: 'END_OF_PERIOD' | 'END_OF_NEXT_PERIOD'; extend?: string | null }
            }
        )
      | null
  }
  CreateLoyaltyTier: {
    name: string
    points: { from?: number | null | string; to?: number | null | string }
    earning_rules?: Record<
      string,
      { type: 'MULTIPLY'; multiplier: number | string } | { type: 'CUSTOM'; points: number | string }
    > | null
    rewards?: Record<
      string,
      | { type: 'MULTIPLY'; multiplier: number | string }
      | { type: 'CUSTOM'; points: number | string }
      | { type: 'NOT_AVAILABLE' }
    > | null
    metadata?: Record<string, unknown> | null
  }
  CreateLoyaltyTiers: Array<Schemas['CreateLoyaltyTier']>
  CreateManagedMetadataSchema: {
    related_object: string
    allow_defined_only?: boolean | null
    properties: Record<string, Schemas['ManagedMetadataDefinition']>
  }
  CreateMetadataSchema: {
    related_object: string
    allow_defined_only?: boolean | null
    properties: Record<
      string,
      {
        type: 'string' | 'number' | 'boolean' | 'date' | 'datetime' | 'geopoint' | 'image_url' | 'object'
        array: boolean
        optional: boolean
        objectType?: string | null
        minLength?: number | null
        maxLength?: number | null
        exactLength?: number | null
        object_type?: string | null
        min_length?: number | null
        max_length?: number | null
        exact_length?: number | null
        eq?: Array<string | number> | null
        ne?: Array<number> | null
        lt?: number | null
        lte?: number | null
        gt?: number | null
        gte?: number | null
        deleted?: boolean | null
      }
    >
  }
  CreateOrder: {
    id?: string | number | null
    source_id?: string | number | null
    status?: 'CREATED' | 'PAID' | 'CANCELED' | 'FULFILLED' | null
    amount?: number | string | null
    initial_amount?: number | string | null
    discount_amount?: number | string | null
    items?: Array<Schemas['OrderItemBody']> | null
    metadata?: Record<string, unknown> | null
    customer?: Schemas['CustomerBody'] | null
    referrer?: Schemas['CustomerBody'] | null
    referrer_id?: string | null
    created_at?: string | null
  }
  CreateOrderExport: { parameters?: Schemas['OrderExportParameters'] | null }
  CreateProduct: {
    id?: string | null
    source_id?: string | null
    name?: string | null
    price?: number | null | string
    attributes?: Array<string> | null
    metadata?: Record<string, unknown> | null
    image_url?: string | null
  }
  CreateProductCollection:
    | {
        type: 'STATIC'
        name: string
        products?: Array<{ id: string; object: 'product' | 'sku'; product_id?: string | null }> | null
      }
    | { type: 'AUTO_UPDATE'; name: string; filter?: Record<string, unknown> | null }
  CreateProject: {
    name: string
    description?: string
    timezone: string
    currency: string
    dial_code?: string | null
    webhook_version?: 'v2024-01-01'
    client_trusted_domains?: Array<string>
    client_redeem_enabled?: boolean
    client_publish_enabled?: boolean
    client_list_vouchers_enabled?: boolean
    client_create_customer_enabled?: boolean
    client_loyalty_events_enabled?: boolean
    client_set_voucher_expiration_date_enabled?: boolean
    client_identity?: 'proven' | 'claimed'
    client_public_campaigns?: Array<string>
    client_public_codes?: Array<string>
    webhooks_callout_notifications?: {
      distributions?: { email: boolean; in_app: boolean; emails: Array<string> }
      webhooks?: { email: boolean; in_app: boolean; emails: Array<string> }
    }
    api_usage_notifications?: {
      messages?: { enabled: boolean; value: number; in_app: boolean; emails: Array<string> }
      api_calls?: { enabled: boolean; value: number; in_app: boolean; emails: Array<string> }
      bulk_api_calls?: { enabled: boolean; value: number; in_app: boolean; emails: Array<string> }
      webhook_calls?: { enabled: boolean; value: number; in_app: boolean; emails: Array<string> }
      cycle_calls?: { enabled: boolean; value: number; in_app: boolean; emails: Array<string> }
    }
    case_sensitive_codes: boolean
    cluster_id?: string
    api_version?: 'v2018-08-01'
    users?: Array<{ id?: string; login?: string; role: string }>
  }
  CreatePublication: {
    voucher?: string | null
    campaign?: (string | { name: string; count?: number | null }) | null
    customer: string | Schemas['CustomerBody']
    source_id?: string | null
    metadata?: Record<string, unknown> | null
    channel?: string | null
  }
  CreateReferralTier: {
    banner?: string | null
    parameters:
      | { criteria: 'EACH_REFEREE'; segment?: { id: string } | null }
      | { criteria: 'MIN_REFEREES'; min_referees: number | string; segment?: { id: string } | null }
    reward: { id: string }
  }
  CreateReward: {
    name: string
    type?: 'CAMPAIGN' | 'COIN' | 'MATERIAL' | null
    parameters?: {
      campaign?: { id: string; balance?: number | null | string } | null
      coin?: { exchange_ratio: number | string; points_ratio?: number | null | string } | null
      product?: { id: string; sku_id?: string | null } | null
    } | null
    stock?: number | null | string
    attributes?: { image_url?: string | null; description?: string | null } | null
    metadata?: Record<string, unknown> | null
  }
  CreateRewardAssignment: {
    campaign: string
    parameters?: { loyalty?: { points?: number | null | string; auto_redeem?: boolean | null } | null } | null
    validation_rules?: Array<string> | null
  }
  CreateSegment: {
    name: string
    type?: 'auto-update' | 'passive' | 'static'
    filter?: Record<string, unknown> | null
    customers?: Array<string>
  }
  CreateSku: {
    id?: string | null
    source_id?: string | null
    sku?: string | null
    price?: number | null | string
    currency?: string | null
    attributes?: Record<string, unknown> | null
    image_url?: string | null
    metadata?: Record<string, unknown> | null
  }
  CreateTransactionExport: {
    parameters?: { order?: '-created_at' | 'created_at' | null; fields?: Array<string> | null } | null
  }
  CreateVoucher: {
    code?: string | null
    code_config?: Schemas['CodeConfigBody'] | null
    type: 'DISCOUNT_VOUCHER' | 'GIFT_VOUCHER' | 'LOYALTY_CARD'
    discount?: Record<string, unknown> | null
    gift?: Record<string, unknown> | null
    loyalty_card?: Record<string, unknown> | null
    campaign?: string | null
    campaign_id?: string | null
    start_date?: string | null
    expiration_date?: string | null
    validity_timeframe?: { interval?: string; duration?: string } | null
    validity_day_of_week?: Array<number> | null
    validity_hours?: {
      daily: Array<{ start_time: string; expiration_time: string; days_of_week?: Array<number> }>
    } | null
    category?: string | null
    category_id?: string | null
    active?: boolean | null
    additional_info?: string | null
    metadata?: Record<string, unknown>
    redemption?: Schemas['RedemptionLimit'] | null
    validation_rules?: Array<string> | null
  }
  CreateVoucherWithCode: {
    type?: 'DISCOUNT_VOUCHER' | 'GIFT_VOUCHER' | 'LOYALTY_CARD' | null
    discount?: Record<string, unknown> | null
    gift?: Record<string, unknown> | null
    loyalty_card?: Record<string, unknown> | null
    campaign?: string | null
    campaign_id?: string | null
    start_date?: string | null
    expiration_date?: string | null
    validity_timeframe?: { interval?: string; duration?: string } | null
    validity_day_of_week?: Array<number> | null
    validity_hours?: {
      daily: Array<{ start_time: string; expiration_time: string; days_of_week?: Array<number> }>
    } | null
    category?: string | null
    category_id?: string | null
    active?: boolean | null
    additional_info?: string | null
    metadata?: Record<string, unknown>
    redemption?: Schemas['RedemptionLimit'] | null
    validation_rules?: Array<string> | null
  }
  CreateWebhook: {
    target_url: string
    events: Array<
      | 'redemption.succeeded'
      | 'redemption.failed'
      | 'redemption.rollback.succeeded'
      | 'redemption.rollback.failed'
      | 'publication.succeeded'
      | 'voucher.created'
      | 'voucher.updated'
      | 'voucher.enabled'
      | 'voucher.disabled'
      | 'voucher.deleted'
      | 'voucher.published'
      | 'voucher.gift.balance_added'
      | 'voucher.gift.transaction.created'
      | 'voucher.loyalty_card.points_added'
      | 'voucher.loyalty_card.points_expired'
      | 'voucher.loyalty_card.pending_points.added'
      | 'voucher.loyalty_card.pending_points.updated'
      | 'voucher.loyalty_card.pending_points.canceled'
      | 'voucher.loyalty_card.pending_points.activated'
      | 'voucher.loyalty_card.transaction.created'
      | 'campaign.created'
      | 'campaign.updated'
      | 'campaign.enabled'
      | 'campaign.disabled'
      | 'campaign.deleted'
      | 'campaign.vouchers.generation.started'
      | 'campaign.vouchers.generation.completed'
      | 'campaign.vouchers.generation.failed'
      | 'campaign.vouchers.added'
      | 'campaign.promotion_tier.created'
      | 'campaign.promotion_tier.updated'
      | 'campaign.promotion_tier.enabled'
      | 'campaign.promotion_tier.disabled'
      | 'campaign.promotion_tier.deleted'
      | 'campaign.promotion_stack.created'
      | 'campaign.promotion_stack.updated'
      | 'campaign.promotion_stack.deleted'
      | 'campaign.loyalty_tier.created'
      | 'campaign.loyalty_tier.updated'
      | 'campaign.loyalty_tier.deleted'
      | 'campaign.earning_rule.assigned'
      | 'campaign.earning_rule.updated'
      | 'campaign.earning_rule.enabled'
      | 'campaign.earning_rule.disabled'
      | 'campaign.earning_rule.deleted'
      | 'campaign.reward.assignment.created'
      | 'campaign.reward.assignment.updated'
      | 'campaign.reward.assignment.deleted'
      | 'campaign.referral_tier.created'
      | 'campaign.referral_tier.updated'
      | 'campaign.referral_tier.deleted'
      | 'business_validation_rule.created'
      | 'business_validation_rule.updated'
      | 'business_validation_rule.deleted'
      | 'business_validation_rule.assignment.created'
      | 'business_validation_rule.assignment.deleted'
      | 'customer.created'
      | 'customer.updated'
      | 'customer.deleted'
      | 'customer.confirmed'
      | 'customer.rewarded'
      | 'customer.rewarded.loyalty_points'
      | 'customer.reward_redemptions.created'
      | 'customer.reward_redemptions.pending'
      | 'customer.reward_redemptions.rolledback'
      | 'customer.reward_redemptions.completed'
      | 'customer.holder.assignment.created'
      | 'customer.holder.assignment.deleted'
      | 'campaign.vouchers.aded'
      | 'voucher.gift.balance_aded'
      | 'voucher.loyalty_card.points_aded'
      | 'voucher.loyalty_card.pending_points.aded'
    >
    active?: boolean
  }
  CreatedProject: {
    id: string
    name: string
    description: string
    timezone: string
    currency: string
    dial_code: string | null
    webhook_version: 'v2024-01-01'
    client_trusted_domains: Array<string>
    client_redeem_enabled: boolean
    client_publish_enabled: boolean
    client_list_vouchers_enabled: boolean
    client_create_customer_enabled: boolean
    client_loyalty_events_enabled: boolean
    client_set_voucher_expiration_date_enabled: boolean
    client_identity: 'proven' | 'claimed'
    client_public_campaigns: Array<string>
    client_public_codes: Array<string>
    webhooks_callout_notifications: {
      distributions: { email: boolean; in_app: boolean; emails: Array<string> }
      webhooks: { email: boolean; in_app: boolean; emails: Array<string> }
    }
    api_usage_notifications: {
      messages: { enabled: boolean; value: number; in_app: boolean; emails: Array<string> }
      api_calls: { enabled: boolean; value: number; in_app: boolean; emails: Array<string> }
      bulk_api_calls: { enabled: boolean; value: number; in_app: boolean; emails: Array<string> }
      webhook_calls: { enabled: boolean; value: number; in_app: boolean; emails: Array<string> }
      cycle_calls: { enabled: boolean; value: number; in_app: boolean; emails: Array<string> }
      redemptions: { enabled: boolean; value: number; in_app: boolean; emails: Array<string> }
    }
    cluster_id: string
    case_sensitive_codes: boolean
    api_version: 'v2018-08-01'
    is_sandbox: boolean
    webhook_token: string
    default_code_config?: { charset: string }
    limits?: Schemas['ProjectLimits']
    server_side_key: { app_id: string; app_token?: string }
    client_side_key: { app_id: string; app_token?: string }
  }
  CreatedResource: {
    id: string
    object: 'validation_rules' | 'product' | 'sku' | 'products_collection' | 'segments' | 'location'
  }
  CsvFile: { file: string }
  CustomEventProperty: {
    type: 'string' | 'number' | 'date' | 'datetime' | 'boolean'
    optional: boolean
    deleted?: boolean
  }
  CustomEventSchema: {
    id: string
    name: string
    schema: { properties: Record<string, Schemas['CustomEventProperty']> }
    created_at: string
    updated_at?: string
    object: 'custom-event-schema'
  }
  CustomEventSchemaList: { object: 'list'; data_ref: 'data'; data: Array<Schemas['CustomEventSchema']>; total: number }
  CustomMessage: { message: string }
  Customer: {
    id: string
    source_id: string | null
    name?: string
    description?: string
    email?: string
    phone?: string
    birthdate?: string
    birthday?: string
    address: {
      city?: string | null
      state?: string | null
      line_1?: string | null
      line_2?: string | null
      country?: string | null
      postal_code?: string | null
    } | null
    summary: Schemas['CustomerSummary']
    loyalty: {
      points: number
      referred_customers: number
      campaigns: Record<string, { points: number; loyalty_tier?: string; referred_customers: number }>
    }
    referrals: {
      total: number
      campaigns: Array<{
        campaign_id: string
        referrer_id: string
        related_object_id: string
        related_object_type: string
        date: string
      }>
    }
    metadata?: Record<string, unknown>
    system_metadata: Record<string, unknown>
    created_at: string
    updated_at?: string
    object: 'customer'
  }
  CustomerBody: {
    id?: string | null
    source_id?: string | null
    name?: string | null
    description?: string | null
    email?: string | null
    phone?: string | null
    birthdate?: string | null
    birthday?: string | null
    address?: {
      city?: string | null
      state?: string | null
      line_1?: string | null
      line_2?: string | null
      country?: string | null
      postal_code?: string | null
    } | null
    metadata?: Record<string, unknown> | null
  }
  CustomerConsent: {
    id: string
    name: string
    given: boolean
    decisions: Array<{
      given: boolean
      decided_at: string
      channel: string
      app_id: string | null
      request_id: string
      is_proven: boolean
      name: string | null
      description: string | null
    }>
    deleted_at: string | null
    object: 'customer_consent'
  }
  CustomerConsentList: { object: 'list'; data_ref: 'data'; data: Array<Schemas['CustomerConsent']>; total: number }
  CustomerExportParameters: {
    order?:
      | '-created_at'
      | 'created_at'
      | '-name'
      | 'name'
      | '-id'
      | 'id'
      | '-email'
      | 'email'
      | '-source_id'
      | 'source_id'
      | '-updated_at'
      | 'updated_at'
      | null
    fields?: Array<string> | null
    filters?: Record<string, unknown> | null
  }
  CustomerList: {
    object: 'list'
    data_ref: 'customers'
    customers: Array<Schemas['Customer']>
    total: number
    has_more: boolean
    more_starting_after?: string
  }
  CustomerProfile: {
    name?: string | null
    description?: string | null
    email?: string | null
    phone?: string | null
    birthdate?: string | null
    birthday?: string | null
    address?: {
      city?: string | null
      state?: string | null
      line_1?: string | null
      line_2?: string | null
      country?: string | null
      postal_code?: string | null
    } | null
    metadata?: Record<string, unknown> | null
  }
  CustomerRedeemable: {
    id: string
    created_at: string
    redeemable_id: string
    redeemable_object: 'voucher'
    customer_id: string
    holder_role: 'OWNER' | 'REFERRER' | 'REFEREE'
    campaign_id: string | null
    campaign_type: 'DISCOUNT_COUPONS' | 'GIFT_VOUCHERS' | 'LOYALTY_PROGRAM' | 'REFERRAL_PROGRAM' | 'PROMOTION' | null
    voucher_type: 'DISCOUNT_VOUCHER' | 'GIFT_VOUCHER' | 'LOYALTY_CARD'
    redeemable: {
      type: 'voucher'
      voucher: Schemas['Voucher']
      status: 'ACTIVE' | 'USED' | 'DISABLED' | 'NOT_ACTIVE_YET' | 'EXPIRED' | 'NO_BALANCE'
    }
  }
  CustomerRedeemableList: {
    object: 'list'
    data_ref: 'data'
    data: Array<Schemas['CustomerRedeemable']>
    total: number
    has_more: boolean
    more_starting_after?: string
  }
  CustomerSegmentList: { object: 'list'; data_ref: 'data'; data: Array<Schemas['SegmentReference']>; total: number }
  CustomerSummary: {
    redemptions: {
      total_redeemed: number
      total_failed: number
      total_succeeded: number
      total_rolled_back: number
      total_rollback_failed: number
      total_rollback_succeeded: number
      gift: { redeemed_amount: number; amount_to_go: number }
      loyalty_card: { redeemed_points: number; points_to_go: number }
    }
    orders: {
      total_amount: number
      total_count: number
      average_amount: number
      last_order_amount: number
      last_order_date?: string
    }
  }
  CustomerWithAssets: {
    id: string
    source_id: string | null
    name?: string
    description?: string
    email?: string
    phone?: string
    birthdate?: string
    birthday?: string
    address: {
      city?: string | null
      state?: string | null
      line_1?: string | null
      line_2?: string | null
      country?: string | null
      postal_code?: string | null
    } | null
    summary: Schemas['CustomerSummary']
    loyalty: {
      points: number
      referred_customers: number
      campaigns: Record<string, { points: number; loyalty_tier?: string; referred_customers: number }>
    }
    referrals: {
      total: number
      campaigns: Array<{
        campaign_id: string
        referrer_id: string
        related_object_id: string
        related_object_type: string
        date: string
      }>
    }
    metadata?: Record<string, unknown>
    system_metadata: Record<string, unknown>
    created_at: string
    updated_at?: string
    object: 'customer'
    assets: { cockpit_url: string; cockpit_preference_center_url: string }
  }
  Cut: { by: string; to: number }
  Discount: Schemas['AmountDiscount'] | Schemas['PercentDiscount'] | Schemas['FixedDiscount'] | Schemas['UnitDiscount']
  EarningGood: { object: 'product' | 'sku' | 'products_collection'; id: string }
  EarningMapping: { type: 'MULTIPLY'; multiplier: number } | { type: 'CUSTOM'; points: number }
  EarningPoints: Schemas['FixedPoints'] | Schemas['ProportionalPoints']
  EarningPointsBody:
    | { type: 'FIXED'; points: number | string; points_formula?: string | null }
    | (
        | {
            type: 'PROPORTIONAL'
            calculation_type: 'ORDER_AMOUNT'
            order: { amount?: { every: number | string; points: number | string; points_formula?: string | null } }
          }
        | {
            type: 'PROPORTIONAL'
            calculation_type: 'ORDER_TOTAL_AMOUNT'
            order: {
              total_amount?: { every: number | string; points: number | string; points_formula?: string | null }
            }
          }
        | {
            type: 'PROPORTIONAL'
            calculation_type: 'ORDER_METADATA'
            order: {
              metadata?: {
                every: number | string
                points: number | string
                points_formula?: string | null
                property: string
              }
            }
          }
        | {
            type: 'PROPORTIONAL'
            calculation_type: 'ORDER_ITEMS_QUANTITY'
            order_items: {
              quantity?: {
                every: number | string
                points: number | string
                points_formula?: string | null
                object?: 'product' | 'sku' | 'products_collection' | null
                id?: string | null
                applicable_to?: Array<{ object: 'product' | 'sku' | 'products_collection'; id: string }> | null
              }
            }
          }
        | {
            type: 'PROPORTIONAL'
            calculation_type: 'ORDER_ITEMS_AMOUNT'
            order_items: {
              amount?: {
                every: number | string
                points: number | string
                points_formula?: string | null
                object?: 'product' | 'sku' | 'products_collection' | null
                id?: string | null
                applicable_to?: Array<{ object: 'product' | 'sku' | 'products_collection'; id: string }> | null
              }
            }
          }
        | {
            type: 'PROPORTIONAL'
            calculation_type: 'ORDER_ITEMS_SUBTOTAL_AMOUNT'
            order_items: {
              subtotal_amount?: {
                every: number | string
                points: number | string
                points_formula?: string | null
                object?: 'product' | 'sku' | 'products_collection' | null
                id?: string | null
                applicable_to?: Array<{ object: 'product' | 'sku' | 'products_collection'; id: string }> | null
              }
            }
          }
        | {
            type: 'PROPORTIONAL'
            calculation_type: 'CUSTOMER_METADATA'
            customer: {
              metadata?: {
                every: number | string
                points: number | string
                points_formula?: string | null
                property: string
              }
            }
          }
        | {
            type: 'PROPORTIONAL'
            calculation_type: 'CUSTOM_EVENT_METADATA'
            custom_event: {
              metadata?: {
                every: number | string
                points: number | string
                points_formula?: string | null
                property: string
              }
            }
          }
      )
  EarningRule: {
    id: string
    created_at: string
    updated_at: string | null
    validation_rule_id: string | null
    loyalty: Schemas['EarningPoints']
    event: string
    custom_event?: { schema_id: string }
    segment?: { id: string }
    loyalty_tier?: { id: string }
    pending_points?: Schemas['PendingPoints']
    expiration_rules?: Schemas['PointsExpirationRules']
    source: { banner?: string; object_id: string; object_type: 'campaign' }
    active: boolean
    start_date?: string
    expiration_date?: string
    validity_timeframe?: { interval: string; duration: string }
    validity_day_of_week?: Array<number>
    validity_hours?: { daily: Array<{ start_time: string; expiration_time: string; days_of_week?: Array<number> }> }
    metadata: Record<string, unknown>
    automation_id: string
    object: 'earning_rule'
  }
  EarningRuleList: { object: 'list'; data_ref: 'data'; data: Array<Schemas['EarningRule']>; total: number }
  EarningRules: Array<Schemas['EarningRule']>
  Error: {
    code: number
    key: string
    message: string
    details?: string
    errors?: Array<{ path: string; details: string }>
    request_id: string
    resource_id?: string
    resource_type?: string
    related_object_ids?: Array<string>
    related_object_type?: string
    related_object_total?: number
    redeemable_id?: string
    redeemable_type?: string
    explanation?: Array<Record<string, unknown>>
    statusCode?: number
    error?: { message: string } | string
  }
  EstimatePoints: { customer?: Schemas['CustomerBody']; order?: Schemas['CheckoutOrder'] }
  ExaminationBody: {
    customer?: Schemas['CheckoutCustomer'] | null
    order?: Schemas['CheckoutOrder'] | null
    tracking_id?: string | null
    metadata?: Record<string, unknown> | null
  }
  ExaminedCampaign: {
    id: string
    name: string
    description?: string
    campaign_type: 'DISCOUNT_COUPONS' | 'GIFT_VOUCHERS' | 'LOYALTY_PROGRAM' | 'REFERRAL_PROGRAM' | 'PROMOTION'
    type: 'AUTO_UPDATE' | 'STATIC' | 'STANDALONE'
    voucher?: Schemas['CampaignVoucher']
    promotion?: {
      object: 'list'
      data_ref: 'tiers'
      tiers: Array<Schemas['PromotionTier']>
      total: number
      has_more: false
    }
    referral_program?: Schemas['ReferralProgram']
    loyalty_tiers_expiration?: Schemas['TierExpiration']
    auto_join: boolean
    join_once: boolean
    use_voucher_metadata_schema: boolean
    start_date?: string
    expiration_date?: string
    validity_timeframe?: { interval: string; duration: string }
    validity_day_of_week?: Array<number>
    validity_hours?: { daily: Array<{ start_time: string; expiration_time: string; days_of_week?: Array<number> }> }
    activity_duration_after_publishing?: string
    vouchers_count?: number
    active: boolean
    metadata?: Record<string, unknown>
    created_at: string
    updated_at?: string
    category?: string
    category_id: string | null
    categories: Array<Schemas['Category']>
    creation_status: 'DONE' | 'IN_PROGRESS' | 'FAILED' | 'DRAFT' | 'MODIFYING'
    vouchers_generation_status: 'DONE' | 'IN_PROGRESS' | 'FAILED' | 'DRAFT' | 'MODIFYING'
    protected: boolean
    validation_rules_assignments: {
      object: 'list'
      data_ref: 'data'
      data: Array<Schemas['JudgedAssignment']>
      total: number
    }
    access_settings_assignments: {
      object: 'list'
      data_ref: 'data'
      data: Array<Record<string, unknown>>
      total: number
    }
    object: 'campaign'
  }
  ExaminedVoucher: {
    id: string
    code: string
    campaign: string | null
    campaign_id: string | null
    category: string | null
    category_id: string | null
    categories: Array<Schemas['Category']>
    type: 'DISCOUNT_VOUCHER' | 'GIFT_VOUCHER' | 'LOYALTY_CARD'
    discount: Schemas['Discount'] | null
    gift: Schemas['GiftCredits'] | null
    loyalty_card: Schemas['LoyaltyPoints'] | null
    start_date: string | null
    expiration_date: string | null
    validity_timeframe: { interval: string; duration: string } | null
    validity_day_of_week: Array<number> | null
    validity_hours: {
      daily: Array<{ start_time: string; expiration_time: string; days_of_week?: Array<number> }>
    } | null
    active: boolean
    additional_info: string | null
    metadata: Record<string, unknown>
    assets: { qr: { id: string; url: string }; barcode: { id: string; url: string } }
    is_referral_code: boolean
    created_at: string
    updated_at: string | null
    holder_id?: string
    referrer_id?: string
    validation_rules_assignments: {
      object: 'list'
      data_ref: 'data'
      data: Array<Schemas['JudgedAssignment']>
      total: number
    }
    publish: { object: 'list'; count: number; url: string }
    redemption: {
      quantity: number | null
      redeemed_quantity: number
      redeemed_amount?: number
      redeemed_points?: number
      object: 'list'
      url: string
    }
    object: 'voucher'
    applicable_to: Schemas['CoveredEntries']
    inapplicable_to: Schemas['CoveredEntries']
  }
  ExplainedRedemption: {
    id: string
    date: string
    customer_id: string | null
    tracking_id: string | null
    metadata: Record<string, unknown> | null
    result: 'SUCCESS' | 'FAILURE'
    failure_code?: string
    failure_message?: string
    order: Schemas['RedemptionOrder'] | null
    channel: { channel_id: string; channel_type: 'API' | 'AUTO_REDEEM' }
    customer: {
      id: string
      name: string | null
      email: string | null
      source_id: string | null
      metadata: Record<string, unknown>
      object: 'customer'
    } | null
    related_object_type: 'voucher' | 'promotion_tier' | 'redemption'
    related_object_id: string
    voucher: Schemas['RedeemedVoucher'] | null
    promotion_tier?: Schemas['RedeemedTier']
    reward?: Schemas['RedeemedReward']
    object: 'redemption'
    status: 'SUCCEEDED' | 'FAILED' | 'ROLLED_BACK'
    amount?: number
    redemption?: string
    session?: { key: string }
    related_redemptions?: {
      rollbacks: Array<{ id: string; date: string; rollback_order_mode?: 'WITH_ORDER' | 'WITHOUT_ORDER' }>
      redemptions: Array<{ id: string; date: string }>
    }
    gift?: { amount: number }
    loyalty_card?: { points: number }
    explanation?: Schemas['ExplanationView']
  }
  ExplanationView: {
    object: string
    id: string
    status: 'APPLICABLE' | 'INAPPLICABLE' | 'SKIPPED'
    reason?: { key: string; message: string }
    amount?: number
    steps: Array<Schemas['Step']>
    sentence: string
  }
  Export: {
    id: string
    object: 'export'
    created_at: string
    status: 'SCHEDULED' | 'IN_PROGRESS' | 'DONE' | 'ERROR'
    channel: 'API'
    exported_object: string
    parameters: Schemas['ExportParameters']
    result: { url: string } | null
    user_id: null
  }
  ExportCardTransactions: { parameters?: Schemas['TransactionExportParameters'] | null }
  ExportList: { object: 'list'; data_ref: 'exports'; exports: Array<Schemas['Export']>; total: number }
  ExportParameters: { order?: string; fields?: Array<string>; filters?: Record<string, unknown>; campaign_id?: string }
  ExportPointsExpiration: { parameters?: Schemas['PointsExpirationExportParameters'] | null }
  FixedDiscount: {
    type: 'FIXED'
    fixed_amount?: number | null
    fixed_amount_formula?: string | null
    effect?: 'APPLY_TO_ORDER' | 'APPLY_TO_ITEMS' | null
  }
  FixedPoints: { type: 'FIXED'; points: number; points_formula?: string | null }
  FreeUnits: {
    unit_off?: number | null
    unit_off_formula?: string | null
    unit_type: string
    effect?: 'ADD_MISSING_ITEMS' | 'ADD_NEW_ITEMS' | null
    product?: { id?: string | null; source_id?: string | null; name?: string | null } | null
    sku?: { id?: string | null; source_id?: string | null; sku?: string | null } | null
  }
  GiftBody: { credits?: unknown }
  GiftCredits: {
    amount: number
    subtracted_amount: number
    balance: number
    effect?: 'APPLY_TO_ORDER' | 'APPLY_TO_ITEMS'
  }
  ImportCampaignVouchers: Array<Schemas['ImportedVoucher']>
  ImportCampaignVouchersCsv: { file: string }
  ImportOrders: Array<{
    id?: string | number | null
    source_id?: string | number | null
    status?: 'CREATED' | 'PAID' | 'CANCELED' | 'FULFILLED' | null
    amount?: number | string | null
    initial_amount?: number | string | null
    discount_amount?: number | string | null
    items?: Array<Schemas['OrderItemBody']> | null
    metadata?: Record<string, unknown> | null
    customer?: Schemas['CustomerBody'] | null
    referrer?: Schemas['CustomerBody'] | null
    referrer_id?: string | null
  }>
  ImportVouchers: Array<Schemas['ImportedVoucher']>
  ImportVouchersCsv: { file: string; webhooks_enable?: boolean }
  ImportedVoucher: {
    code?: string | null
    type?: 'DISCOUNT_VOUCHER' | 'GIFT_VOUCHER' | 'LOYALTY_CARD' | null
    discount?: Record<string, unknown> | null
    gift?: Record<string, unknown> | null
    loyalty_card?: Record<string, unknown> | null
    category?: string | null
    active?: boolean | null
    start_date?: string | null
    expiration_date?: string | null
    validity_timeframe?: { interval?: string; duration?: string } | null
    validity_day_of_week?: Array<number> | null
    redemption?: Schemas['RedemptionLimit'] | null
    additional_info?: string | null
    metadata?: Record<string, unknown> | null
  }
  Invitation: { user: Schemas['User']; link?: string; expires_at: string }
  InviteUser: { email: string; first_name: string; last_name: string; projects: Record<string, string> }
  IssuedTrackingId: { tracking_id: string; expires_at: string; object: 'tracking_id' }
  JsonTemplate: {
    campaign_type: 'DISCOUNT_COUPONS' | 'GIFT_VOUCHERS'
    campaign: Schemas['TemplateCampaign']
    validation_rule: Schemas['TemplateRule'] | null
  }
  JudgedAssignment: {
    id: string
    rule_id: string
    related_object_id: string
    related_object_type:
      | 'voucher'
      | 'campaign'
      | 'promotion_tier'
      | 'earning_rule'
      | 'reward_assignment'
      | 'distribution'
    created_at: string
    object: 'validation_rules_assignment'
    updated_at?: string
    validation_status: 'VALID' | 'PARTIALLY_VALID' | 'INVALID'
    validation_omitted_rules: Array<string>
  }
  Liability: {
    object: 'liability'
    campaign: { id: string; name: string; object: 'campaign' }
    as_of: string
    asset: 'points' | 'credits'
    outstanding: number
    pending: number
    expiring: Array<{ month: string; amount: number }>
    non_expiring: number
    cards: number
  }
  ListedPublication: {
    id: string
    object: 'publication'
    created_at: string
    customer_id: string | null
    tracking_id?: string
    metadata: Record<string, unknown>
    channel: string
    source_id: string | null
    result: 'SUCCESS' | 'FAILURE'
    vouchers_id: Array<string>
    vouchers?: Array<string>
    failure_code?: string
    failure_message?: string
    customer?: {
      id: string
      name: string | null
      email: string | null
      source_id: string | null
      metadata: Record<string, unknown>
      object: 'customer'
    }
    voucher?: {
      code: string
      object: 'voucher'
      campaign: string | null
      discount?: Schemas['Discount']
      gift?: Schemas['GiftCredits']
      loyalty_card?: Schemas['LoyaltyPoints']
      is_referral_code: boolean
    }
  }
  Location: {
    id: string
    name: string
    shape: Schemas['Shape']
    created_at: string
    updated_at: string | null
    object: 'location'
  }
  LocationList: {
    object: 'list'
    data_ref: 'data'
    data: Array<Schemas['Location']>
    total: number
    has_more: boolean
    more_starting_after?: string
  }
  LoyaltyPoints: {
    points: number
    balance: number
    pending_points?: number
    expired_points?: number
    subtracted_points?: number
    next_expiration_date?: string
    next_expiration_points?: number
  }
  LoyaltyTier: {
    id: string
    name: string
    campaign_id: string
    metadata: Record<string, unknown>
    created_at: string
    updated_at: string | null
    points: Schemas['TierRange']
    config: { points: Schemas['TierRange'] }
    earning_rules: Record<string, Schemas['EarningMapping']>
    rewards: Record<string, Schemas['RewardMapping']>
    expiration?: {
      customer_id: string
      campaign_id: string
      tier_id: string
      start_date: string
      expiration_date?: string
      created_at: string
      updated_at?: string
    }
    object: 'loyalty_tier'
  }
  LoyaltyTierList: { object: 'list'; data_ref: 'data'; data: Array<Schemas['LoyaltyTier']>; total: number }
  LoyaltyTierReward: {
    reward: Schemas['Reward']
    assignment: Schemas['RewardAssignment']
    object: 'loyalty_tier_reward'
  }
  LoyaltyTierRewardList: { object: 'list'; data_ref: 'data'; data: Array<Schemas['LoyaltyTierReward']>; total: number }
  LoyaltyTiers: Array<Schemas['LoyaltyTier']>
  ManagedMetadataDefinition: {
    type: 'string' | 'number' | 'boolean' | 'date' | 'datetime' | 'geopoint' | 'image_url' | 'object'
    array: boolean
    optional: boolean
    object_type?: string | null
    min_length?: number | null
    max_length?: number | null
    exact_length?: number | null
    eq?: Array<string | number> | null
    ne?: Array<number> | null
    lt?: number | null
    lte?: number | null
    gt?: number | null
    gte?: number | null
    deleted?: boolean | null
  }
  ManagedMetadataSchema: {
    id: string
    related_object: string
    properties: Record<string, Schemas['ManagedMetadataDefinition']>
    allow_defined_only: boolean | null
    created_at: string
    updated_at: string | null
    object: 'metadata_schema'
  }
  ManagedMetadataSchemaList: {
    object: 'list'
    data_ref: 'data'
    data: Array<Schemas['ManagedMetadataSchema']>
    total: number
  }
  MaterialReward: { product: { id: string; sku_id: string | null } }
  MemberActivity: {
    id: string
    type:
      | 'customer.loyalty.tier.joined'
      | 'customer.loyalty.tier.left'
      | 'customer.loyalty.tier.upgraded'
      | 'customer.loyalty.tier.downgraded'
      | 'customer.loyalty.tier.prolonged'
      | 'customer.loyalty.tier.expiration.changed'
      | 'customer.publication.succeeded'
      | 'customer.publication.failed'
      | 'customer.redemption.succeeded'
      | 'customer.redemption.failed'
      | 'customer.redemption.rollback.succeeded'
      | 'customer.redemption.rollback.failed'
      | 'customer.rewarded'
      | 'customer.rewarded.loyalty_points'
      | 'customer.reward_redemptions.created'
      | 'customer.reward_redemptions.pending'
      | 'customer.reward_redemptions.completed'
      | 'customer.reward_redemptions.rolledback'
      | 'customer.voucher.deleted'
      | 'customer.voucher.loyalty_card.points_added'
      | 'customer.voucher.loyalty_card.points_transferred'
      | 'customer.voucher.loyalty_card.points_expired'
      | 'customer.voucher.loyalty_card.pending_points.added'
      | 'customer.voucher.loyalty_card.pending_points.updated'
      | 'customer.voucher.loyalty_card.pending_points.canceled'
      | 'customer.voucher.loyalty_card.pending_points.activated'
    data: {
      data: Record<string, unknown>
      event_source: {
        channel: 'API' | 'CLIENT_API' | 'USER_PORTAL' | 'INTERNAL'
        api_key?: { name: string; app_id: string }
        user?: { id: string }
      }
    }
    created_at: string
    group_id: string
  }
  MemberActivityList: {
    object: 'list'
    data_ref: 'data'
    data: Array<Schemas['MemberActivity']>
    has_more: boolean
    more_starting_after?: string
  }
  MemberReward: { reward: Schemas['Reward']; assignment: Schemas['RewardAssignment']; object: 'loyalty_reward' }
  MemberRewardList: { object: 'list'; data_ref: 'data'; data: Array<Schemas['MemberReward']>; total: number }
  MemberTierList: { object: 'list'; data_ref: 'data'; data: Array<Schemas['LoyaltyTier']>; total: number }
  MetadataDefinition: {
    type: 'string' | 'number' | 'boolean' | 'date' | 'datetime' | 'geopoint' | 'image_url' | 'object'
    array: boolean
    optional: boolean
    objectType?: string | null
    minLength?: number | null
    maxLength?: number | null
    exactLength?: number | null
    eq?: Array<string | number> | null
    ne?: Array<number> | null
    lt?: number | null
    lte?: number | null
    gt?: number | null
    gte?: number | null
    deleted?: boolean | null
  }
  MetadataSchema: {
    id: string
    related_object: string
    properties: Record<string, Schemas['MetadataDefinition']>
    allow_defined_only: boolean | null
    created_at: string
    updated_at: string | null
    object: 'metadata_schema'
  }
  MetadataSchemaList: { object: 'list'; data_ref: 'schemas'; schemas: Array<Schemas['MetadataSchema']>; total: number }
  Nothing: Record<string, unknown>
  Notification: {
    id: string
    created_at: string
    kind: 'webhook_failed' | 'webhook_disabled' | 'api_calls' | 'bulk_api_calls' | 'cycle_calls'
    severity: 'INFO' | 'WARNING' | 'ERROR'
    message: string
    data: Record<string, unknown>
    read: boolean
    object: 'notification'
  }
  NotificationList: {
    object: 'list'
    data_ref: 'data'
    data: Array<Schemas['Notification']>
    has_more: boolean
    more_starting_after?: string
  }
  OauthAccessTokenForm: { access_token?: string }
  OauthIntrospection: {
    access_token?: string
    client_id?: string
    expires_at?: number
    expires_in?: number
    scope?: string
    token_type?: 'Bearer'
    active: boolean
  }
  OauthToken: {
    access_token: string
    client_id: string
    expires_at: number
    expires_in: number
    scope: string
    token_type: 'Bearer'
  }
  OauthTokenForm: { grant_type?: string; scope?: string }
  Order: {
    id: string
    source_id: string | null
    status: 'CREATED' | 'PAID' | 'CANCELED' | 'FULFILLED'
    amount?: number
    initial_amount?: number
    discount_amount?: number
    items_discount_amount?: number
    total_discount_amount?: number
    total_amount?: number
    applied_discount_amount?: number
    items_applied_discount_amount?: number
    total_applied_discount_amount?: number
    items: Array<Schemas['OrderItem']>
    metadata?: Record<string, unknown>
    customer_id: string | null
    referrer_id: string | null
    customer?: { id: string; object: 'customer' }
    referrer?: { id: string; object: 'customer' }
    redemptions?: Record<
      string,
      {
        date?: string
        related_object_type?: string
        related_object_id?: string
        related_object_parent_id?: string
        stacked?: Array<string>
        rollback_id?: string
        rollback_date?: string
        rollback_stacked?: Array<string>
      }
    >
    created_at: string
    updated_at: string | null
    object: 'order'
  }
  OrderExportParameters: {
    order?: '-created_at' | 'created_at' | '-updated_at' | 'updated_at' | '-status' | 'status' | null
    fields?: Array<string> | null
    filters?: Record<string, unknown> | null
  }
  OrderItem: {
    object: 'order_item'
    id?: string
    source_id?: string
    related_object?: 'product' | 'sku'
    product_id?: string
    sku_id?: string
    quantity: number
    initial_quantity?: number
    price?: number
    amount?: number
    initial_amount?: number
    discount_amount?: number
    applied_discount_amount?: number
    discount_quantity?: number
    applied_discount_quantity?: number
    applied_quantity?: number
    applied_quantity_amount?: number
    subtotal_amount?: number
    metadata?: Record<string, unknown>
    application_details?: Array<Schemas['ApplicationDetail']>
    product?: {
      id?: string
      source_id?: string
      price?: number
      metadata?: Record<string, unknown>
      override?: boolean
      name?: string
    }
    sku?: {
      id?: string
      source_id?: string
      price?: number
      metadata?: Record<string, unknown>
      override?: boolean
      sku?: string
    }
  }
  OrderItemBody: {
    id?: (string | number) | null
    source_id?: string | number | null
    related_object?: 'product' | 'sku' | null
    product_id?: string | number | null
    sku_id?: string | number | null
    quantity?: number | string | null
    discount_quantity?: number | string | null
    initial_quantity?: number | string | null
    price?: number | string | null
    amount?: number | string | null
    initial_amount?: number | string | null
    discount_amount?: number | string | null
    product?: {
      id?: string | number | null
      source_id?: string | number | null
      override?: boolean | null
      price?: number | string | null
      metadata?: Record<string, unknown> | null
      name?: string | null
    } | null
    sku?: {
      id?: string | number | null
      source_id?: string | number | null
      override?: boolean | null
      price?: number | string | null
      metadata?: Record<string, unknown> | null
      sku?: string | null
    } | null
    metadata?: Record<string, unknown> | null
  }
  OrderList: { object: 'list'; data_ref: 'orders'; orders: Array<Schemas['Order']>; total: number }
  OrderProduct: {
    id?: string | null
    source_id?: string | null
    name?: string | null
    price?: number | null
    metadata?: Record<string, unknown> | null
  }
  OrderSku: {
    id?: string | null
    source_id?: string | null
    sku?: string | null
    price?: number | null
    metadata?: Record<string, unknown> | null
  }
  PendingPoints: { period_type: 'DAY'; period_value: number }
  PendingPointsBalance: {
    points: number
    total: number
    object: 'balance'
    related_object: { type: 'voucher'; id: string }
    operation_type: 'MANUAL'
  }
  PendingPointsEntry: {
    id: string
    voucher_id: string
    campaign_id: string
    customer_id: string
    order_id: string
    points: number
    activates_at: string
    details: {
      loyalty_tier?: { id: string; name: string }
      holder_loyalty_tier?: { id: string; name: string }
      event: {
        id: string
        type: string
        category: 'ACTION' | 'EFFECT'
        entity_id: string
        created_at: string
        group_id: string
        event_source: {
          channel: 'API' | 'CLIENT_API' | 'USER_PORTAL' | 'INTERNAL'
          api_key?: { name: string; app_id: string }
          user?: { id: string }
        }
      }
      earning_rule: { id: string; source: { banner?: string } }
      order: { id: string; source_id: string | null }
    }
    created_at: string
    updated_at?: string
  }
  PendingPointsList: {
    object: 'list'
    data_ref: 'data'
    data: Array<Schemas['PendingPointsEntry']>
    has_more: boolean
    more_starting_after?: string
  }
  PercentDiscount: {
    type: 'PERCENT'
    percent_off?: number | null
    percent_off_formula?: string | null
    amount_limit?: number | null
    aggregated_amount_limit?: number | null
    effect?: 'APPLY_TO_ORDER' | 'APPLY_TO_ITEMS' | null
  }
  PermanentDeletion: {
    id: string
    created_at: string
    related_object_id: string
    related_object: 'customer'
    status: 'DONE'
    data_json: {
      events: number
      customer_events: number
      daily_events: number
      segments: number
      orders: number
      order_events: number
      customer: number
    }
    object: 'pernament_deletion'
  }
  PointsBalance: {
    points: number
    total: number
    balance: number
    type: 'loyalty_card'
    object: 'balance'
    related_object: { type: 'voucher'; id: string }
    operation_type: 'MANUAL'
  }
  PointsBucket: {
    id: string
    voucher_id: string
    campaign_id: string
    bucket: { total_points: number }
    status: 'ACTIVE' | 'EXPIRED'
    expires_at?: string
    created_at: string
    updated_at?: string
    object: 'loyalty_points_bucket'
  }
  PointsBucketList: { object: 'list'; data_ref: 'data'; data: Array<Schemas['PointsBucket']>; total: number }
  PointsEstimation: { campaign: { id: string; name: string; object: 'campaign' }; points_estimation: number }
  PointsExpirationExportParameters: {
    order?: '-expires_at' | 'expires_at' | null
    fields?: Array<string> | null
    filters?: Record<string, unknown> | null
  }
  PointsExpirationRules:
    | {
        period_type: 'MONTH'
        period_value: number
        rounding_type?:
          | 'END_OF_MONTH'
          | 'END_OF_QUARTER'
          | 'END_OF_HALF_YEAR'
          | 'END_OF_YEAR'
          | 'PARTICULAR_MONTH'
          | null
        rounding_value?: number | null
      }
    | { period_type: 'FIXED_DAY_OF_YEAR'; fixed_month: number; fixed_day: number }
  Product: {
    id: string
    source_id: string | null
    name: string | null
    price: number | null
    attributes: Array<string>
    metadata: Record<string, unknown>
    image_url: string | null
    created_at: string
    updated_at: string | null
    object: 'product'
  }
  ProductCollection: {
    id: string
    name: string
    type: 'STATIC' | 'AUTO_UPDATE'
    filter?: Record<string, unknown>
    products?: Array<Schemas['CollectionMember']>
    created_at: string
    updated_at?: string
    object: 'products_collection'
  }
  ProductCollectionList: { object: 'list'; data_ref: 'data'; data: Array<Schemas['ProductCollection']>; total: number }
  ProductExportParameters: {
    order?: '-created_at' | 'created_at' | null
    fields?: Array<string> | null
    filters?: Record<string, unknown> | null
  }
  ProductList: { object: 'list'; data_ref: 'products'; products: Array<Schemas['ProductWithSkus']>; total: number }
  ProductWithSkus: {
    id: string
    source_id: string | null
    name: string | null
    price: number | null
    attributes: Array<string>
    metadata: Record<string, unknown>
    image_url: string | null
    created_at: string
    updated_at: string | null
    object: 'product'
    skus?: Schemas['SkusOfProduct']
  }
  Project: {
    id: string
    name: string
    description: string
    timezone: string
    currency: string
    dial_code: string | null
    webhook_version: 'v2024-01-01'
    client_trusted_domains: Array<string>
    client_redeem_enabled: boolean
    client_publish_enabled: boolean
    client_list_vouchers_enabled: boolean
    client_create_customer_enabled: boolean
    client_loyalty_events_enabled: boolean
    client_set_voucher_expiration_date_enabled: boolean
    client_identity: 'proven' | 'claimed'
    client_public_campaigns: Array<string>
    client_public_codes: Array<string>
    webhooks_callout_notifications: {
      distributions: { email: boolean; in_app: boolean; emails: Array<string> }
      webhooks: { email: boolean; in_app: boolean; emails: Array<string> }
    }
    api_usage_notifications: {
      messages: { enabled: boolean; value: number; in_app: boolean; emails: Array<string> }
      api_calls: { enabled: boolean; value: number; in_app: boolean; emails: Array<string> }
      bulk_api_calls: { enabled: boolean; value: number; in_app: boolean; emails: Array<string> }
      webhook_calls: { enabled: boolean; value: number; in_app: boolean; emails: Array<string> }
      cycle_calls: { enabled: boolean; value: number; in_app: boolean; emails: Array<string> }
      redemptions: { enabled: boolean; value: number; in_app: boolean; emails: Array<string> }
    }
    cluster_id: string
    case_sensitive_codes: boolean
    api_version: 'v2018-08-01'
    is_sandbox: boolean
    webhook_token: string
    default_code_config?: { charset: string }
    limits?: Schemas['ProjectLimits']
  }
  ProjectLimits: {
    api_calls?: Array<{ value: number; duration: string }>
    bulk_api_calls?: Array<{ value: number; duration: string }>
    campaign_vouchers?: number
    product_collections?: number
    collection_products?: number
    earning_rules?: number
  }
  ProjectList: { object: 'list'; data_ref: 'data'; data: Array<Schemas['Project']>; total: number }
  PromotionStack: {
    id: string
    name: string
    tiers: { ids: Array<string>; hierarchy_mode: 'MANUAL' }
    campaign_id: string
    category_id: string | null
    categories: Array<Schemas['Category']>
    created_at: string
    updated_at?: string
    object: 'promotion_stack'
  }
  PromotionStackBody: {
    name: string
    tiers: { ids: Array<string>; hierarchy_mode?: 'MANUAL' }
    category_id?: string | null
  }
  PromotionStackList: { object: 'list'; data_ref: 'data'; data: Array<Schemas['PromotionStack']>; total: number }
  PromotionTier: {
    id: string
    name: string
    banner?: string
    action?: { discount: Schemas['Discount'] }
    metadata: Record<string, unknown>
    hierarchy: number
    promotion_id: string
    campaign_id: string
    campaign: {
      id: string
      start_date: string | null
      expiration_date: string | null
      validity_timeframe?: { interval: string; duration: string }
      validity_day_of_week?: Array<number>
      validity_hours?: { daily: Array<{ start_time: string; expiration_time: string; days_of_week?: Array<number> }> }
      active: boolean
      category_id: string | null
      object: 'campaign'
    }
    active: boolean
    start_date?: string
    expiration_date?: string
    validity_timeframe?: { interval: string; duration: string }
    validity_day_of_week?: Array<number>
    validity_hours?: { daily: Array<{ start_time: string; expiration_time: string; days_of_week?: Array<number> }> }
    summary: {
      redemptions: { total_redeemed: number }
      orders: { total_amount: number; total_discount_amount: number }
    }
    validation_rule_assignments: Schemas['ValidationRuleAssignmentList']
    category_id: string | null
    categories: Array<Schemas['Category']>
    created_at: string
    updated_at?: string
    object: 'promotion_tier'
  }
  PromotionTierBody: {
    name: string
    active?: boolean | null
    banner?: string | null
    action?: { discount?: Record<string, unknown> }
    metadata?: Record<string, unknown>
    hierarchy?: number
    start_date?: string | null
    expiration_date?: string | null
    validity_timeframe?: { interval?: string; duration?: string } | null
    validity_day_of_week?: Array<number> | null
    validity_hours?: {
      daily: Array<{ start_time: string; expiration_time: string; days_of_week?: Array<number> }>
    } | null
    category?: string | null
    category_id?: string | null
    validation_rules?: Array<string> | null
    validation_rule_assignments?: { data?: Array<{ rule_id: string }> | null } | null
  }
  PromotionTierList: {
    object: 'list'
    data_ref: 'tiers'
    tiers: Array<Schemas['PromotionTier']>
    total: number
    has_more: boolean
    more_starting_after?: string
  }
  PromotionTierSetup: {
    object: 'promotion_tier_setup'
    promotion_tier: Schemas['PromotionTier']
    created_resources: Array<Schemas['CreatedResource']>
  }
  PromotionTierValidation: {
    valid: boolean
    applicable_to?: Schemas['CoveredEntries']
    inapplicable_to?: Schemas['CoveredEntries']
    tracking_id?: string
    session?: Schemas['SessionView']
    order?: Schemas['CalculatedOrderView']
    reason?: string
    error?: {
      code?: number
      key?: string
      message: string
      details?: string
      request_id?: string
      resource_id?: string
      resource_type?: string
      redeemable_id?: string
      redeemable_type?: string
      error?: { message: string }
    }
    id: string
    name: string
    banner?: string
    discount?: Schemas['AppliedDiscount'] | Schemas['Discount']
    start_date?: string
    expiration_date?: string
    campaign: {
      id: string
      start_date?: string
      expiration_date?: string
      active: boolean
      categories?: Array<Schemas['Category']>
      object: 'campaign'
    }
    hierarchy: number
    discount_amount?: number
    applied_discount_amount?: number
    metadata: Record<string, unknown>
    category_id?: string | null
    categories?: Array<Schemas['CategoryInResult']>
    explanation?: Schemas['ExplanationView']
    object: 'promotion_tier'
  }
  PromotionTierValidationBody: {
    customer?: Schemas['CheckoutCustomer'] | null
    order?: Schemas['CheckoutOrder'] | null
    tracking_id?: string | null
    metadata?: Record<string, unknown> | null
    session?: Schemas['SessionBody'] | null
    options?: Schemas['ValidationOptions'] | null
  }
  PromotionValidation: { valid: boolean; tracking_id?: string; promotions: Array<Schemas['PromotionTierValidation']> }
  PromotionValidationBody: {
    customer?: Schemas['CheckoutCustomer'] | null
    order?: Schemas['CheckoutOrder'] | null
    tracking_id?: string | null
    metadata?: Record<string, unknown> | null
    options?: Schemas['ValidationOptions'] | null
  }
  ProportionalPoints:
    | {
        type: 'PROPORTIONAL'
        calculation_type: 'ORDER_AMOUNT'
        order: { amount: { every: number; points: number; points_formula?: string | null } }
      }
    | {
        type: 'PROPORTIONAL'
        calculation_type: 'ORDER_TOTAL_AMOUNT'
        order: { total_amount: { every: number; points: number; points_formula?: string | null } }
      }
    | {
        type: 'PROPORTIONAL'
        calculation_type: 'ORDER_METADATA'
        order: { metadata: { every: number; points: number; points_formula?: string | null; property: string } }
      }
    | {
        type: 'PROPORTIONAL'
        calculation_type: 'ORDER_ITEMS_QUANTITY'
        order_items: {
          quantity: {
            every: number
            points: number
            points_formula?: string | null
            object?: 'product' | 'sku' | 'products_collection' | null
            id?: string | null
            applicable_to?: Array<Schemas['EarningGood']> | null
          }
        }
      }
    | {
        type: 'PROPORTIONAL'
        calculation_type: 'ORDER_ITEMS_AMOUNT'
        order_items: {
          amount: {
            every: number
            points: number
            points_formula?: string | null
            object?: 'product' | 'sku' | 'products_collection' | null
            id?: string | null
            applicable_to?: Array<Schemas['EarningGood']> | null
          }
        }
      }
    | {
        type: 'PROPORTIONAL'
        calculation_type: 'ORDER_ITEMS_SUBTOTAL_AMOUNT'
        order_items: {
          subtotal_amount: {
            every: number
            points: number
            points_formula?: string | null
            object?: 'product' | 'sku' | 'products_collection' | null
            id?: string | null
            applicable_to?: Array<Schemas['EarningGood']> | null
          }
        }
      }
    | {
        type: 'PROPORTIONAL'
        calculation_type: 'CUSTOMER_METADATA'
        customer: { metadata: { every: number; points: number; points_formula?: string | null; property: string } }
      }
    | {
        type: 'PROPORTIONAL'
        calculation_type: 'CUSTOM_EVENT_METADATA'
        custom_event: { metadata: { every: number; points: number; points_formula?: string | null; property: string } }
      }
  Publication: {
    id: string
    object: 'publication'
    created_at: string
    customer_id: string
    tracking_id?: string
    metadata: Record<string, unknown>
    channel: string
    source_id: string | null
    result: 'SUCCESS' | 'FAILURE'
    vouchers_id: Array<string>
    vouchers?: Array<string>
    failure_code?: string
    failure_message?: string
    customer: Schemas['Customer']
    voucher?: Schemas['Voucher']
  }
  PublicationExportParameters: {
    order?:
      | '-created_at'
      | 'created_at'
      | '-id'
      | 'id'
      | '-voucher_code'
      | 'voucher_code'
      | '-tracking_id'
      | 'tracking_id'
      | '-customer_id'
      | 'customer_id'
      | '-channel'
      | 'channel'
      | null
    fields?: Array<string> | null
    filters?: Record<string, unknown> | null
  }
  PublicationList: {
    object: 'list'
    data_ref: 'publications'
    publications: Array<Schemas['ListedPublication']>
    total: number
  }
  Qualification: {
    redeemables: {
      object: 'list'
      data_ref: 'data'
      data: Array<Schemas['QualifiedRedeemable']>
      total: number
      has_more: boolean
      more_starting_after?: string
    }
    tracking_id?: string
    order?: Schemas['UnderstoodOrder']
    stacking_rules: Schemas['StackingRulesView']
  }
  QualificationBody: {
    scenario?:
      | 'ALL'
      | 'CUSTOMER_WALLET'
      | 'AUDIENCE_ONLY'
      | 'PRODUCTS'
      | 'PRODUCTS_DISCOUNT'
      | 'PROMOTION_STACKS'
      | 'PRODUCTS_BY_CUSTOMER'
      | 'PRODUCTS_DISCOUNT_BY_CUSTOMER'
      | null
    customer?: Schemas['CheckoutCustomer'] | null
    order?: Schemas['CheckoutOrder'] | null
    tracking_id?: string | null
    metadata?: Record<string, unknown> | null
    session?: Schemas['SessionBody'] | null
    options?: Schemas['QualificationOptions'] | null
  }
  QualificationFilters: {
    junction?: string | null
    category_id?: {
      conditions?: {
        $is?: Array<string> | null
        $is_not?: Array<string> | null
        $in?: Array<string> | null
        $not_in?: Array<string> | null
        $has_value?: Array<unknown> | null
        $is_unknown?: Array<unknown> | null
      } | null
    } | null
    campaign_id?: {
      conditions?: {
        $is?: Array<string> | null
        $is_not?: Array<string> | null
        $in?: Array<string> | null
        $not_in?: Array<string> | null
        $has_value?: Array<unknown> | null
        $is_unknown?: Array<unknown> | null
      } | null
    } | null
    campaign_type?: {
      conditions?: {
        $is?: Array<string> | null
        $is_not?: Array<string> | null
        $in?: Array<string> | null
        $not_in?: Array<string> | null
        $has_value?: Array<unknown> | null
        $is_unknown?: Array<unknown> | null
      } | null
    } | null
    resource_id?: {
      conditions?: {
        $is?: Array<string> | null
        $is_not?: Array<string> | null
        $in?: Array<string> | null
        $not_in?: Array<string> | null
        $has_value?: Array<unknown> | null
        $is_unknown?: Array<unknown> | null
      } | null
    } | null
    resource_type?: {
      conditions?: {
        $is?: Array<string> | null
        $is_not?: Array<string> | null
        $in?: Array<string> | null
        $not_in?: Array<string> | null
        $has_value?: Array<unknown> | null
        $is_unknown?: Array<unknown> | null
      } | null
    } | null
    voucher_type?: {
      conditions?: {
        $is?: Array<string> | null
        $is_not?: Array<string> | null
        $in?: Array<string> | null
        $not_in?: Array<string> | null
        $has_value?: Array<unknown> | null
        $is_unknown?: Array<unknown> | null
      } | null
    } | null
    code?: {
      conditions?: {
        $is?: Array<string> | null
        $is_not?: Array<string> | null
        $in?: Array<string> | null
        $not_in?: Array<string> | null
        $has_value?: Array<unknown> | null
        $is_unknown?: Array<unknown> | null
      } | null
    } | null
    holder_role?: {
      conditions?: {
        $is?: Array<string> | null
        $is_not?: Array<string> | null
        $in?: Array<string> | null
        $not_in?: Array<string> | null
        $has_value?: Array<unknown> | null
        $is_unknown?: Array<unknown> | null
      } | null
    } | null
  }
  QualificationOptions: {
    limit?: number | null
    starting_after?: string | null
    sorting_rule?: 'DEFAULT' | 'BEST_DEAL' | 'LEAST_DEAL' | null
    expand?: Array<string> | null
    filters?: Schemas['QualificationFilters'] | null
    explain?: boolean | null
    as_of?: string | null
  }
  QualifiedRedeemable: {
    id: string
    object: 'voucher' | 'promotion_tier' | 'promotion_stack' | 'campaign'
    created_at: string
    result: {
      discount?: Schemas['AppliedDiscount']
      gift?: { balance: number; credits: number; locked_credits?: number }
      loyalty_card?: { points: number; balance: number; exchange_ratio?: number; points_ratio?: number }
      bundle?: Schemas['BundleResult']
    }
    order?: Schemas['CalculatedOrderView']
    applicable_to?: Schemas['CoveredEntries']
    inapplicable_to?: Schemas['CoveredEntries']
    metadata?: Record<string, unknown>
    name?: string
    banner?: string
    campaign_id?: string
    campaign_name?: string
    categories?: Array<Schemas['CategoryInResult']>
    validation_rules_assignments?: {
      object: 'list'
      data_ref: 'data'
      data: Array<Schemas['JudgedAssignment']>
      total: number
    }
    explanation?: Schemas['ExplanationView']
    redeemables?: Array<Schemas['QualifiedTier']>
  }
  QualifiedTier: {
    id: string
    object: 'voucher' | 'promotion_tier' | 'promotion_stack' | 'campaign'
    created_at: string
    result: {
      discount?: Schemas['AppliedDiscount']
      gift?: { balance: number; credits: number; locked_credits?: number }
      loyalty_card?: { points: number; balance: number; exchange_ratio?: number; points_ratio?: number }
      bundle?: Schemas['BundleResult']
    }
    order?: Schemas['CalculatedOrderView']
    applicable_to?: Schemas['CoveredEntries']
    inapplicable_to?: Schemas['CoveredEntries']
    metadata?: Record<string, unknown>
    name?: string
    banner?: string
    campaign_id?: string
    campaign_name?: string
    categories?: Array<Schemas['CategoryInResult']>
    validation_rules_assignments?: {
      object: 'list'
      data_ref: 'data'
      data: Array<Schemas['JudgedAssignment']>
      total: number
    }
    explanation?: Schemas['ExplanationView']
  }
  RedeemReward: {
    reward?: Schemas['RewardBody'] | null
    order?: Schemas['CheckoutOrder'] | null
    metadata?: Record<string, unknown> | null
  }
  RedeemableBody: {
    object: 'voucher' | 'promotion_tier' | 'promotion_stack'
    id: string
    gift?: Schemas['GiftBody'] | null
    reward?: Schemas['RewardBody'] | null
  }
  RedeemableHolder: {
    id: string
    created_at: string
    redeemable_id: string
    redeemable_object: 'voucher'
    campaign_id: string
    campaign_type: 'REFERRAL_PROGRAM'
    voucher_type: 'DISCOUNT_VOUCHER' | 'GIFT_VOUCHER' | 'LOYALTY_CARD'
    customer_id: string
    holder_role: 'OWNER' | 'REFERRER' | 'REFEREE'
    metadata?: Record<string, unknown>
    object: 'redeemable_holder'
  }
  RedeemableHolderList: {
    object: 'list'
    data_ref: 'data'
    data: Array<Schemas['RedeemableHolder']>
    total: number
    has_more: boolean
    more_starting_after?: string
  }
  RedeemableResult: {
    status: 'APPLICABLE' | 'INAPPLICABLE' | 'SKIPPED'
    id: string
    object: 'voucher' | 'promotion_tier' | 'promotion_stack'
    order?: Schemas['CalculatedOrderView']
    applicable_to?: Schemas['CoveredEntries']
    inapplicable_to?: Schemas['CoveredEntries']
    result: {
      discount?: Schemas['AppliedDiscount']
      gift?: { balance: number; credits: number }
      loyalty_card?: { points: number }
      bundle?: Schemas['BundleResult']
      error?: Schemas['RefusalView']
      details?: { key: string; message: string }
    }
    metadata?: Record<string, unknown>
    categories?: Array<Schemas['CategoryInResult']>
    campaign_id?: string
    campaign_name?: string
    name?: string
    explanation?: Schemas['ExplanationView']
  }
  RedeemedReward: {
    id: string
    name: string
    type: 'CAMPAIGN' | 'COIN' | 'MATERIAL'
    parameters: Record<string, unknown>
    metadata: Record<string, unknown>
    customer?: {
      id: string
      name: string | null
      email: string | null
      source_id: string | null
      metadata: Record<string, unknown>
      object: 'customer'
    } | null
    assignment_id?: string | null
    loyalty_tier_id?: string | null
    voucher?: Record<string, unknown> | null
    product?: Record<string, unknown> | null
    sku?: Record<string, unknown> | null
    created_at: string
    updated_at: string | null
    object: 'reward'
  }
  RedeemedTier: {
    id: string
    name: string
    banner?: string
    action?: { discount: Schemas['Discount'] }
    metadata: Record<string, unknown>
    hierarchy: number
    promotion_id: string
    campaign_id: string
    campaign: {
      id: string
      start_date: string | null
      expiration_date: string | null
      validity_timeframe?: { interval: string; duration: string }
      validity_day_of_week?: Array<number>
      validity_hours?: { daily: Array<{ start_time: string; expiration_time: string; days_of_week?: Array<number> }> }
      active: boolean
      category_id: string | null
      object: 'campaign'
    }
    active: boolean
    start_date?: string
    expiration_date?: string
    validity_timeframe?: { interval: string; duration: string }
    validity_day_of_week?: Array<number>
    validity_hours?: { daily: Array<{ start_time: string; expiration_time: string; days_of_week?: Array<number> }> }
    summary: {
      redemptions: { total_redeemed: number }
      orders: { total_amount: number; total_discount_amount: number }
    }
    validation_rule_assignments: Schemas['ValidationRuleAssignmentList']
    category_id: string | null
    categories: Array<{
      id: string
      name: string
      hierarchy: number
      created_at: string
      updated_at?: string
      object: 'category'
      stacking_rules_type?: 'JOINT' | 'EXCLUSIVE'
    }>
    created_at: string
    updated_at?: string
    object: 'promotion_tier'
  }
  RedeemedVoucher: {
    id: string
    code: string
    campaign: string | null
    campaign_id: string | null
    category: string | null
    category_id: string | null
    categories: Array<{
      id: string
      name: string
      hierarchy: number
      created_at: string
      updated_at?: string
      object: 'category'
      stacking_rules_type?: 'JOINT' | 'EXCLUSIVE'
    }>
    type: 'DISCOUNT_VOUCHER' | 'GIFT_VOUCHER' | 'LOYALTY_CARD'
    discount: Schemas['Discount'] | null
    gift: Schemas['GiftCredits'] | null
    loyalty_card: Schemas['LoyaltyPoints'] | null
    start_date: string | null
    expiration_date: string | null
    validity_timeframe: { interval: string; duration: string } | null
    validity_day_of_week: Array<number> | null
    validity_hours: {
      daily: Array<{ start_time: string; expiration_time: string; days_of_week?: Array<number> }>
    } | null
    active: boolean
    additional_info: string | null
    metadata: Record<string, unknown>
    assets: { qr: { id: string; url: string }; barcode: { id: string; url: string } }
    is_referral_code: boolean
    created_at: string
    updated_at: string | null
    holder_id?: string
    referrer_id?: string
    validation_rules_assignments?: Schemas['ValidationRuleAssignmentList']
    publish: { object: 'list'; count: number; url: string }
    redemption: {
      quantity: number | null
      redeemed_quantity: number
      redeemed_amount?: number
      redeemed_points?: number
      object: 'list'
      url: string
    }
    object: 'voucher'
    holder?: {
      id: string
      name: string | null
      email: string | null
      source_id: string | null
      metadata: Record<string, unknown>
      object: 'customer'
    }
    applicable_to?: Schemas['CoveredEntries']
    inapplicable_to?: Schemas['CoveredEntries']
  }
  Redemption: {
    id: string
    date: string
    customer_id: string | null
    tracking_id: string | null
    metadata: Record<string, unknown> | null
    result: 'SUCCESS' | 'FAILURE'
    failure_code?: string
    failure_message?: string
    order: Schemas['RedemptionOrder'] | null
    channel: { channel_id: string; channel_type: 'API' | 'AUTO_REDEEM' }
    customer: {
      id: string
      name: string | null
      email: string | null
      source_id: string | null
      metadata: Record<string, unknown>
      object: 'customer'
    } | null
    related_object_type: 'voucher' | 'promotion_tier' | 'redemption'
    related_object_id: string
    voucher: Schemas['RedeemedVoucher'] | null
    promotion_tier?: Schemas['RedeemedTier']
    reward?: Schemas['RedeemedReward']
    object: 'redemption'
    status: 'SUCCEEDED' | 'FAILED' | 'ROLLED_BACK'
    amount?: number
    redemption?: string
    session?: { key: string }
    related_redemptions?: {
      rollbacks: Array<{ id: string; date: string; rollback_order_mode?: 'WITH_ORDER' | 'WITHOUT_ORDER' }>
      redemptions: Array<{ id: string; date: string }>
    }
    gift?: { amount: number }
    loyalty_card?: { points: number }
  }
  RedemptionBody: {
    redeemables: Schemas['redeemables']
    customer?: Schemas['CheckoutCustomer'] | null
    order?: Schemas['CheckoutOrder'] | null
    tracking_id?: string | null
    metadata?: Record<string, unknown> | null
    session?: Schemas['SessionBody'] | null
    options?: Schemas['ValidationOptions'] | null
  }
  RedemptionEntry: Schemas['Redemption'] | Schemas['RedemptionRollback']
  RedemptionExportParameters: {
    order?:
      | '-created_at'
      | 'created_at'
      | '-id'
      | 'id'
      | '-voucher_code'
      | 'voucher_code'
      | '-tracking_id'
      | 'tracking_id'
      | '-customer_id'
      | 'customer_id'
      | null
    fields?: Array<string> | null
    filters?: Record<string, unknown> | null
  }
  RedemptionLimit: { quantity?: number | null }
  RedemptionList: {
    object: 'list'
    data_ref: 'redemptions'
    redemptions: Array<Schemas['RedemptionEntry']>
    total: number
  }
  RedemptionOrder: {
    id: string
    source_id: string | null
    amount?: number
    initial_amount?: number
    discount_amount?: number
    items_discount_amount?: number
    total_discount_amount?: number
    total_amount?: number
    applied_discount_amount?: number
    items_applied_discount_amount?: number
    total_applied_discount_amount?: number
    items: Array<Schemas['OrderItem']>
    metadata?: Record<string, unknown>
    customer?: { id: string; object: 'customer' }
    referrer?: { id: string; object: 'customer' }
    redemptions?: Record<
      string,
      {
        date?: string
        related_object_type?: string
        related_object_id?: string
        related_object_parent_id?: string
        stacked?: Array<string>
        rollback_id?: string
        rollback_date?: string
        rollback_stacked?: Array<string>
      }
    >
    object: 'order'
    status?: 'CREATED' | 'PAID' | 'CANCELED' | 'FULFILLED'
    customer_id?: string | null
    referrer_id?: string | null
    created_at?: string
    updated_at?: string | null
  }
  RedemptionRollback: {
    id: string
    date: string
    customer_id: string | null
    tracking_id: string | null
    metadata: Record<string, unknown> | null
    result: 'SUCCESS' | 'FAILURE'
    failure_code?: string
    failure_message?: string
    order: Schemas['RedemptionOrder'] | null
    channel: { channel_id: string; channel_type: 'API' | 'AUTO_REDEEM' }
    customer: {
      id: string
      name: string | null
      email: string | null
      source_id: string | null
      metadata: Record<string, unknown>
      object: 'customer'
    } | null
    related_object_type: 'voucher' | 'promotion_tier' | 'redemption'
    related_object_id: string
    voucher: Schemas['RedeemedVoucher'] | null
    promotion_tier?: Schemas['RedeemedTier']
    reward?: Schemas['RedeemedReward']
    object: 'redemption_rollback'
    status: 'SUCCEEDED' | 'FAILED'
    amount?: number
    redemption?: string
    reason?: string
    related_redemptions?: { redemptions: Array<{ id: string; date: string }> }
    gift?: { amount: number }
    loyalty_card?: { points: number }
  }
  RedemptionRollbacks: {
    rollbacks: Array<Schemas['RedemptionRollback']>
    parent_rollback?: Schemas['RedemptionRollback']
    order: Schemas['RedemptionOrder'] | null
  }
  RedemptionsAnswer: {
    redemptions: Array<Schemas['ExplainedRedemption']>
    parent_redemption?: Schemas['Redemption']
    order: Schemas['RedemptionOrder'] | null
    inapplicable_redeemables: Array<Schemas['RedeemableResult']>
    skipped_redeemables: Array<Schemas['RedeemableResult']>
  }
  ReferralHolders: { holders: Array<Schemas['RedeemableHolder']> }
  ReferralHoldersBody: { holders: Array<Schemas['CustomerBody']>; metadata?: Record<string, unknown> | null }
  ReferralProgram: {
    conversion_event_type: 'redemption' | 'custom_event'
    custom_event?: { id: string; name: string }
    referee_reward?: {
      related_object_parent: { id: string; name: string; object: 'CAMPAIGN' }
      type: 'LOYALTY_CARD' | 'GIFT_VOUCHER'
      amount: number
    }
  }
  ReferralProgramBody: {
    conversion_event_type?: 'redemption' | 'custom_event' | null
    custom_event?: { id?: string | null; name?: string | null } | null
    referee_reward?: {
      related_object_parent: { id?: string | null; name?: string | null }
      type: 'LOYALTY_CARD' | 'GIFT_VOUCHER'
      amount: number
    } | null
  }
  ReferralTier: {
    id: string
    campaign_id: string
    banner: string | null
    parameters: { criteria: 'EACH_REFEREE' | 'MIN_REFEREES'; min_referees?: number; segment?: { id: string } }
    reward: { id: string; assignment_id: string }
    created_at: string
    updated_at: string | null
    object: 'referral_tier'
  }
  ReferralTierList: { object: 'list'; data_ref: 'data'; data: Array<Schemas['ReferralTier']>; total: number }
  RefusalView: {
    code: number
    key: string
    message: string
    details?: string
    request_id?: string
    resource_id?: string
    resource_type?: string
    redeemable_id?: string
    redeemable_type?: string
    error?: { message: string }
  }
  Reward: {
    id: string
    name: string
    type: 'CAMPAIGN' | 'COIN' | 'MATERIAL'
    parameters: Schemas['RewardParameters']
    stock: number | null
    redeemed: number | null
    attributes: Schemas['RewardAttributes']
    metadata: Record<string, unknown>
    created_at: string
    updated_at: string | null
    object: 'reward'
  }
  RewardAssignment: {
    id: string
    reward_id: string
    related_object_id: string
    related_object_type: 'campaign' | 'referral_tier'
    parameters?: { loyalty: { points: number; auto_redeem?: boolean } }
    created_at: string
    updated_at: string | null
    object: 'reward_assignment'
  }
  RewardAssignmentList: { object: 'list'; data_ref: 'data'; data: Array<Schemas['RewardAssignment']>; total: number }
  RewardAssignments: Array<Schemas['RewardAssignment']>
  RewardAttributes: { image_url?: string; description?: string }
  RewardBody: { id?: string | null; assignment_id?: string | null; points?: (number | string) | null }
  RewardList: { object: 'list'; data_ref: 'data'; data: Array<Schemas['Reward']>; total: number }
  RewardMapping:
    | { type: 'MULTIPLY'; multiplier: number }
    | { type: 'CUSTOM'; points: number }
    | { type: 'NOT_AVAILABLE' }
  RewardParameters: Schemas['CampaignReward'] | Schemas['CoinReward'] | Schemas['MaterialReward']
  RollBackRedemption: {
    reason?: string | null
    tracking_id?: string | null
    customer?: Schemas['CheckoutCustomer'] | null
    order?: { id?: string | null; source_id?: string | null } | null
    metadata?: Record<string, unknown> | null
  }
  Segment: {
    id: string
    name: string
    type: 'auto-update' | 'passive' | 'static'
    filter: Record<string, unknown> | null
    initial_sync_status: 'IN_PROGRESS' | 'DONE'
    created_at: string
    updated_at: string | null
    object: 'segment'
  }
  SegmentList: { object: 'list'; data_ref: 'data'; data: Array<Schemas['Segment']>; total: number }
  SegmentReference: { id: string; name: string; object: 'segment' }
  Sendout: {
    id: string
    object: 'webhook_sendout'
    webhook_id: string
    type: string
    status: 'PENDING' | 'RETRYING' | 'SUCCEEDED' | 'FAILED'
    reason: string | null
    test: boolean
    source: { id: string; object: 'webhook'; target_url: string }
    target_url: string
    request_id: string
    event_id: string | null
    event_created_at: string | null
    created_at: string
    executed_at: string | null
    next_attempt_at: string | null
    attempts: Array<{
      at: string
      status_code: number | null
      duration_ms: number
      error: string | null
      response_body: string | null
    }>
    data: Record<string, unknown>
  }
  SendoutList: {
    object: 'list'
    data_ref: 'data'
    data: Array<Schemas['Sendout']>
    has_more: boolean
    more_starting_after?: string
  }
  SessionBody: {
    type?: 'LOCK' | null
    key?: string | null
    ttl?: number | null
    ttl_unit?: 'DAYS' | 'HOURS' | 'MINUTES' | 'SECONDS' | 'MILLISECONDS' | 'MICROSECONDS' | 'NANOSECONDS' | null
  }
  SessionView: { key: string; type: 'LOCK'; ttl: number; ttl_unit: string }
  SetVoucherExpiration: { expiration_date: string; customer?: string; tracking_id?: string }
  Shape:
    | { type: 'circle'; format?: 'distance' | null; distance: { center: string; radius: string } }
    | {
        type: 'polygon'
        format?: 'geojson' | null
        geojson:
          | { type: 'Polygon'; coordinates: Array<Array<Array<number>>> }
          | { type: 'MultiPolygon'; coordinates: Array<Array<Array<Array<number>>>> }
      }
  SingleRedemptionBody: {
    customer?: Schemas['CheckoutCustomer'] | null
    order?: Schemas['CheckoutOrder'] | null
    tracking_id?: string | null
    metadata?: Record<string, unknown> | null
    session?: Schemas['SessionBody'] | null
    gift?: Schemas['GiftBody'] | null
    reward?: Schemas['RewardBody'] | null
    options?: Schemas['ValidationOptions'] | null
  }
  Sku: {
    id: string
    source_id: string | null
    product_id: string
    sku: string | null
    price: number | null
    currency: string | null
    attributes: Record<string, unknown>
    image_url: string | null
    metadata: Record<string, unknown>
    created_at: string
    updated_at: string | null
    object: 'sku'
  }
  SkuExportParameters: {
    order?: '-created_at' | 'created_at' | null
    fields?: Array<string> | null
    filters?: Record<string, unknown> | null
  }
  SkuList: { object: 'list'; data_ref: 'skus'; skus: Array<Schemas['Sku']>; total: number }
  SkusOfProduct: { object: 'list'; data_ref: 'data'; data: Array<Schemas['Sku']>; total: number }
  StackingRules: {
    id: string
    exclusive_categories: Array<string>
    joint_categories: Array<string>
    redeemables_limit: number
    applicable_redeemables_limit: number
    applicable_redeemables_per_category_limit: number | null
    applicable_redeemables_category_limits: Record<string, number>
    applicable_exclusive_redeemables_limit: number
    applicable_exclusive_redeemables_per_category_limit: number | null
    discount_calculation_mode: 'INITIAL_AMOUNT' | 'DISCOUNTED_AMOUNT'
    initial_amount_mode_categories: Array<string>
    discounted_amount_mode_categories: Array<string>
    redeemables_application_mode: 'ALL' | 'PARTIAL'
    redeemables_sorting_rule: 'CATEGORY_HIERARCHY' | 'REQUESTED_ORDER'
    redeemables_products_application_mode: 'STACK' | 'ONCE'
    redeemables_no_effect_rule: 'REDEEM_ANYWAY' | 'SKIP'
    no_effect_skip_categories: Array<string>
    no_effect_redeem_anyway_categories: Array<string>
    redeemables_rollback_order_mode: 'WITH_ORDER' | 'WITHOUT_ORDER'
    grouped_redeemables_sorting_rule: 'JOINT_ALWAYS_LAST' | 'SORTING_RULE_ORDER'
    created_at: string
    updated_at: string | null
  }
  StackingRulesBody: {
    exclusive_categories?: Array<string>
    joint_categories?: Array<string>
    redeemables_limit?: number
    applicable_redeemables_limit?: number
    applicable_redeemables_per_category_limit?: number | null
    applicable_redeemables_category_limits?: Record<string, number>
    applicable_exclusive_redeemables_limit?: number
    applicable_exclusive_redeemables_per_category_limit?: number | null
    discount_calculation_mode?: 'INITIAL_AMOUNT' | 'DISCOUNTED_AMOUNT'
    initial_amount_mode_categories?: Array<string>
    discounted_amount_mode_categories?: Array<string>
    redeemables_application_mode?: 'ALL' | 'PARTIAL'
    redeemables_sorting_rule?: 'CATEGORY_HIERARCHY' | 'REQUESTED_ORDER'
    redeemables_products_application_mode?: 'STACK' | 'ONCE'
    redeemables_no_effect_rule?: 'REDEEM_ANYWAY' | 'SKIP'
    no_effect_skip_categories?: Array<string>
    no_effect_redeem_anyway_categories?: Array<string>
    redeemables_rollback_order_mode?: 'WITH_ORDER' | 'WITHOUT_ORDER'
    grouped_redeemables_sorting_rule?: 'JOINT_ALWAYS_LAST' | 'SORTING_RULE_ORDER'
  }
  StackingRulesList: { object: 'list'; data_ref: 'data'; data: Array<Schemas['StackingRules']>; total: number }
  StackingRulesView: {
    exclusive_categories: Array<string>
    joint_categories: Array<string>
    redeemables_limit: number
    applicable_redeemables_limit: number
    applicable_redeemables_per_category_limit: number | null
    applicable_redeemables_category_limits: Record<string, number>
    applicable_exclusive_redeemables_limit: number
    applicable_exclusive_redeemables_per_category_limit: number | null
    discount_calculation_mode: 'INITIAL_AMOUNT' | 'DISCOUNTED_AMOUNT'
    initial_amount_mode_categories: Array<string>
    discounted_amount_mode_categories: Array<string>
    redeemables_application_mode: 'ALL' | 'PARTIAL'
    redeemables_sorting_rule: 'CATEGORY_HIERARCHY' | 'REQUESTED_ORDER'
    redeemables_products_application_mode: 'STACK' | 'ONCE'
    redeemables_no_effect_rule: 'REDEEM_ANYWAY' | 'SKIP'
    no_effect_skip_categories: Array<string>
    no_effect_redeem_anyway_categories: Array<string>
    redeemables_rollback_order_mode: 'WITH_ORDER' | 'WITHOUT_ORDER'
    grouped_redeemables_sorting_rule: 'JOINT_ALWAYS_LAST' | 'SORTING_RULE_ORDER'
  }
  StartedAsyncAction: { async_action_id: string }
  Step:
    | { step: 'check'; check: string; expected: unknown; actual: unknown; passed: boolean }
    | { step: 'limit'; limit: string; used: number; allowed: number; passed: boolean }
    | Record<string, unknown>
    | { step: 'bundle'; quantity: number; limit: number }
    | { step: 'formula'; field: string; formula: string; line?: number; value?: string; fault?: string }
    | {
        step: 'amount'
        line?: number
        base?: string
        exact?: string
        rounded: number
        cuts: Array<Schemas['Cut']>
        amount: number
      }
    | {
        step: 'units'
        line: number
        quantity: number
        how: 'freed' | 'added' | 'replaced' | 'received'
        amount: number
      }
  StoredEvent: {
    id: string
    type: string
    data: Record<string, unknown>
    created_at: string
    group_id: string
    category: 'ACTION' | 'EFFECT'
    event_source: {
      channel: 'API' | 'CLIENT_API' | 'USER_PORTAL' | 'INTERNAL'
      api_key?: { name: string; app_id: string }
      user?: { id: string }
    }
    entity_id: string
  }
  StoredEventList: {
    object: 'list'
    data_ref: 'data'
    data: Array<Schemas['StoredEvent']>
    has_more: boolean
    cursor: string
  }
  TemplateCampaign: {
    type: 'AUTO_UPDATE' | 'STATIC' | 'STANDALONE'
    join_once: boolean
    auto_join: boolean
    use_voucher_metadata_schema: boolean
    description?: string
    metadata?: Record<string, unknown>
    start_date?: string
    expiration_date?: string
    validity_timeframe?: { interval: string; duration: string }
    validity_day_of_week?: Array<number>
    validity_hours?: { daily: Array<{ start_time: string; expiration_time: string; days_of_week?: Array<number> }> }
    activity_duration_after_publishing?: string
    voucher: {
      type: 'DISCOUNT_VOUCHER' | 'GIFT_VOUCHER' | 'LOYALTY_CARD'
      discount?: Schemas['Discount']
      gift?: { amount: number; effect?: 'APPLY_TO_ORDER' | 'APPLY_TO_ITEMS' }
      redemption: { quantity: number | null }
      code_config?: { length: number; charset: string; pattern: string; prefix?: string; postfix?: string }
    }
  }
  TemplateRule: {
    name: string
    rules: Record<string, unknown>
    bundle_rules?: Record<string, unknown>
    error?: Schemas['CustomMessage']
    applicable_to: Schemas['ApplicableTo']
    type: 'expression' | 'basic' | 'advanced' | 'complex'
    context_type:
      | 'global'
      | 'campaign.loyalty_program'
      | 'voucher.loyalty_card'
      | 'reward_assignment.pay_with_points'
      | 'earning_rule.order.paid'
      | 'earning_rule.custom_event'
      | 'earning_rule.customer.segment.entered'
      | 'earning_rule.customer.tier.joined'
      | 'earning_rule.customer.tier.left'
      | 'earning_rule.customer.tier.upgraded'
      | 'earning_rule.customer.tier.downgraded'
      | 'earning_rule.customer.tier.prolonged'
      | 'distribution.custom_event'
      | 'distribution.order.paid'
      | 'distribution.order.created'
      | 'distribution.order.canceled'
      | 'distribution.order.updated'
      | 'campaign.discount_coupons'
      | 'campaign.discount_coupons.discount.apply_to_order'
      | 'campaign.discount_coupons.discount.apply_to_items'
      | 'campaign.discount_coupons.discount.apply_to_items_proportionally'
      | 'campaign.discount_coupons.discount.apply_to_items_proportionally_by_quantity'
      | 'campaign.discount_coupons.discount.apply_to_items_by_quantity'
      | 'campaign.discount_coupons.discount.fixed.apply_to_items'
      | 'campaign.discount_coupons.discount.percent.apply_to_items'
      | 'campaign.referral_program'
      | 'campaign.referral_program.discount.apply_to_order'
      | 'campaign.referral_program.discount.apply_to_items'
      | 'campaign.referral_program.discount.apply_to_items_proportionally'
      | 'campaign.referral_program.discount.apply_to_items_proportionally_by_quantity'
      | 'campaign.referral_program.discount.apply_to_items_by_quantity'
      | 'campaign.referral_program.discount.fixed.apply_to_items'
      | 'campaign.referral_program.discount.percent.apply_to_items'
      | 'campaign.promotion'
      | 'campaign.promotion.discount.apply_to_order'
      | 'campaign.promotion.discount.apply_to_items'
      | 'campaign.promotion.discount.apply_to_items_proportionally'
      | 'campaign.promotion.discount.apply_to_items_proportionally_by_quantity'
      | 'campaign.promotion.discount.apply_to_items_by_quantity'
      | 'campaign.promotion.discount.fixed.apply_to_items'
      | 'campaign.promotion.discount.percent.apply_to_items'
      | 'voucher.discount_voucher'
      | 'voucher.discount_voucher.discount.apply_to_order'
      | 'voucher.discount_voucher.discount.apply_to_items'
      | 'voucher.discount_voucher.discount.apply_to_items_proportionally'
      | 'voucher.discount_voucher.discount.apply_to_items_proportionally_by_quantity'
      | 'voucher.discount_voucher.discount.apply_to_items_by_quantity'
      | 'voucher.discount_voucher.discount.fixed.apply_to_items'
      | 'voucher.discount_voucher.discount.percent.apply_to_items'
      | 'campaign.gift_vouchers'
      | 'campaign.gift_vouchers.gift.apply_to_order'
      | 'campaign.gift_vouchers.gift.apply_to_items'
      | 'voucher.gift_voucher'
      | 'voucher.gift_voucher.gift.apply_to_order'
      | 'voucher.gift_voucher.gift.apply_to_items'
  }
  TestWebhook: {
    type:
      | 'redemption.succeeded'
      | 'redemption.failed'
      | 'redemption.rollback.succeeded'
      | 'redemption.rollback.failed'
      | 'publication.succeeded'
      | 'voucher.created'
      | 'voucher.updated'
      | 'voucher.enabled'
      | 'voucher.disabled'
      | 'voucher.deleted'
      | 'voucher.published'
      | 'voucher.gift.balance_added'
      | 'voucher.gift.transaction.created'
      | 'voucher.loyalty_card.points_added'
      | 'voucher.loyalty_card.points_expired'
      | 'voucher.loyalty_card.pending_points.added'
      | 'voucher.loyalty_card.pending_points.updated'
      | 'voucher.loyalty_card.pending_points.canceled'
      | 'voucher.loyalty_card.pending_points.activated'
      | 'voucher.loyalty_card.transaction.created'
      | 'campaign.created'
      | 'campaign.updated'
      | 'campaign.enabled'
      | 'campaign.disabled'
      | 'campaign.deleted'
      | 'campaign.vouchers.generation.started'
      | 'campaign.vouchers.generation.completed'
      | 'campaign.vouchers.generation.failed'
      | 'campaign.vouchers.added'
      | 'campaign.promotion_tier.created'
      | 'campaign.promotion_tier.updated'
      | 'campaign.promotion_tier.enabled'
      | 'campaign.promotion_tier.disabled'
      | 'campaign.promotion_tier.deleted'
      | 'campaign.promotion_stack.created'
      | 'campaign.promotion_stack.updated'
      | 'campaign.promotion_stack.deleted'
      | 'campaign.loyalty_tier.created'
      | 'campaign.loyalty_tier.updated'
      | 'campaign.loyalty_tier.deleted'
      | 'campaign.earning_rule.assigned'
      | 'campaign.earning_rule.updated'
      | 'campaign.earning_rule.enabled'
      | 'campaign.earning_rule.disabled'
      | 'campaign.earning_rule.deleted'
      | 'campaign.reward.assignment.created'
      | 'campaign.reward.assignment.updated'
      | 'campaign.reward.assignment.deleted'
      | 'campaign.referral_tier.created'
      | 'campaign.referral_tier.updated'
      | 'campaign.referral_tier.deleted'
      | 'business_validation_rule.created'
      | 'business_validation_rule.updated'
      | 'business_validation_rule.deleted'
      | 'business_validation_rule.assignment.created'
      | 'business_validation_rule.assignment.deleted'
      | 'customer.created'
      | 'customer.updated'
      | 'customer.deleted'
      | 'customer.confirmed'
      | 'customer.rewarded'
      | 'customer.rewarded.loyalty_points'
      | 'customer.reward_redemptions.created'
      | 'customer.reward_redemptions.pending'
      | 'customer.reward_redemptions.rolledback'
      | 'customer.reward_redemptions.completed'
      | 'customer.holder.assignment.created'
      | 'customer.holder.assignment.deleted'
      | 'campaign.vouchers.aded'
      | 'voucher.gift.balance_aded'
      | 'voucher.loyalty_card.points_aded'
      | 'voucher.loyalty_card.pending_points.aded'
  }
  TierDateRounding:
    | { type: 'MONTH' | 'QUARTER' | 'HALF_YEAR' | 'YEAR'; strategy?: 'START' | 'END' | null }
    | { type: 'CUSTOM'; strategy?: 'START' | 'END' | null; unit: 'MONTH'; value: number }
  TierExpiration:
    | {
        qualification_type: 'BALANCE'
        start_date?: { type: 'IMMEDIATE' } | null
        expiration_date:
          | { type: 'BALANCE_DROP' }
          | { type: 'CUSTOM'; extend: string; rounding?: Schemas['TierDateRounding'] | null }
      }
    | {
        qualification_type: 'POINTS_IN_PERIOD'
        qualification_period: 'MONTH' | 'QUARTER' | 'HALF_YEAR' | 'YEAR'
        start_date: { type: 'IMMEDIATE' | 'NEXT_PERIOD' }
        expiration_date: { type: 'END_OF_PERIOD' | 'END_OF_NEXT_PERIOD'; extend?: string | null }
      }
  TierRange: { from?: number | null; to?: number | null }
  TrackEvent: {
    event: string
    customer: Schemas['CustomerBody']
    referral?: { code: string; referrer_id?: string | null } | null
    loyalty?: { code: string } | null
    metadata?: Record<string, unknown> | null
  }
  TrackedEvent: {
    object: 'event'
    type: string
    customer: {
      id: string
      name: string | null
      email: string | null
      source_id: string | null
      metadata: Record<string, unknown>
      object: 'customer'
    }
    referral: null
    loyalty: null
    metadata: Record<string, unknown>
  }
  TransactionExportParameters: {
    order?: '-created_at' | 'created_at' | null
    fields?: Array<string> | null
    filters?: Record<string, unknown> | null
  }
  TransactionList: {
    object: 'list'
    data_ref: 'data'
    data: Array<{
      id: string
      source_id: string | null
      voucher_id: string
      campaign_id: string | null
      source: string | null
      reason: string | null
      type:
        | 'CREDITS_ADDITION'
        | 'CREDITS_REMOVAL'
        | 'CREDITS_REDEMPTION'
        | 'CREDITS_REFUND'
        | 'POINTS_ACCRUAL'
        | 'POINTS_ADDITION'
        | 'POINTS_REMOVAL'
        | 'POINTS_REDEMPTION'
        | 'POINTS_REFUND'
        | 'POINTS_EXPIRATION'
        | 'POINTS_TRANSFER_IN'
        | 'POINTS_TRANSFER_OUT'
        | 'PENDING_POINTS_ACTIVATION'
      details: Record<string, unknown>
      related_transaction_id: string | null
      created_at: string
    }>
    total?: number
    has_more: boolean
    more_starting_after?: string
  }
  TransferPoints: Array<{ code: string; points: number | string; reason?: string | null; source_id?: string | null }>
  UnderstoodOrder: {
    id?: string
    source_id?: string | null
    status?: 'CREATED' | 'PAID' | 'CANCELED' | 'FULFILLED'
    amount?: number
    initial_amount?: number
    discount_amount?: number
    items_discount_amount?: number
    total_discount_amount?: number
    total_amount?: number
    applied_discount_amount?: number
    items_applied_discount_amount?: number
    total_applied_discount_amount?: number
    items: Array<{
      object: 'order_item'
      id?: string
      source_id?: string
      related_object?: 'product' | 'sku'
      product_id?: string
      sku_id?: string
      quantity: number
      initial_quantity?: number
      price?: number
      amount?: number
      initial_amount?: number
      discount_amount?: number
      applied_discount_amount?: number
      discount_quantity?: number
      applied_discount_quantity?: number
      applied_quantity?: number
      applied_quantity_amount?: number
      subtotal_amount?: number
      product?: Schemas['OrderProduct']
      sku?: Schemas['OrderSku']
      metadata?: Record<string, unknown>
      application_details?: Array<Schemas['ApplicationDetail']>
    }>
    metadata?: Record<string, unknown>
    customer_id?: string | null
    referrer_id?: string | null
    customer?: { id: string; object: 'customer' }
    referrer?: { id: string; object: 'customer' }
    redemptions?: Record<
      string,
      {
        date?: string
        related_object_type?: string
        related_object_id?: string
        related_object_parent_id?: string
        stacked?: Array<string>
        rollback_id?: string
        rollback_date?: string
        rollback_stacked?: Array<string>
      }
    >
    created_at?: string
    updated_at?: string | null
    object: 'order'
  }
  UnitDiscount: {
    type: 'UNIT'
    unit_off?: number | null
    unit_off_formula?: string | null
    unit_type?: string | null
    units?: Array<Schemas['FreeUnits']> | null
    effect?: 'ADD_MISSING_ITEMS' | 'ADD_NEW_ITEMS' | 'ADD_MANY_ITEMS' | 'ADD_SAME_ITEMS' | 'REPLACE_ITEMS' | null
    product?: { id?: string | null; source_id?: string | null; name?: string | null } | null
    sku?: { id?: string | null; source_id?: string | null; sku?: string | null } | null
  }
  UpdateApiKey: { name?: string; role?: string; ip_whitelist?: Array<string>; status?: 'ACTIVE' | 'BLOCKED' }
  UpdateBranding: {
    brand?: {
      name?: string
      privacy_policy_url?: string | null
      terms_of_use_url?: string | null
      permission_reminder?: string | null
      website_url?: string | null
    }
    address?: { street?: string; city?: string; postal?: string | null; state?: string | null; country?: string }
    contact?: { email?: string; phone?: string | null }
  }
  UpdateCampaign: {
    description?: string | null
    start_date?: string | null
    expiration_date?: string | null
    validity_timeframe?: { interval?: string; duration?: string } | null
    validity_day_of_week?: Array<number> | null
    validity_hours?: {
      daily: Array<{ start_time: string; expiration_time: string; days_of_week?: Array<number> }>
    } | null
    activity_duration_after_publishing?: string | null
    category?: string | null
    category_id?: string | null
    type?: 'AUTO_UPDATE' | 'STATIC' | 'STANDALONE'
    join_once?: boolean
    auto_join?: boolean
    metadata?: Record<string, unknown>
    unset_metadata_fields?: Array<string>
    discount?: Record<string, unknown>
    gift?: Record<string, unknown>
    loyalty_card?: Record<string, unknown>
    referral_program?: Schemas['ReferralProgramBody']
    loyalty_tiers_expiration?: Schemas['TierExpiration']
    options?: { recalculate_tiers?: boolean | null } | null
    default_voucher_redemption?: Schemas['RedemptionLimit']
  }
  UpdateCampaignTemplate: { name?: string; description?: string | null }
  UpdateConsent: { name?: string; description?: string; category?: string }
  UpdateConsentGroup: { name?: string; description?: string; consents?: Array<string> }
  UpdateCustomEventSchema: { schema: { properties: Record<string, Schemas['CustomEventProperty']> } }
  UpdateEarningRule: {
    loyalty?: Schemas['EarningPointsBody'] | { type?: null }
    validation_rule_id?: string | null
    source?: { banner?: string | null } | null
    active?: boolean | null
    pending_points?: { period_type: 'DAY'; period_value: number | string } | null
    expiration_rules?:
      | (
          | {
              period_type: 'MONTH'
              period_value: number | string
              rounding_type?:
                | 'END_OF_MONTH'
                | 'END_OF_QUARTER'
                | 'END_OF_HALF_YEAR'
                | 'END_OF_YEAR'
                | 'PARTICULAR_MONTH'
                | null
              rounding_value?: number | null | string
            }
          | { period_type: 'FIXED_DAY_OF_YEAR'; fixed_month: number | string; fixed_day: number | string }
        )
      | null
    start_date?: string | null
    expiration_date?: string | null
    validity_timeframe?: { interval?: string; duration?: string } | null
    validity_day_of_week?: Array<number | string> | null
    validity_hours?: {
      daily: Array<{ start_time: string; expiration_time: string; days_of_week?: Array<number | string> }>
    } | null
    metadata?: Record<string, unknown> | null
  }
  UpdateLocation: { name?: string; shape?: Schemas['Shape'] }
  UpdateLoyaltyProgram: {
    description?: string | null
    start_date?: string | null
    expiration_date?: string | null
    validity_timeframe?: { interval?: string; duration?: string } | null
    validity_day_of_week?: Array<number | string> | null
    validity_hours?: {
      daily: Array<{ start_time: string; expiration_time: string; days_of_week?: Array<number | string> }>
    } | null
    activity_duration_after_publishing?: string | null
    auto_join?: boolean
    type?: 'AUTO_UPDATE' | 'STATIC' | 'STANDALONE'
    category?: string | null
    category_id?: string | null
    metadata?: Record<string, unknown>
    unset_metadata_fields?: Array<string> | null
    loyalty_card?: {
      points?: number | string
      expiration_rules?:
        | (
            | {
                period_type: 'MONTH'
                period_value: number | string
                rounding_type?:
                  | 'END_OF_MONTH'
                  | 'END_OF_QUARTER'
                  | 'END_OF_HALF_YEAR'
                  | 'END_OF_YEAR'
                  | 'PARTICULAR_MONTH'
                  | null
                rounding_value?: number | null | string
              }
            | { period_type: 'FIXED_DAY_OF_YEAR'; fixed_month: number | string; fixed_day: number | string }
          )
        | null
    }
    loyalty_tiers_expiration?:
      | {
          qualification_type: 'BALANCE'
          start_date?: { type: 'IMMEDIATE' } | null
          expiration_date:
            | { type: 'BALANCE_DROP' }
            | {
                type: 'CUSTOM'
                extend: string
                rounding?:
                  | (
                      | { type: 'MONTH' | 'QUARTER' | 'HALF_YEAR' | 'YEAR'; strategy?: 'START' | 'END' | null }
                      | { type: 'CUSTOM'; strategy?: 'START' | 'END' | null; unit: 'MONTH'; value: number | string }
                    )
                  | null
              }
        }
      | {
          qualification_type: 'POINTS_IN_PERIOD'
          qualification_period: 'MONTH' | 'QUARTER' | 'HALF_YEAR' | 'YEAR'
          start_date: { type: 'IMMEDIATE' | 'NEXT_PERIOD' }
          expiration_date: { type: 'END_OF_PERIOD' | 'END_OF_NEXT_PERIOD'; extend?: string | null }
        }
    options?: { recalculate_tiers?: boolean | null } | null
  }
  UpdateManagedMetadataSchema: {
    allow_defined_only?: boolean | null
    properties: Record<
      string,
      {
        type: 'string' | 'number' | 'boolean' | 'date' | 'datetime' | 'geopoint' | 'image_url' | 'object'
        array?: boolean | null
        optional?: boolean | null
        object_type?: string | null
        min_length?: number | null
        max_length?: number | null
        exact_length?: number | null
        eq?: Array<string | number> | null
        ne?: Array<number> | null
        lt?: number | null
        lte?: number | null
        gt?: number | null
        gte?: number | null
        deleted?: boolean | null
      }
    >
  }
  UpdateMetadataSchema: {
    allow_defined_only?: boolean | null
    properties: Record<
      string,
      {
        type: 'string' | 'number' | 'boolean' | 'date' | 'datetime' | 'geopoint' | 'image_url' | 'object'
        array?: boolean | null
        optional?: boolean | null
        objectType?: string | null
        minLength?: number | null
        maxLength?: number | null
        exactLength?: number | null
        object_type?: string | null
        min_length?: number | null
        max_length?: number | null
        exact_length?: number | null
        eq?: Array<string | number> | null
        ne?: Array<number> | null
        lt?: number | null
        lte?: number | null
        gt?: number | null
        gte?: number | null
        deleted?: boolean | null
      }
    >
  }
  UpdateNotification: { read: boolean }
  UpdateOrder: {
    source_id?: string | number | null
    status?: 'CREATED' | 'PAID' | 'CANCELED' | 'FULFILLED' | null
    amount?: number | string | null
    initial_amount?: number | string | null
    discount_amount?: number | string | null
    items?: Array<Schemas['OrderItemBody']> | null
    metadata?: Record<string, unknown> | null
    customer?: Schemas['CustomerBody'] | null
    referrer?: Schemas['CustomerBody'] | null
    referrer_id?: string | null
    created_at?: string | null
  }
  UpdateProduct: {
    name?: string | null
    price?: number | null | string
    attributes?: Array<string> | null
    metadata?: Record<string, unknown> | null
    image_url?: string | null
  }
  UpdateProductCollection: { name?: string; filter?: Record<string, unknown> | null }
  UpdateProject: {
    name?: string
    description?: string
    timezone?: string
    currency?: string
    dial_code?: string | null
    webhook_version?: 'v2024-01-01'
    client_trusted_domains?: Array<string>
    client_redeem_enabled?: boolean
    client_publish_enabled?: boolean
    client_list_vouchers_enabled?: boolean
    client_create_customer_enabled?: boolean
    client_loyalty_events_enabled?: boolean
    client_set_voucher_expiration_date_enabled?: boolean
    client_identity?: 'proven' | 'claimed'
    client_public_campaigns?: Array<string>
    client_public_codes?: Array<string>
    webhooks_callout_notifications?: {
      distributions?: { email: boolean; in_app: boolean; emails: Array<string> }
      webhooks?: { email: boolean; in_app: boolean; emails: Array<string> }
    }
    api_usage_notifications?: {
      messages?: { enabled: boolean; value: number; in_app: boolean; emails: Array<string> }
      api_calls?: { enabled: boolean; value: number; in_app: boolean; emails: Array<string> }
      bulk_api_calls?: { enabled: boolean; value: number; in_app: boolean; emails: Array<string> }
      webhook_calls?: { enabled: boolean; value: number; in_app: boolean; emails: Array<string> }
      cycle_calls?: { enabled: boolean; value: number; in_app: boolean; emails: Array<string> }
    }
    default_code_config?: { charset: string | null }
  }
  UpdatePromotionStack: {
    name?: string
    tiers?: { ids: Array<string>; hierarchy_mode?: 'MANUAL' }
    category_id?: string | null
  }
  UpdatePromotionTier: {
    name?: string
    banner?: string | null
    action?: { discount?: Record<string, unknown> }
    metadata?: Record<string, unknown>
    hierarchy?: number
    start_date?: string | null
    expiration_date?: string | null
    validity_timeframe?: { interval?: string; duration?: string } | null
    validity_day_of_week?: Array<number> | null
    validity_hours?: {
      daily: Array<{ start_time: string; expiration_time: string; days_of_week?: Array<number> }>
    } | null
    category?: string | null
    category_id?: string | null
    validation_rules?: Array<string> | null
    validation_rule_assignments?: { data?: Array<{ rule_id: string }> | null } | null
    unset_metadata_fields?: Array<string>
  }
  UpdateReferralTier: {
    banner?: string | null
    parameters?:
      | { criteria: 'EACH_REFEREE'; segment?: { id: string } | null }
      | { criteria: 'MIN_REFEREES'; min_referees: number | string; segment?: { id: string } | null }
    reward?: { id: string }
  }
  UpdateReward: {
    name?: string | null
    parameters?: {
      campaign?: { id: string; balance?: number | null | string } | null
      coin?: { exchange_ratio: number | string; points_ratio?: number | null | string } | null
      product?: { id: string; sku_id?: string | null } | null
    } | null
    stock?: number | null | string
    attributes?: { image_url?: string | null; description?: string | null } | null
    metadata?: Record<string, unknown> | null
  }
  UpdateRewardAssignment: {
    parameters?: { loyalty?: { points?: number | null | string; auto_redeem?: boolean | null } | null } | null
    validation_rules?: Array<string> | null
  }
  UpdateSegment: { name?: string; filter?: Record<string, unknown> | null }
  UpdateSku: {
    sku?: string | null
    price?: number | null | string
    currency?: string | null
    attributes?: Record<string, unknown> | null
    image_url?: string | null
    metadata?: Record<string, unknown> | null
  }
  UpdateUser: { role: string }
  UpdateVoucher: {
    start_date?: string | null
    expiration_date?: string | null
    validity_timeframe?: { interval?: string; duration?: string } | null
    validity_day_of_week?: Array<number> | null
    validity_hours?: {
      daily: Array<{ start_time: string; expiration_time: string; days_of_week?: Array<number> }>
    } | null
    category?: string | null
    category_id?: string | null
    active?: boolean | null
    additional_info?: string | null
    metadata?: Record<string, unknown>
    discount?: Record<string, unknown> | null
    unset_metadata_fields?: Array<string>
  }
  UpdateWebhook: {
    target_url?: string
    events?: Array<
      | 'redemption.succeeded'
      | 'redemption.failed'
      | 'redemption.rollback.succeeded'
      | 'redemption.rollback.failed'
      | 'publication.succeeded'
      | 'voucher.created'
      | 'voucher.updated'
      | 'voucher.enabled'
      | 'voucher.disabled'
      | 'voucher.deleted'
      | 'voucher.published'
      | 'voucher.gift.balance_added'
      | 'voucher.gift.transaction.created'
      | 'voucher.loyalty_card.points_added'
      | 'voucher.loyalty_card.points_expired'
      | 'voucher.loyalty_card.pending_points.added'
      | 'voucher.loyalty_card.pending_points.updated'
      | 'voucher.loyalty_card.pending_points.canceled'
      | 'voucher.loyalty_card.pending_points.activated'
      | 'voucher.loyalty_card.transaction.created'
      | 'campaign.created'
      | 'campaign.updated'
      | 'campaign.enabled'
      | 'campaign.disabled'
      | 'campaign.deleted'
      | 'campaign.vouchers.generation.started'
      | 'campaign.vouchers.generation.completed'
      | 'campaign.vouchers.generation.failed'
      | 'campaign.vouchers.added'
      | 'campaign.promotion_tier.created'
      | 'campaign.promotion_tier.updated'
      | 'campaign.promotion_tier.enabled'
      | 'campaign.promotion_tier.disabled'
      | 'campaign.promotion_tier.deleted'
      | 'campaign.promotion_stack.created'
      | 'campaign.promotion_stack.updated'
      | 'campaign.promotion_stack.deleted'
      | 'campaign.loyalty_tier.created'
      | 'campaign.loyalty_tier.updated'
      | 'campaign.loyalty_tier.deleted'
      | 'campaign.earning_rule.assigned'
      | 'campaign.earning_rule.updated'
      | 'campaign.earning_rule.enabled'
      | 'campaign.earning_rule.disabled'
      | 'campaign.earning_rule.deleted'
      | 'campaign.reward.assignment.created'
      | 'campaign.reward.assignment.updated'
      | 'campaign.reward.assignment.deleted'
      | 'campaign.referral_tier.created'
      | 'campaign.referral_tier.updated'
      | 'campaign.referral_tier.deleted'
      | 'business_validation_rule.created'
      | 'business_validation_rule.updated'
      | 'business_validation_rule.deleted'
      | 'business_validation_rule.assignment.created'
      | 'business_validation_rule.assignment.deleted'
      | 'customer.created'
      | 'customer.updated'
      | 'customer.deleted'
      | 'customer.confirmed'
      | 'customer.rewarded'
      | 'customer.rewarded.loyalty_points'
      | 'customer.reward_redemptions.created'
      | 'customer.reward_redemptions.pending'
      | 'customer.reward_redemptions.rolledback'
      | 'customer.reward_redemptions.completed'
      | 'customer.holder.assignment.created'
      | 'customer.holder.assignment.deleted'
      | 'campaign.vouchers.aded'
      | 'voucher.gift.balance_aded'
      | 'voucher.loyalty_card.points_aded'
      | 'voucher.loyalty_card.pending_points.aded'
    >
    active?: boolean
  }
  Usage: {
    api_calls: {
      value: number | null
      limit: number | null
      window: string | null
      resets_at: string | null
      windows: Array<{ value: number; limit: number; window: string; resets_at: string }>
    }
    bulk_api_calls: {
      value: number | null
      limit: number | null
      window: string | null
      resets_at: string | null
      windows: Array<{ value: number; limit: number; window: string; resets_at: string }>
    }
    api_calls_cycle: {
      value: number | null
      limit: number | null
      window: string | null
      resets_at: string | null
      windows: Array<{ value: number; limit: number; window: string; resets_at: string }>
    }
    object: 'usage'
  }
  User: {
    id: string
    login: string
    email: string
    first_name: string
    last_name: string
    projects: Record<string, string>
    is_owner: boolean
    state: 'INVITED' | 'ACTIVE'
  }
  UserList: { object: 'list'; data_ref: 'data'; data: Array<Schemas['User']>; total: number }
  Validation: {
    id: string
    valid: boolean
    redeemables: Array<Schemas['RedeemableResult']>
    skipped_redeemables?: Array<Schemas['RedeemableResult']>
    inapplicable_redeemables?: Array<Schemas['RedeemableResult']>
    order?: Schemas['CalculatedOrderView']
    tracking_id?: string
    session?: Schemas['SessionView']
    stacking_rules: Schemas['StackingRulesView']
  }
  ValidationBody: {
    redeemables: Schemas['redeemables']
    customer?: Schemas['CheckoutCustomer'] | null
    order?: Schemas['CheckoutOrder'] | null
    tracking_id?: string | null
    metadata?: Record<string, unknown> | null
    session?: Schemas['SessionBody'] | null
    options?: Schemas['ValidationOptions'] | null
  }
  ValidationOptions: { expand?: Array<string> | null; explain?: boolean | null; as_of?: string | null }
  ValidationRule: {
    id: string
    name: string
    rules: Record<string, unknown>
    bundle_rules?: Record<string, unknown>
    error?: Schemas['CustomMessage']
    applicable_to: Schemas['ApplicableTo']
    type: 'expression' | 'basic' | 'advanced' | 'complex'
    context_type:
      | 'global'
      | 'campaign.loyalty_program'
      | 'voucher.loyalty_card'
      | 'reward_assignment.pay_with_points'
      | 'earning_rule.order.paid'
      | 'earning_rule.custom_event'
      | 'earning_rule.customer.segment.entered'
      | 'earning_rule.customer.tier.joined'
      | 'earning_rule.customer.tier.left'
      | 'earning_rule.customer.tier.upgraded'
      | 'earning_rule.customer.tier.downgraded'
      | 'earning_rule.customer.tier.prolonged'
      | 'distribution.custom_event'
      | 'distribution.order.paid'
      | 'distribution.order.created'
      | 'distribution.order.canceled'
      | 'distribution.order.updated'
      | 'campaign.discount_coupons'
      | 'campaign.discount_coupons.discount.apply_to_order'
      | 'campaign.discount_coupons.discount.apply_to_items'
      | 'campaign.discount_coupons.discount.apply_to_items_proportionally'
      | 'campaign.discount_coupons.discount.apply_to_items_proportionally_by_quantity'
      | 'campaign.discount_coupons.discount.apply_to_items_by_quantity'
      | 'campaign.discount_coupons.discount.fixed.apply_to_items'
      | 'campaign.discount_coupons.discount.percent.apply_to_items'
      | 'campaign.referral_program'
      | 'campaign.referral_program.discount.apply_to_order'
      | 'campaign.referral_program.discount.apply_to_items'
      | 'campaign.referral_program.discount.apply_to_items_proportionally'
      | 'campaign.referral_program.discount.apply_to_items_proportionally_by_quantity'
      | 'campaign.referral_program.discount.apply_to_items_by_quantity'
      | 'campaign.referral_program.discount.fixed.apply_to_items'
      | 'campaign.referral_program.discount.percent.apply_to_items'
      | 'campaign.promotion'
      | 'campaign.promotion.discount.apply_to_order'
      | 'campaign.promotion.discount.apply_to_items'
      | 'campaign.promotion.discount.apply_to_items_proportionally'
      | 'campaign.promotion.discount.apply_to_items_proportionally_by_quantity'
      | 'campaign.promotion.discount.apply_to_items_by_quantity'
      | 'campaign.promotion.discount.fixed.apply_to_items'
      | 'campaign.promotion.discount.percent.apply_to_items'
      | 'voucher.discount_voucher'
      | 'voucher.discount_voucher.discount.apply_to_order'
      | 'voucher.discount_voucher.discount.apply_to_items'
      | 'voucher.discount_voucher.discount.apply_to_items_proportionally'
      | 'voucher.discount_voucher.discount.apply_to_items_proportionally_by_quantity'
      | 'voucher.discount_voucher.discount.apply_to_items_by_quantity'
      | 'voucher.discount_voucher.discount.fixed.apply_to_items'
      | 'voucher.discount_voucher.discount.percent.apply_to_items'
      | 'campaign.gift_vouchers'
      | 'campaign.gift_vouchers.gift.apply_to_order'
      | 'campaign.gift_vouchers.gift.apply_to_items'
      | 'voucher.gift_voucher'
      | 'voucher.gift_voucher.gift.apply_to_order'
      | 'voucher.gift_voucher.gift.apply_to_items'
    created_at: string
    updated_at?: string
    assignments_count: number
    object: 'validation_rules'
  }
  ValidationRuleAssignment: {
    id: string
    rule_id: string
    related_object_id: string
    related_object_type:
      | 'voucher'
      | 'campaign'
      | 'promotion_tier'
      | 'earning_rule'
      | 'reward_assignment'
      | 'distribution'
    created_at: string
    object: 'validation_rules_assignment'
  }
  ValidationRuleAssignmentBody: {
    related_object_type?:
      | 'voucher'
      | 'campaign'
      | 'promotion_tier'
      | 'earning_rule'
      | 'reward_assignment'
      | 'distribution'
      | null
    related_object_id?: string | null
    voucher?: string | null
    campaign?: string | null
    promotion_tier?: string | null
  }
  ValidationRuleAssignmentList: {
    object: 'list'
    data_ref: 'data'
    data: Array<Schemas['ValidationRuleAssignment']>
    total: number
  }
  ValidationRuleBody: {
    name?: string | null
    rules?: Record<string, unknown> | null
    bundle_rules?: Record<string, unknown> | null
    error?: { message?: string | null } | null
    applicable_to?: {
      included?: Array<Schemas['ApplicableEntry']> | null
      excluded?: Array<Schemas['ApplicableEntry']> | null
      included_all?: boolean | null
    } | null
    type?: 'expression' | 'basic' | 'advanced' | 'complex' | null
    context_type?: string | null
  }
  ValidationRuleList: { object: 'list'; data_ref: 'data'; data: Array<Schemas['ValidationRule']>; total: number }
  Voucher: {
    id: string
    code: string
    campaign: string | null
    campaign_id: string | null
    category: string | null
    category_id: string | null
    categories: Array<Schemas['Category']>
    type: 'DISCOUNT_VOUCHER' | 'GIFT_VOUCHER' | 'LOYALTY_CARD'
    discount: Schemas['Discount'] | null
    gift: Schemas['GiftCredits'] | null
    loyalty_card: Schemas['LoyaltyPoints'] | null
    start_date: string | null
    expiration_date: string | null
    validity_timeframe: { interval: string; duration: string } | null
    validity_day_of_week: Array<number> | null
    validity_hours: {
      daily: Array<{ start_time: string; expiration_time: string; days_of_week?: Array<number> }>
    } | null
    active: boolean
    additional_info: string | null
    metadata: Record<string, unknown>
    assets: { qr: { id: string; url: string }; barcode: { id: string; url: string } }
    is_referral_code: boolean
    created_at: string
    updated_at: string | null
    holder_id?: string
    referrer_id?: string
    validation_rules_assignments?: Schemas['ValidationRuleAssignmentList']
    publish: { object: 'list'; count: number; url: string }
    redemption: {
      quantity: number | null
      redeemed_quantity: number
      redeemed_amount?: number
      redeemed_points?: number
      object: 'list'
      url: string
    }
    object: 'voucher'
  }
  VoucherExamination: {
    object: 'list'
    data_ref: 'data'
    total: number
    id: string
    created_at: string
    tracking_id?: string
    data: Array<Schemas['ExaminedVoucher']>
  }
  VoucherExportParameters: {
    order?: '-created_at' | 'created_at' | '-updated_at' | 'updated_at' | '-code' | 'code' | null
    fields?: Array<string> | null
    filters?: Record<string, unknown> | null
    campaign_id?: string | null
  }
  VoucherList: { object: 'list'; data_ref: 'vouchers'; vouchers: Array<Schemas['Voucher']>; total: number }
  VoucherRedemptions: {
    quantity: number | null
    redeemed_quantity: number
    redeemed_amount?: number
    redeemed_points?: number
    object: 'list'
    url: string
    data_ref: 'redemption_entries'
    total: number
    redemption_entries: Array<Schemas['RedemptionEntry']>
  }
  VoucherValidation: {
    valid: boolean
    code: string
    applicable_to?: Schemas['CoveredEntries']
    inapplicable_to?: Schemas['CoveredEntries']
    tracking_id?: string
    session?: Schemas['SessionView']
    order?: Schemas['CalculatedOrderView']
    discount?: Schemas['AppliedDiscount']
    gift?: { amount: number; balance: number; effect: 'APPLY_TO_ORDER' | 'APPLY_TO_ITEMS' }
    loyalty?: { points_cost: number }
    reward?: { id: string; assignment_id?: string; points: number }
    start_date?: string
    expiration_date?: string
    metadata: Record<string, unknown>
    campaign?: string
    campaign_id?: string
    categories?: Array<Schemas['CategoryInResult']>
    reason?: string
    error?: Schemas['RefusalView']
    explanation?: Schemas['ExplanationView']
  }
  VoucherValidationBody: {
    customer?: Schemas['CheckoutCustomer'] | null
    order?: Schemas['CheckoutOrder'] | null
    tracking_id?: string | null
    metadata?: Record<string, unknown> | null
    session?: Schemas['SessionBody'] | null
    gift?: Schemas['GiftBody'] | null
    reward?: Schemas['RewardBody'] | null
    options?: Schemas['ValidationOptions'] | null
  }
  Webhook: {
    id: string
    object: 'webhook'
    created_at: string
    target_url: string
    events: Array<
      | 'redemption.succeeded'
      | 'redemption.failed'
      | 'redemption.rollback.succeeded'
      | 'redemption.rollback.failed'
      | 'publication.succeeded'
      | 'voucher.created'
      | 'voucher.updated'
      | 'voucher.enabled'
      | 'voucher.disabled'
      | 'voucher.deleted'
      | 'voucher.published'
      | 'voucher.gift.balance_added'
      | 'voucher.gift.transaction.created'
      | 'voucher.loyalty_card.points_added'
      | 'voucher.loyalty_card.points_expired'
      | 'voucher.loyalty_card.pending_points.added'
      | 'voucher.loyalty_card.pending_points.updated'
      | 'voucher.loyalty_card.pending_points.canceled'
      | 'voucher.loyalty_card.pending_points.activated'
      | 'voucher.loyalty_card.transaction.created'
      | 'campaign.created'
      | 'campaign.updated'
      | 'campaign.enabled'
      | 'campaign.disabled'
      | 'campaign.deleted'
      | 'campaign.vouchers.generation.started'
      | 'campaign.vouchers.generation.completed'
      | 'campaign.vouchers.generation.failed'
      | 'campaign.vouchers.added'
      | 'campaign.promotion_tier.created'
      | 'campaign.promotion_tier.updated'
      | 'campaign.promotion_tier.enabled'
      | 'campaign.promotion_tier.disabled'
      | 'campaign.promotion_tier.deleted'
      | 'campaign.promotion_stack.created'
      | 'campaign.promotion_stack.updated'
      | 'campaign.promotion_stack.deleted'
      | 'campaign.loyalty_tier.created'
      | 'campaign.loyalty_tier.updated'
      | 'campaign.loyalty_tier.deleted'
      | 'campaign.earning_rule.assigned'
      | 'campaign.earning_rule.updated'
      | 'campaign.earning_rule.enabled'
      | 'campaign.earning_rule.disabled'
      | 'campaign.earning_rule.deleted'
      | 'campaign.reward.assignment.created'
      | 'campaign.reward.assignment.updated'
      | 'campaign.reward.assignment.deleted'
      | 'campaign.referral_tier.created'
      | 'campaign.referral_tier.updated'
      | 'campaign.referral_tier.deleted'
      | 'business_validation_rule.created'
      | 'business_validation_rule.updated'
      | 'business_validation_rule.deleted'
      | 'business_validation_rule.assignment.created'
      | 'business_validation_rule.assignment.deleted'
      | 'customer.created'
      | 'customer.updated'
      | 'customer.deleted'
      | 'customer.confirmed'
      | 'customer.rewarded'
      | 'customer.rewarded.loyalty_points'
      | 'customer.reward_redemptions.created'
      | 'customer.reward_redemptions.pending'
      | 'customer.reward_redemptions.rolledback'
      | 'customer.reward_redemptions.completed'
      | 'customer.holder.assignment.created'
      | 'customer.holder.assignment.deleted'
    >
    active: boolean
  }
  WebhookList: { object: 'list'; data_ref: 'data'; data: Array<Schemas['Webhook']>; total: number }
  redeemables: Array<Schemas['RedeemableBody']>
}

/** What each operation takes and answers. */
export interface Operations {
  /** Generate an access token */
  'POST /v1/oauth/token': { path: undefined; query: undefined; body: undefined; reply: Schemas['OauthToken'] }
  /** Introspect an access token */
  'POST /v1/oauth/introspect': {
    path: undefined
    query: undefined
    body: undefined
    reply: Schemas['OauthIntrospection']
  }
  /** Revoke an access token */
  'POST /v1/oauth/token/revoke': { path: undefined; query: undefined; body: undefined; reply: undefined }
  /** List categories */
  'GET /v1/categories': { path: undefined; query: undefined; body: undefined; reply: Schemas['CategoryList'] }
  /** Create a category */
  'POST /v1/categories': {
    path: undefined
    query: undefined
    body: Schemas['CategoryBody']
    reply: Schemas['Category']
  }
  /** Get a category */
  'GET /v1/categories/{categoryId}': {
    path: { categoryId: string }
    query: undefined
    body: undefined
    reply: Schemas['Category']
  }
  /** Update a category */
  'PUT /v1/categories/{categoryId}': {
    path: { categoryId: string }
    query: undefined
    body: Schemas['CategoryBody']
    reply: Schemas['Category']
  }
  /** Delete a category */
  'DELETE /v1/categories/{categoryId}': {
    path: { categoryId: string }
    query: { remove_from_stacking_rules?: boolean }
    body: undefined
    reply: undefined
  }
  /** List campaigns */
  'GET /v1/campaigns': {
    path: undefined
    query: {
      limit?: number
      page?: number
      order?: '-created_at' | 'created_at' | 'updated_at' | '-updated_at'
      starting_after_id?: string
      campaign_type?: 'DISCOUNT_COUPONS' | 'GIFT_VOUCHERS' | 'LOYALTY_PROGRAM' | 'REFERRAL_PROGRAM' | 'PROMOTION'
      campaign_status?: 'DONE' | 'IN_PROGRESS' | 'FAILED' | 'DRAFT' | 'MODIFYING'
      is_referral_code?: boolean
      expand?: 'category'
      filters?: Record<string, unknown>
    }
    body: undefined
    reply: Schemas['CampaignList']
  }
  /** Create a campaign */
  'POST /v1/campaigns': {
    path: undefined
    query: undefined
    body: Schemas['CreateCampaign']
    reply: Schemas['Campaign']
  }
  /** Get a campaign */
  'GET /v1/campaigns/{campaignId}': {
    path: { campaignId: string }
    query: undefined
    body: undefined
    reply: Schemas['Campaign']
  }
  /** Update a campaign */
  'PUT /v1/campaigns/{campaignId}': {
    path: { campaignId: string }
    query: undefined
    body: Schemas['UpdateCampaign'] | undefined
    reply: Schemas['Campaign']
  }
  /** Delete a campaign */
  'DELETE /v1/campaigns/{campaignId}': {
    path: { campaignId: string }
    query: { force?: boolean }
    body: undefined
    reply: Schemas['StartedAsyncAction']
  }
  /** Enable a campaign */
  'POST /v1/campaigns/{campaignId}/enable': {
    path: { campaignId: string }
    query: undefined
    body: undefined
    reply: Schemas['Nothing']
  }
  /** Disable a campaign */
  'POST /v1/campaigns/{campaignId}/disable': {
    path: { campaignId: string }
    query: undefined
    body: undefined
    reply: Schemas['Nothing']
  }
  /** Add vouchers to a campaign */
  'POST /v1/campaigns/{campaignId}/vouchers': {
    path: { campaignId: string }
    query: { vouchers_count?: number }
    body: Schemas['AddVouchers'] | undefined
    reply: Schemas['Voucher'] | Schemas['StartedAsyncAction']
  }
  /** Add a voucher with this code to a campaign */
  'POST /v1/campaigns/{campaignId}/vouchers/{code}': {
    path: { campaignId: string; code: string }
    query: undefined
    body: Schemas['AddVoucherWithCode'] | undefined
    reply: Schemas['Voucher']
  }
  /** Get the summary of a campaign */
  'GET /v1/campaigns/{campaignId}/summary': {
    path: { campaignId: string }
    query: { start_date?: string; end_date?: string }
    body: undefined
    reply: Schemas['CampaignSummary']
  }
  /** List the transactions of the cards of a campaign */
  'GET /v1/campaigns/{campaignId}/transactions': {
    path: { campaignId: string }
    query: { limit?: number; order?: '-id' | 'id'; starting_after_id?: string; filters?: Record<string, unknown> }
    body: undefined
    reply: Schemas['TransactionList']
  }
  /** Import vouchers into a campaign */
  'POST /v1/campaigns/{campaignId}/import': {
    path: { campaignId: string }
    query: undefined
    body: Schemas['ImportCampaignVouchers'] | undefined
    reply: Schemas['StartedAsyncAction']
  }
  /** Import vouchers into a campaign from a CSV file */
  'POST /v1/campaigns/{campaignId}/importCSV': {
    path: { campaignId: string }
    query: undefined
    body: FormData
    reply: Schemas['StartedAsyncAction']
  }
  /** List vouchers */
  'GET /v1/vouchers': {
    path: undefined
    query: {
      limit?: number
      page?: number
      order?: '-created_at' | 'created_at' | 'updated_at' | '-updated_at' | 'code' | '-code'
      starting_after_id?: string
      created_at?: { before?: string; after?: string }
      updated_at?: { before?: string; after?: string }
      category?: string
      campaign?: string
      campaign_id?: string
      customer?: string
      code?: string
      ids?: Array<string>
      filters?: Record<string, unknown>
    }
    body: undefined
    reply: Schemas['VoucherList']
  }
  /** Create a voucher */
  'POST /v1/vouchers': { path: undefined; query: undefined; body: Schemas['CreateVoucher']; reply: Schemas['Voucher'] }
  /** Create a voucher with this code */
  'POST /v1/vouchers/{code}': {
    path: { code: string }
    query: undefined
    body: Schemas['CreateVoucherWithCode'] | undefined
    reply: Schemas['Voucher']
  }
  /** Get a voucher */
  'GET /v1/vouchers/{code}': { path: { code: string }; query: undefined; body: undefined; reply: Schemas['Voucher'] }
  /** Update a voucher */
  'PUT /v1/vouchers/{code}': {
    path: { code: string }
    query: undefined
    body: Schemas['UpdateVoucher'] | undefined
    reply: Schemas['Voucher']
  }
  /** Delete a voucher */
  'DELETE /v1/vouchers/{code}': {
    path: { code: string }
    query: { force?: boolean }
    body: undefined
    reply: undefined
  }
  /** Enable a voucher */
  'POST /v1/vouchers/{code}/enable': {
    path: { code: string }
    query: undefined
    body: undefined
    reply: Schemas['Voucher']
  }
  /** Disable a voucher */
  'POST /v1/vouchers/{code}/disable': {
    path: { code: string }
    query: undefined
    body: undefined
    reply: Schemas['Voucher']
  }
  /** List the transactions of a card */
  'GET /v1/vouchers/{code}/transactions': {
    path: { code: string }
    query: { limit?: number; order?: '-id' | 'id'; starting_after_id?: string }
    body: undefined
    reply: Schemas['TransactionList']
  }
  /** Import vouchers */
  'POST /v1/vouchers/import': {
    path: undefined
    query: undefined
    body: Schemas['ImportVouchers'] | undefined
    reply: Schemas['StartedAsyncAction']
  }
  /** Import vouchers from a CSV file */
  'POST /v1/vouchers/importCSV': {
    path: undefined
    query: undefined
    body: FormData
    reply: Schemas['StartedAsyncAction']
  }
  /** Update the metadata of vouchers in bulk */
  'POST /v1/vouchers/bulk/async': {
    path: undefined
    query: undefined
    body: Schemas['BulkVouchers'] | undefined
    reply: Schemas['StartedAsyncAction']
  }
  /** Update the metadata of many vouchers */
  'POST /v1/vouchers/metadata/async': {
    path: undefined
    query: undefined
    body: Schemas['BulkVoucherMetadata']
    reply: Schemas['StartedAsyncAction']
  }
  /** List customers */
  'GET /v1/customers': {
    path: undefined
    query: {
      limit?: number
      page?: number
      order?: '-created_at' | 'created_at' | '-updated_at' | 'updated_at' | '-source_id' | 'source_id'
      starting_after_id?: string
      created_at?: { before?: string; after?: string }
      updated_at?: { before?: string; after?: string }
      start_date?: string
      end_date?: string
      filters?: Record<string, unknown>
      email?: string
      city?: string
      name?: string
      segment_id?: string
      starting_after?: string
    }
    body: undefined
    reply: Schemas['CustomerList']
  }
  /** Create or update a customer */
  'POST /v1/customers': {
    path: undefined
    query: undefined
    body: Schemas['CustomerBody'] | undefined
    reply: Schemas['Customer']
  }
  /** Get a customer */
  'GET /v1/customers/{customerId}': {
    path: { customerId: string }
    query: undefined
    body: undefined
    reply: Schemas['CustomerWithAssets']
  }
  /** Update a customer */
  'PUT /v1/customers/{customerId}': {
    path: { customerId: string }
    query: undefined
    body: Schemas['CustomerProfile'] | undefined
    reply: Schemas['Customer']
  }
  /** Delete a customer */
  'DELETE /v1/customers/{customerId}': {
    path: { customerId: string }
    query: undefined
    body: undefined
    reply: undefined
  }
  /** Delete a customer for good */
  'POST /v1/customers/{customerId}/permanent-deletion': {
    path: { customerId: string }
    query: undefined
    body: undefined
    reply: Schemas['PermanentDeletion']
  }
  /** Import customers from a CSV file */
  'POST /v1/customers/importCSV': {
    path: undefined
    query: undefined
    body: FormData
    reply: Schemas['StartedAsyncAction']
  }
  /** Update customers in bulk */
  'POST /v1/customers/bulk/async': {
    path: undefined
    query: undefined
    body: Schemas['BulkCustomers'] | undefined
    reply: Schemas['StartedAsyncAction']
  }
  /** Update the metadata of many customers */
  'POST /v1/customers/metadata/async': {
    path: undefined
    query: undefined
    body: Schemas['BulkCustomerMetadata']
    reply: Schemas['StartedAsyncAction']
  }
  /** List what happened to a customer */
  'GET /v1/customers/{customerId}/activity': {
    path: { customerId: string }
    query: {
      limit?: number
      order?: '-created_at' | 'created_at'
      starting_after_id?: string
      starting_after?: string
      start_date?: string
      end_date?: string
      type?:
        | 'customer.created'
        | 'customer.updated'
        | 'customer.deleted'
        | 'customer.confirmed'
        | 'customer.rewarded'
        | 'customer.rewarded.loyalty_points'
        | 'customer.reward_redemptions.created'
        | 'customer.reward_redemptions.pending'
        | 'customer.reward_redemptions.rolledback'
        | 'customer.reward_redemptions.completed'
        | 'customer.holder.assignment.created'
        | 'customer.holder.assignment.deleted'
        | 'customer.referred'
        | 'customer.custom_event'
        | 'customer.segment.entered'
        | 'customer.segment.left'
        | 'customer.sms.sent'
        | 'customer.email.sent'
        | 'customer.activecampaign.sent'
        | 'customer.braze.sent'
        | 'customer.mailchimp.sent'
        | 'customer.intercom.sent'
        | 'customer.shopify.sent'
        | 'customer.klaviyo.sent'
        | 'customer.batch.sent'
        | 'customer.sms.recovered'
        | 'customer.email.recovered'
        | 'customer.activecampaign.recovered'
        | 'customer.braze.recovered'
        | 'customer.mailchimp.recovered'
        | 'customer.intercom.recovered'
        | 'customer.shopify.recovered'
        | 'customer.klaviyo.recovered'
        | 'customer.batch.recovered'
        | 'customer.sms.failed'
        | 'customer.email.failed'
        | 'customer.activecampaign.failed'
        | 'customer.braze.failed'
        | 'customer.mailchimp.failed'
        | 'customer.intercom.failed'
        | 'customer.shopify.failed'
        | 'customer.klaviyo.failed'
        | 'customer.batch.failed'
        | 'customer.voucher.gift.balance_added'
        | 'customer.voucher.loyalty_card.points_added'
        | 'customer.voucher.loyalty_card.points_transferred'
        | 'customer.voucher.loyalty_card.points_expired'
        | 'customer.voucher.loyalty_card.pending_points.added'
        | 'customer.voucher.loyalty_card.pending_points.updated'
        | 'customer.voucher.loyalty_card.pending_points.canceled'
        | 'customer.voucher.loyalty_card.pending_points.activated'
        | 'customer.voucher.loyalty_card.points_activated'
        | 'customer.voucher.deleted'
        | 'customer.publication.succeeded'
        | 'customer.publication.failed'
        | 'customer.validation.succeeded'
        | 'customer.validation.failed'
        | 'customer.redemption.succeeded'
        | 'customer.redemption.failed'
        | 'customer.redemption.rollback.succeeded'
        | 'customer.redemption.rollback.failed'
        | 'customer.order.created'
        | 'customer.order.updated'
        | 'customer.order.paid'
        | 'customer.order.fulfilled'
        | 'customer.order.canceled'
        | 'customer.order.processing'
        | 'customer.loyalty.updated'
        | 'customer.loyalty.tier.joined'
        | 'customer.loyalty.tier.left'
        | 'customer.loyalty.tier.prolonged'
        | 'customer.loyalty.tier.upgraded'
        | 'customer.loyalty.tier.downgraded'
        | 'customer.loyalty.tier.expiration.changed'
      category?: 'ACTION' | 'EFFECT'
      campaign_id?: string
      campaign_type?: 'DISCOUNT_COUPONS' | 'GIFT_VOUCHERS' | 'LOYALTY_PROGRAM' | 'REFERRAL_PROGRAM' | 'PROMOTION'
    }
    body: undefined
    reply: Schemas['ActivityList']
  }
  /** List what happened to a customer, with the total */
  'GET /v1/customers/{customerId}/activities': {
    path: { customerId: string }
    query: {
      limit?: number
      order?: '-created_at' | 'created_at'
      starting_after_id?: string
      starting_after?: string
      start_date?: string
      end_date?: string
      type?:
        | 'customer.created'
        | 'customer.updated'
        | 'customer.deleted'
        | 'customer.confirmed'
        | 'customer.rewarded'
        | 'customer.rewarded.loyalty_points'
        | 'customer.reward_redemptions.created'
        | 'customer.reward_redemptions.pending'
        | 'customer.reward_redemptions.rolledback'
        | 'customer.reward_redemptions.completed'
        | 'customer.holder.assignment.created'
        | 'customer.holder.assignment.deleted'
        | 'customer.referred'
        | 'customer.custom_event'
        | 'customer.segment.entered'
        | 'customer.segment.left'
        | 'customer.sms.sent'
        | 'customer.email.sent'
        | 'customer.activecampaign.sent'
        | 'customer.braze.sent'
        | 'customer.mailchimp.sent'
        | 'customer.intercom.sent'
        | 'customer.shopify.sent'
        | 'customer.klaviyo.sent'
        | 'customer.batch.sent'
        | 'customer.sms.recovered'
        | 'customer.email.recovered'
        | 'customer.activecampaign.recovered'
        | 'customer.braze.recovered'
        | 'customer.mailchimp.recovered'
        | 'customer.intercom.recovered'
        | 'customer.shopify.recovered'
        | 'customer.klaviyo.recovered'
        | 'customer.batch.recovered'
        | 'customer.sms.failed'
        | 'customer.email.failed'
        | 'customer.activecampaign.failed'
        | 'customer.braze.failed'
        | 'customer.mailchimp.failed'
        | 'customer.intercom.failed'
        | 'customer.shopify.failed'
        | 'customer.klaviyo.failed'
        | 'customer.batch.failed'
        | 'customer.voucher.gift.balance_added'
        | 'customer.voucher.loyalty_card.points_added'
        | 'customer.voucher.loyalty_card.points_transferred'
        | 'customer.voucher.loyalty_card.points_expired'
        | 'customer.voucher.loyalty_card.pending_points.added'
        | 'customer.voucher.loyalty_card.pending_points.updated'
        | 'customer.voucher.loyalty_card.pending_points.canceled'
        | 'customer.voucher.loyalty_card.pending_points.activated'
        | 'customer.voucher.loyalty_card.points_activated'
        | 'customer.voucher.deleted'
        | 'customer.publication.succeeded'
        | 'customer.publication.failed'
        | 'customer.validation.succeeded'
        | 'customer.validation.failed'
        | 'customer.redemption.succeeded'
        | 'customer.redemption.failed'
        | 'customer.redemption.rollback.succeeded'
        | 'customer.redemption.rollback.failed'
        | 'customer.order.created'
        | 'customer.order.updated'
        | 'customer.order.paid'
        | 'customer.order.fulfilled'
        | 'customer.order.canceled'
        | 'customer.order.processing'
        | 'customer.loyalty.updated'
        | 'customer.loyalty.tier.joined'
        | 'customer.loyalty.tier.left'
        | 'customer.loyalty.tier.prolonged'
        | 'customer.loyalty.tier.upgraded'
        | 'customer.loyalty.tier.downgraded'
        | 'customer.loyalty.tier.expiration.changed'
      category?: 'ACTION' | 'EFFECT'
      campaign_id?: string
      campaign_type?: 'DISCOUNT_COUPONS' | 'GIFT_VOUCHERS' | 'LOYALTY_PROGRAM' | 'REFERRAL_PROGRAM' | 'PROMOTION'
      product_id?: string
    }
    body: undefined
    reply: Schemas['CountedActivityList']
  }
  /** Issue a tracking id of a customer */
  'GET /v1/customers/{customerId}/tracking-id': {
    path: { customerId: string }
    query: undefined
    body: undefined
    reply: Schemas['IssuedTrackingId']
  }
  /** List consents and their groups */
  'GET /v1/consents': { path: undefined; query: undefined; body: undefined; reply: Schemas['ConsentsAndGroups'] }
  /** Store what a customer has agreed to */
  'PUT /v1/customers/{customerId}/consents': {
    path: { customerId: string }
    query: undefined
    body: Schemas['ConsentDecisions'] | undefined
    reply: undefined
  }
  /** List what a customer has agreed to */
  'GET /v1/customers/{customerId}/consents': {
    path: { customerId: string }
    query: { include_deleted?: boolean }
    body: undefined
    reply: Schemas['CustomerConsentList']
  }
  /** List the consents of a project */
  'GET /management/v1/projects/{projectId}/consents': {
    path: { projectId: string }
    query: undefined
    body: undefined
    reply: Schemas['ConsentList']
  }
  /** Create a consent */
  'POST /management/v1/projects/{projectId}/consents': {
    path: { projectId: string }
    query: undefined
    body: Schemas['CreateConsent']
    reply: Schemas['Consent']
  }
  /** Update a consent */
  'PUT /management/v1/projects/{projectId}/consents/{consentId}': {
    path: { projectId: string; consentId: string }
    query: undefined
    body: Schemas['UpdateConsent'] | undefined
    reply: Schemas['Consent']
  }
  /** Delete a consent */
  'DELETE /management/v1/projects/{projectId}/consents/{consentId}': {
    path: { projectId: string; consentId: string }
    query: undefined
    body: undefined
    reply: undefined
  }
  /** List the groups of consents of a project */
  'GET /management/v1/projects/{projectId}/consent-groups': {
    path: { projectId: string }
    query: undefined
    body: undefined
    reply: Schemas['ConsentGroupList']
  }
  /** Create a group of consents */
  'POST /management/v1/projects/{projectId}/consent-groups': {
    path: { projectId: string }
    query: undefined
    body: Schemas['CreateConsentGroup']
    reply: Schemas['ConsentGroup']
  }
  /** Update a group of consents */
  'PUT /management/v1/projects/{projectId}/consent-groups/{consentGroupId}': {
    path: { projectId: string; consentGroupId: string }
    query: undefined
    body: Schemas['UpdateConsentGroup'] | undefined
    reply: Schemas['ConsentGroup']
  }
  /** Delete a group of consents */
  'DELETE /management/v1/projects/{projectId}/consent-groups/{consentGroupId}': {
    path: { projectId: string; consentGroupId: string }
    query: undefined
    body: undefined
    reply: undefined
  }
  /** List promotion tiers */
  'GET /v1/promotions/tiers': {
    path: undefined
    query: {
      limit?: number
      page?: number
      order?: '-created_at' | 'created_at' | 'updated_at' | '-updated_at'
      starting_after_id?: string
      is_available?: boolean
    }
    body: undefined
    reply: Schemas['PromotionTierList']
  }
  /** List the promotion tiers of a campaign */
  'GET /v1/promotions/{campaignId}/tiers': {
    path: { campaignId: string }
    query: { limit?: number; page?: number; starting_after_id?: string; is_available?: boolean }
    body: undefined
    reply: Schemas['PromotionTierList']
  }
  /** Add a promotion tier to a campaign */
  'POST /v1/promotions/{campaignId}/tiers': {
    path: { campaignId: string }
    query: undefined
    body: Schemas['PromotionTierBody']
    reply: Schemas['PromotionTier']
  }
  /** Get a promotion tier */
  'GET /v1/promotions/tiers/{promotionTierId}': {
    path: { promotionTierId: string }
    query: undefined
    body: undefined
    reply: Schemas['PromotionTier']
  }
  /** Update a promotion tier */
  'PUT /v1/promotions/tiers/{promotionTierId}': {
    path: { promotionTierId: string }
    query: undefined
    body: Schemas['UpdatePromotionTier'] | undefined
    reply: Schemas['PromotionTier']
  }
  /** Delete a promotion tier */
  'DELETE /v1/promotions/tiers/{promotionTierId}': {
    path: { promotionTierId: string }
    query: undefined
    body: undefined
    reply: undefined
  }
  /** Enable a promotion tier */
  'POST /v1/promotions/tiers/{promotionTierId}/enable': {
    path: { promotionTierId: string }
    query: undefined
    body: undefined
    reply: Schemas['PromotionTier']
  }
  /** Disable a promotion tier */
  'POST /v1/promotions/tiers/{promotionTierId}/disable': {
    path: { promotionTierId: string }
    query: undefined
    body: undefined
    reply: Schemas['PromotionTier']
  }
  /** List promotion stacks */
  'GET /v1/promotions/stacks': {
    path: undefined
    query: {
      limit?: number
      page?: number
      order?: '-created_at' | 'created_at' | 'updated_at' | '-updated_at' | 'name' | '-name'
      starting_after_id?: string
      created_at?: { before?: string; after?: string }
      updated_at?: { before?: string; after?: string }
      filters?: Record<string, unknown>
    }
    body: undefined
    reply: Schemas['PromotionStackList']
  }
  /** List the promotion stacks of a campaign */
  'GET /v1/promotions/{campaignId}/stacks': {
    path: { campaignId: string }
    query: undefined
    body: undefined
    reply: Schemas['PromotionStackList']
  }
  /** Add a promotion stack to a campaign */
  'POST /v1/promotions/{campaignId}/stacks': {
    path: { campaignId: string }
    query: undefined
    body: Schemas['PromotionStackBody']
    reply: Schemas['PromotionStack']
  }
  /** Get a promotion stack */
  'GET /v1/promotions/{campaignId}/stacks/{stackId}': {
    path: { campaignId: string; stackId: string }
    query: undefined
    body: undefined
    reply: Schemas['PromotionStack']
  }
  /** Update a promotion stack */
  'PUT /v1/promotions/{campaignId}/stacks/{stackId}': {
    path: { campaignId: string; stackId: string }
    query: undefined
    body: Schemas['UpdatePromotionStack'] | undefined
    reply: Schemas['PromotionStack']
  }
  /** Delete a promotion stack */
  'DELETE /v1/promotions/{campaignId}/stacks/{stackId}': {
    path: { campaignId: string; stackId: string }
    query: undefined
    body: undefined
    reply: undefined
  }
  /** List loyalty programs */
  'GET /v1/loyalties': {
    path: undefined
    query: {
      limit?: number
      page?: number
      order?: '-created_at' | 'created_at' | 'updated_at' | '-updated_at'
      starting_after_id?: string
      expand?: 'category' | 'access_settings_assignments'
    }
    body: undefined
    reply: Schemas['CampaignList']
  }
  /** Create a loyalty program */
  'POST /v1/loyalties': {
    path: undefined
    query: undefined
    body: Schemas['CreateLoyaltyProgram']
    reply: Schemas['Campaign']
  }
  /** Get a loyalty program */
  'GET /v1/loyalties/{campaignId}': {
    path: { campaignId: string }
    query: undefined
    body: undefined
    reply: Schemas['Campaign']
  }
  /** Update a loyalty program */
  'PUT /v1/loyalties/{campaignId}': {
    path: { campaignId: string }
    query: undefined
    body: Schemas['UpdateLoyaltyProgram'] | undefined
    reply: Schemas['Campaign']
  }
  /** Delete a loyalty program */
  'DELETE /v1/loyalties/{campaignId}': {
    path: { campaignId: string }
    query: { force?: boolean }
    body: undefined
    reply: Schemas['StartedAsyncAction']
  }
  /** List the members of a loyalty program */
  'GET /v1/loyalties/{campaignId}/members': {
    path: { campaignId: string }
    query: {
      limit?: number
      page?: number
      order?: '-created_at' | 'created_at' | 'updated_at' | '-updated_at' | 'code' | '-code'
      starting_after_id?: string
      created_at?: { before?: string; after?: string }
      updated_at?: { before?: string; after?: string }
      customer?: string
      code?: string
      ids?: Array<string>
    }
    body: undefined
    reply: Schemas['VoucherList']
  }
  /** Add a member to a loyalty program */
  'POST /v1/loyalties/{campaignId}/members': {
    path: { campaignId: string }
    query: undefined
    body: Schemas['CreateLoyaltyMember']
    reply: Schemas['Voucher']
  }
  /** Get a member of a loyalty program */
  'GET /v1/loyalties/{campaignId}/members/{memberId}': {
    path: { campaignId: string; memberId: string }
    query: undefined
    body: undefined
    reply: Schemas['Voucher']
  }
  /** Get a member */
  'GET /v1/loyalties/members/{memberId}': {
    path: { memberId: string }
    query: undefined
    body: undefined
    reply: Schemas['Voucher']
  }
  /** List the earning rules of a program */
  'GET /v1/loyalties/{campaignId}/earning-rules': {
    path: { campaignId: string }
    query: {
      limit?: number
      page?: number
      order?: 'created_at' | '-created_at' | 'updated_at' | '-updated_at'
      starting_after_id?: string
    }
    body: undefined
    reply: Schemas['EarningRuleList']
  }
  /** Add earning rules to a program */
  'POST /v1/loyalties/{campaignId}/earning-rules': {
    path: { campaignId: string }
    query: undefined
    body: Schemas['CreateEarningRules'] | undefined
    reply: Schemas['EarningRules']
  }
  /** Get an earning rule */
  'GET /v1/loyalties/{campaignId}/earning-rules/{earningRuleId}': {
    path: { campaignId: string; earningRuleId: string }
    query: undefined
    body: undefined
    reply: Schemas['EarningRule']
  }
  /** Update an earning rule */
  'PUT /v1/loyalties/{campaignId}/earning-rules/{earningRuleId}': {
    path: { campaignId: string; earningRuleId: string }
    query: undefined
    body: Schemas['UpdateEarningRule'] | undefined
    reply: Schemas['EarningRule']
  }
  /** Delete an earning rule */
  'DELETE /v1/loyalties/{campaignId}/earning-rules/{earningRuleId}': {
    path: { campaignId: string; earningRuleId: string }
    query: undefined
    body: undefined
    reply: undefined
  }
  /** Enable an earning rule */
  'POST /v1/loyalties/{campaignId}/earning-rules/{earningRuleId}/enable': {
    path: { campaignId: string; earningRuleId: string }
    query: undefined
    body: undefined
    reply: Schemas['EarningRule']
  }
  /** Disable an earning rule */
  'POST /v1/loyalties/{campaignId}/earning-rules/{earningRuleId}/disable': {
    path: { campaignId: string; earningRuleId: string }
    query: undefined
    body: undefined
    reply: Schemas['EarningRule']
  }
  /** List the tiers of a program */
  'GET /v1/loyalties/{campaignId}/tiers': {
    path: { campaignId: string }
    query: {
      limit?: number
      page?: number
      order?: 'created_at' | '-created_at' | 'updated_at' | '-updated_at'
      starting_after_id?: string
    }
    body: undefined
    reply: Schemas['LoyaltyTierList']
  }
  /** Add tiers to a program */
  'POST /v1/loyalties/{campaignId}/tiers': {
    path: { campaignId: string }
    query: undefined
    body: Schemas['CreateLoyaltyTiers'] | undefined
    reply: Schemas['LoyaltyTiers']
  }
  /** Get a tier of a program */
  'GET /v1/loyalties/{campaignId}/tiers/{loyaltyTierId}': {
    path: { campaignId: string; loyaltyTierId: string }
    query: undefined
    body: undefined
    reply: Schemas['LoyaltyTier']
  }
  /** List earning rules as they pay the holders of a tier */
  'GET /v1/loyalties/{campaignId}/tiers/{loyaltyTierId}/earning-rules': {
    path: { campaignId: string; loyaltyTierId: string }
    query: { limit?: number; page?: number; starting_after_id?: string }
    body: undefined
    reply: Schemas['EarningRuleList']
  }
  /** List the rewards of a program at the prices of a tier */
  'GET /v1/loyalties/{campaignId}/tiers/{loyaltyTierId}/rewards': {
    path: { campaignId: string; loyaltyTierId: string }
    query: undefined
    body: undefined
    reply: Schemas['LoyaltyTierRewardList']
  }
  /** List campaign templates */
  'GET /v1/templates/campaigns': {
    path: undefined
    query: {
      limit?: number
      order?: 'id' | '-id'
      starting_after_id?: string
      include_total?: boolean
      filters?: Record<string, unknown>
    }
    body: undefined
    reply: Schemas['CampaignTemplateList']
  }
  /** Create a campaign template */
  'POST /v1/templates/campaigns': {
    path: undefined
    query: undefined
    body: Schemas['CreateCampaignTemplate']
    reply: Schemas['CampaignTemplate']
  }
  /** List campaign templates of a project */
  'GET /management/v1/projects/{projectId}/templates/campaigns': {
    path: { projectId: string }
    query: {
      limit?: number
      order?: 'id' | '-id'
      starting_after_id?: string
      include_total?: boolean
      filters?: Record<string, unknown>
    }
    body: undefined
    reply: Schemas['CampaignTemplateList']
  }
  /** Get a campaign template */
  'GET /v1/templates/campaigns/{campaignTemplateId}': {
    path: { campaignTemplateId: string }
    query: { expand?: 'json_template' }
    body: undefined
    reply: Schemas['CampaignTemplate']
  }
  /** Update a campaign template */
  'PUT /v1/templates/campaigns/{campaignTemplateId}': {
    path: { campaignTemplateId: string }
    query: undefined
    body: Schemas['UpdateCampaignTemplate'] | undefined
    reply: Schemas['CampaignTemplate']
  }
  /** Delete a campaign template */
  'DELETE /v1/templates/campaigns/{campaignTemplateId}': {
    path: { campaignTemplateId: string }
    query: undefined
    body: undefined
    reply: undefined
  }
  /** Create a campaign from a template */
  'POST /v1/templates/campaigns/{campaignTemplateId}/campaign-setup': {
    path: { campaignTemplateId: string }
    query: undefined
    body: Schemas['CreateCampaignFromTemplate']
    reply: Schemas['CampaignSetup']
  }
  /** Add a promotion tier from a template */
  'POST /v1/templates/campaigns/{campaignTemplateId}/tier-setup': {
    path: { campaignTemplateId: string }
    query: undefined
    body: Schemas['AddPromotionTierFromTemplate']
    reply: Schemas['PromotionTierSetup']
  }
  /** Copy a campaign template to a project */
  'POST /management/v1/projects/{projectId}/templates/campaigns/{campaignTemplateId}/copy': {
    path: { projectId: string; campaignTemplateId: string }
    query: undefined
    body: Schemas['CopyCampaignTemplate']
    reply: Schemas['CampaignTemplate']
  }
  /** Give a code to a customer */
  'POST /v1/publications': {
    path: undefined
    query: { join_once?: boolean }
    body: Schemas['CreatePublication']
    reply: Schemas['Publication']
  }
  /** List publications */
  'GET /v1/publications': {
    path: undefined
    query: {
      limit?: number
      page?: number
      order?:
        | '-created_at'
        | 'created_at'
        | 'id'
        | '-id'
        | 'voucher_code'
        | '-voucher_code'
        | 'tracking_id'
        | '-tracking_id'
        | 'customer_id'
        | '-customer_id'
        | 'channel'
        | '-channel'
      starting_after_id?: string
      campaign?: string
      campaign_name?: string
      customer?: string
      customer_id?: string
      voucher?: string
      voucher_code?: string
      result?: 'SUCCESS' | 'FAILURE'
      voucher_type?: 'discount' | 'gift' | 'loyalty'
      is_referral_code?: boolean
      source_id?: string
      related_object_id?: string
      parent_object_id?: string
      filters?: Record<string, unknown>
    }
    body: undefined
    reply: Schemas['PublicationList']
  }
  /** Give a code to a customer, by a query string */
  'GET /v1/publications/create': {
    path: undefined
    query: {
      join_once?: boolean
      voucher?: string
      campaign?: string | { name?: string; count?: string }
      customer: string | { source_id?: string }
      source_id?: string
      metadata?: Record<string, unknown>
      channel?: string
    }
    body: undefined
    reply: Schemas['Publication']
  }
  /** List the publications of a code */
  'GET /v1/vouchers/{code}/publications': {
    path: { code: string }
    query: {
      limit?: number
      page?: number
      order?:
        | '-created_at'
        | 'created_at'
        | 'id'
        | '-id'
        | 'voucher_code'
        | '-voucher_code'
        | 'tracking_id'
        | '-tracking_id'
        | 'customer_id'
        | '-customer_id'
        | 'channel'
        | '-channel'
      starting_after_id?: string
      campaign?: string
      campaign_name?: string
      customer?: string
      customer_id?: string
      voucher?: string
      voucher_code?: string
      result?: 'SUCCESS' | 'FAILURE'
      voucher_type?: 'discount' | 'gift' | 'loyalty'
      is_referral_code?: boolean
      source_id?: string
      related_object_id?: string
      parent_object_id?: string
      filters?: Record<string, unknown>
    }
    body: undefined
    reply: Schemas['PublicationList']
  }
  /** List the codes that a customer holds */
  'GET /v1/customers/{customerId}/redeemables': {
    path: { customerId: string }
    query: { limit?: number; order?: '-id' | 'id'; starting_after_id?: string; filters?: Record<string, unknown> }
    body: undefined
    reply: Schemas['CustomerRedeemableList']
  }
  /** Validate stackable discounts */
  'POST /v1/validations': {
    path: undefined
    query: undefined
    body: Schemas['ValidationBody']
    reply: Schemas['Validation']
  }
  /** Validate a code */
  'POST /v1/vouchers/{code}/validate': {
    path: { code: string }
    query: undefined
    body: Schemas['VoucherValidationBody'] | undefined
    reply: Schemas['VoucherValidation']
  }
  /** Validate promotion tiers */
  'POST /v1/promotions/validation': {
    path: undefined
    query: { audienceRulesOnly?: boolean; filters?: Record<string, unknown> }
    body: Schemas['PromotionValidationBody'] | undefined
    reply: Schemas['PromotionValidation']
  }
  /** Validate a promotion tier */
  'POST /v1/promotions/tiers/{tierId}/validation': {
    path: { tierId: string }
    query: undefined
    body: Schemas['PromotionTierValidationBody'] | undefined
    reply: Schemas['PromotionTierValidation']
  }
  /** Check eligibility */
  'POST /v1/qualifications': {
    path: undefined
    query: undefined
    body: Schemas['QualificationBody'] | undefined
    reply: Schemas['Qualification']
  }
  /** Examine which vouchers qualify */
  'POST /v1/vouchers/qualification': {
    path: undefined
    query: {
      audienceRulesOnly?: boolean
      limit?: number
      order?: 'created_at' | '-created_at' | 'updated_at' | '-updated_at' | 'code' | '-code'
    }
    body: Schemas['ExaminationBody'] | undefined
    reply: Schemas['VoucherExamination']
  }
  /** Examine which campaigns qualify */
  'POST /v1/campaigns/qualification': {
    path: undefined
    query: {
      audienceRulesOnly?: boolean
      limit?: number
      order?:
        | 'created_at'
        | '-created_at'
        | 'updated_at'
        | '-updated_at'
        | 'type'
        | '-type'
        | 'code'
        | '-code'
        | 'category'
        | '-category'
        | 'campaign'
        | '-campaign'
    }
    body: Schemas['ExaminationBody'] | undefined
    reply: Schemas['CampaignExamination']
  }
  /** Release a code from a session */
  'DELETE /v1/vouchers/{code}/sessions/{sessionKey}': {
    path: { code: string; sessionKey: string }
    query: undefined
    body: undefined
    reply: undefined
  }
  /** Redeem stackable discounts */
  'POST /v1/redemptions': {
    path: undefined
    query: undefined
    body: Schemas['RedemptionBody']
    reply: Schemas['RedemptionsAnswer']
  }
  /** List redemptions */
  'GET /v1/redemptions': {
    path: undefined
    query: {
      limit?: number
      page?: number
      order?:
        | '-created_at'
        | 'created_at'
        | 'id'
        | '-id'
        | 'voucher_code'
        | '-voucher_code'
        | 'tracking_id'
        | '-tracking_id'
        | 'customer_id'
        | '-customer_id'
      starting_after_id?: string
      created_at?: { before?: string; after?: string }
      result?: Array<'SUCCESS' | 'FAILURE'>
      campaign?: string
      customer?: string
      filters?: Record<string, unknown>
    }
    body: undefined
    reply: Schemas['RedemptionList']
  }
  /** Redeem a voucher */
  'POST /v1/vouchers/{code}/redemption': {
    path: { code: string }
    query: { tracking_id?: string }
    body: Schemas['SingleRedemptionBody'] | undefined
    reply: Schemas['ExplainedRedemption']
  }
  /** Get the redemptions of a voucher */
  'GET /v1/vouchers/{code}/redemption': {
    path: { code: string }
    query: undefined
    body: undefined
    reply: Schemas['VoucherRedemptions']
  }
  /** Redeem a promotion tier */
  'POST /v1/promotions/tiers/{promotionTierId}/redemption': {
    path: { promotionTierId: string }
    query: undefined
    body: Schemas['SingleRedemptionBody'] | undefined
    reply: Schemas['ExplainedRedemption']
  }
  /** Redeem a reward */
  'POST /v1/loyalties/members/{memberId}/redemption': {
    path: { memberId: string }
    query: undefined
    body: Schemas['RedeemReward'] | undefined
    reply: Schemas['ExplainedRedemption']
  }
  /** Redeem a reward of a program */
  'POST /v1/loyalties/{campaignId}/members/{memberId}/redemption': {
    path: { campaignId: string; memberId: string }
    query: undefined
    body: Schemas['RedeemReward'] | undefined
    reply: Schemas['ExplainedRedemption']
  }
  /** Get a redemption */
  'GET /v1/redemptions/{redemptionId}': {
    path: { redemptionId: string }
    query: undefined
    body: undefined
    reply: Schemas['RedemptionEntry']
  }
  /** List the redemptions of a voucher */
  'GET /v1/vouchers/{code}/redemptions': {
    path: { code: string }
    query: { limit?: number; page?: number; order?: '-created_at' | 'created_at'; starting_after_id?: string }
    body: undefined
    reply: Schemas['VoucherRedemptions']
  }
  /** Roll back a redemption */
  'POST /v1/redemptions/{redemptionId}/rollback': {
    path: { redemptionId: string }
    query: { reason?: string; tracking_id?: string }
    body: Schemas['RollBackRedemption'] | undefined
    reply: Schemas['RedemptionRollback']
  }
  /** Roll back what was redeemed together */
  'POST /v1/redemptions/{parentRedemptionId}/rollbacks': {
    path: { parentRedemptionId: string }
    query: { reason?: string; tracking_id?: string }
    body: Schemas['RollBackRedemption'] | undefined
    reply: Schemas['RedemptionRollbacks']
  }
  /** List the pending points of a loyalty program */
  'GET /v1/loyalties/{campaignId}/pending-points': {
    path: { campaignId: string }
    query: { limit?: number; order?: '-id' | 'id'; starting_after_id?: string }
    body: undefined
    reply: Schemas['PendingPointsList']
  }
  /** List the pending points of a member of a loyalty program */
  'GET /v1/loyalties/{campaignId}/members/{memberId}/pending-points': {
    path: { campaignId: string; memberId: string }
    query: { limit?: number; order?: '-id' | 'id'; starting_after_id?: string }
    body: undefined
    reply: Schemas['PendingPointsList']
  }
  /** List the pending points of a member */
  'GET /v1/loyalties/members/{memberId}/pending-points': {
    path: { memberId: string }
    query: { limit?: number; order?: '-id' | 'id'; starting_after_id?: string }
    body: undefined
    reply: Schemas['PendingPointsList']
  }
  /** List the activity of a member of a loyalty program */
  'GET /v1/loyalties/{campaignId}/members/{memberId}/activity': {
    path: { campaignId: string; memberId: string }
    query: { limit?: number; order?: '-created_at' | 'created_at'; starting_after_id?: string }
    body: undefined
    reply: Schemas['MemberActivityList']
  }
  /** List the activity of a member */
  'GET /v1/loyalties/members/{memberId}/activity': {
    path: { memberId: string }
    query: { limit?: number; order?: '-created_at' | 'created_at'; starting_after_id?: string }
    body: undefined
    reply: Schemas['MemberActivityList']
  }
  /** List the transactions of a loyalty program */
  'GET /v1/loyalties/{campaignId}/transactions': {
    path: { campaignId: string }
    query: { limit?: number; order?: '-id' | 'id'; starting_after_id?: string; filters?: Record<string, unknown> }
    body: undefined
    reply: Schemas['TransactionList']
  }
  /** List the transactions of a member of a loyalty program */
  'GET /v1/loyalties/{campaignId}/members/{memberId}/transactions': {
    path: { campaignId: string; memberId: string }
    query: { limit?: number; order?: '-id' | 'id'; starting_after_id?: string; filters?: Record<string, unknown> }
    body: undefined
    reply: Schemas['TransactionList']
  }
  /** List the transactions of a member */
  'GET /v1/loyalties/members/{memberId}/transactions': {
    path: { memberId: string }
    query: { limit?: number; order?: '-id' | 'id'; starting_after_id?: string; filters?: Record<string, unknown> }
    body: undefined
    reply: Schemas['TransactionList']
  }
  /** List the points of a member by the day they expire */
  'GET /v1/loyalties/{campaignId}/members/{memberId}/points-expiration': {
    path: { campaignId: string; memberId: string }
    query: { limit?: number; page?: number; order?: 'expires_at' | '-expires_at'; starting_after_id?: string }
    body: undefined
    reply: Schemas['PointsBucketList']
  }
  /** List the rewards that a member can have for points */
  'GET /v1/loyalties/members/{memberId}/rewards': {
    path: { memberId: string }
    query: { affordable_only?: boolean }
    body: undefined
    reply: Schemas['MemberRewardList']
  }
  /** List the tier of a member */
  'GET /v1/loyalties/members/{memberId}/tiers': {
    path: { memberId: string }
    query: undefined
    body: undefined
    reply: Schemas['MemberTierList']
  }
  /** Get what a campaign owes the holders of its cards */
  'GET /v1/loyalties/{campaignId}/liability': {
    path: { campaignId: string }
    query: { as_of?: string }
    body: undefined
    reply: Schemas['Liability']
  }
  /** Activate pending points of a member */
  'POST /v1/loyalties/members/{memberId}/pending-points/{pendingPointsId}/activate': {
    path: { memberId: string; pendingPointsId: string }
    query: undefined
    body: undefined
    reply: Schemas['PointsBalance']
  }
  /** Adjust pending points of a member */
  'POST /v1/loyalties/members/{memberId}/pending-points/{pendingPointsId}/balance': {
    path: { memberId: string; pendingPointsId: string }
    query: undefined
    body: Schemas['AdjustPendingPoints']
    reply: Schemas['PendingPointsBalance']
  }
  /** Cancel pending points of a member */
  'POST /v1/loyalties/members/{memberId}/pending-points/{pendingPointsId}/cancel': {
    path: { memberId: string; pendingPointsId: string }
    query: undefined
    body: undefined
    reply: undefined
  }
  /** Adjust the points of a member */
  'POST /v1/loyalties/members/{memberId}/balance': {
    path: { memberId: string }
    query: undefined
    body: Schemas['AdjustPoints']
    reply: Schemas['PointsBalance']
  }
  /** Adjust the points of a member of a program */
  'POST /v1/loyalties/{campaignId}/members/{memberId}/balance': {
    path: { campaignId: string; memberId: string }
    query: undefined
    body: Schemas['AdjustPoints']
    reply: Schemas['PointsBalance']
  }
  /** Add to the balance of a card, or take from it */
  'POST /v1/vouchers/{code}/balance': {
    path: { code: string }
    query: undefined
    body: Schemas['AdjustBalance']
    reply: Schemas['BalanceAnswer']
  }
  /** Transfer points from other cards to this one */
  'POST /v1/loyalties/{campaignId}/members/{memberId}/transfers': {
    path: { campaignId: string; memberId: string }
    query: undefined
    body: Schemas['TransferPoints'] | undefined
    reply: Schemas['Voucher']
  }
  /** Estimate the points of an order */
  'POST /v1/loyalties/{campaignId}/qualifications': {
    path: { campaignId: string }
    query: undefined
    body: Schemas['EstimatePoints'] | undefined
    reply: Schemas['PointsEstimation']
  }
  /** List rewards */
  'GET /v1/rewards': {
    path: undefined
    query: {
      limit?: number
      page?: number
      order?: '-created_at' | 'created_at'
      starting_after_id?: string
      assignment_id?: string
    }
    body: undefined
    reply: Schemas['RewardList']
  }
  /** Create a reward */
  'POST /v1/rewards': { path: undefined; query: undefined; body: Schemas['CreateReward']; reply: Schemas['Reward'] }
  /** Get a reward */
  'GET /v1/rewards/{rewardId}': {
    path: { rewardId: string }
    query: undefined
    body: undefined
    reply: Schemas['Reward']
  }
  /** Update a reward */
  'PUT /v1/rewards/{rewardId}': {
    path: { rewardId: string }
    query: undefined
    body: Schemas['UpdateReward'] | undefined
    reply: Schemas['Reward']
  }
  /** Delete a reward */
  'DELETE /v1/rewards/{rewardId}': { path: { rewardId: string }; query: undefined; body: undefined; reply: undefined }
  /** Complete a pending reward redemption */
  'POST /v1/rewards/{rewardId}/redemptions/{rewardRedemptionId}/complete': {
    path: { rewardId: string; rewardRedemptionId: string }
    query: undefined
    body: undefined
    reply: Schemas['CompletedRewardRedemption']
  }
  /** List the reward assignments of a loyalty program */
  'GET /v1/loyalties/{campaignId}/reward-assignments': {
    path: { campaignId: string }
    query: {
      limit?: number
      page?: number
      order?: '-created_at' | 'created_at'
      starting_after_id?: string
      assignmentId?: string
    }
    body: undefined
    reply: Schemas['RewardAssignmentList']
  }
  /** Get a reward assignment of a loyalty program */
  'GET /v1/loyalties/{campaignId}/reward-assignments/{assignmentId}': {
    path: { campaignId: string; assignmentId: string }
    query: undefined
    body: undefined
    reply: Schemas['RewardAssignment']
  }
  /** Get the reward of an assignment */
  'GET /v1/loyalties/{campaignId}/reward-assignments/{assignmentId}/reward': {
    path: { campaignId: string; assignmentId: string }
    query: undefined
    body: undefined
    reply: Schemas['Reward']
  }
  /** List the rewards of a loyalty program */
  'GET /v1/loyalties/{campaignId}/rewards': {
    path: { campaignId: string }
    query: {
      limit?: number
      page?: number
      order?: '-created_at' | 'created_at'
      starting_after_id?: string
      assignment_id?: string
    }
    body: undefined
    reply: Schemas['RewardAssignmentList']
  }
  /** Assign rewards to a loyalty program */
  'POST /v1/loyalties/{campaignId}/rewards': {
    path: { campaignId: string }
    query: undefined
    body: Schemas['AssignLoyaltyRewards'] | undefined
    reply: Schemas['RewardAssignments']
  }
  /** Get a reward of a loyalty program */
  'GET /v1/loyalties/{campaignId}/rewards/{assignmentId}': {
    path: { campaignId: string; assignmentId: string }
    query: undefined
    body: undefined
    reply: Schemas['RewardAssignment']
  }
  /** Update a reward of a loyalty program */
  'PUT /v1/loyalties/{campaignId}/rewards/{assignmentId}': {
    path: { campaignId: string; assignmentId: string }
    query: undefined
    body: Schemas['UpdateRewardAssignment'] | undefined
    reply: Schemas['RewardAssignment']
  }
  /** Remove a reward from a loyalty program */
  'DELETE /v1/loyalties/{campaignId}/rewards/{assignmentId}': {
    path: { campaignId: string; assignmentId: string }
    query: undefined
    body: undefined
    reply: undefined
  }
  /** List the assignments of a reward */
  'GET /v1/rewards/{rewardId}/assignments': {
    path: { rewardId: string }
    query: { limit?: number; page?: number; order?: '-created_at' | 'created_at'; starting_after_id?: string }
    body: undefined
    reply: Schemas['RewardAssignmentList']
  }
  /** Assign a reward to a loyalty program */
  'POST /v1/rewards/{rewardId}/assignments': {
    path: { rewardId: string }
    query: undefined
    body: Schemas['CreateRewardAssignment']
    reply: Schemas['RewardAssignment']
  }
  /** Get an assignment of a reward */
  'GET /v1/rewards/{rewardId}/assignments/{assignmentId}': {
    path: { rewardId: string; assignmentId: string }
    query: undefined
    body: undefined
    reply: Schemas['RewardAssignment']
  }
  /** Update an assignment of a reward */
  'PUT /v1/rewards/{rewardId}/assignments/{assignmentId}': {
    path: { rewardId: string; assignmentId: string }
    query: undefined
    body: Schemas['UpdateRewardAssignment'] | undefined
    reply: Schemas['RewardAssignment']
  }
  /** Delete an assignment of a reward */
  'DELETE /v1/rewards/{rewardId}/assignments/{assignmentId}': {
    path: { rewardId: string; assignmentId: string }
    query: undefined
    body: undefined
    reply: undefined
  }
  /** Give a referral code to referees */
  'POST /v1/referrals/{campaignId}/members/{memberId}/holders': {
    path: { campaignId: string; memberId: string }
    query: undefined
    body: Schemas['ReferralHoldersBody']
    reply: Schemas['ReferralHolders']
  }
  /** List the holders of a referral code */
  'GET /v1/referrals/{campaignId}/members/{memberId}/holders': {
    path: { campaignId: string; memberId: string }
    query: { limit?: number; order?: '-id' | 'id'; starting_after_id?: string; filters?: Record<string, unknown> }
    body: undefined
    reply: Schemas['RedeemableHolderList']
  }
  /** Give a referral code to referees */
  'POST /v1/referrals/members/{memberId}/holders': {
    path: { memberId: string }
    query: undefined
    body: Schemas['ReferralHoldersBody']
    reply: Schemas['ReferralHolders']
  }
  /** List the holders of a referral code */
  'GET /v1/referrals/members/{memberId}/holders': {
    path: { memberId: string }
    query: { limit?: number; order?: '-id' | 'id'; starting_after_id?: string; filters?: Record<string, unknown> }
    body: undefined
    reply: Schemas['RedeemableHolderList']
  }
  /** Take a referral code from a referee */
  'DELETE /v1/referrals/{campaignId}/members/{memberId}/holders/{holderId}': {
    path: { campaignId: string; memberId: string; holderId: string }
    query: undefined
    body: undefined
    reply: undefined
  }
  /** Take a referral code from a referee */
  'DELETE /v1/referrals/members/{memberId}/holders/{holderId}': {
    path: { memberId: string; holderId: string }
    query: undefined
    body: undefined
    reply: undefined
  }
  /** List the tiers of a referral program */
  'GET /v1/referrals/{campaignId}/tiers': {
    path: { campaignId: string }
    query: { limit?: number; page?: number; order?: '-created_at' | 'created_at'; starting_after_id?: string }
    body: undefined
    reply: Schemas['ReferralTierList']
  }
  /** Add a tier to a referral program */
  'POST /v1/referrals/{campaignId}/tiers': {
    path: { campaignId: string }
    query: undefined
    body: Schemas['CreateReferralTier']
    reply: Schemas['ReferralTier']
  }
  /** Get a tier of a referral program */
  'GET /v1/referrals/{campaignId}/tiers/{tierId}': {
    path: { campaignId: string; tierId: string }
    query: undefined
    body: undefined
    reply: Schemas['ReferralTier']
  }
  /** Update a tier of a referral program */
  'PUT /v1/referrals/{campaignId}/tiers/{tierId}': {
    path: { campaignId: string; tierId: string }
    query: undefined
    body: Schemas['UpdateReferralTier'] | undefined
    reply: Schemas['ReferralTier']
  }
  /** Delete a tier of a referral program */
  'DELETE /v1/referrals/{campaignId}/tiers/{tierId}': {
    path: { campaignId: string; tierId: string }
    query: undefined
    body: undefined
    reply: undefined
  }
  /** List segments */
  'GET /v1/segments': {
    path: undefined
    query: {
      limit?: number
      page?: number
      order?: '-created_at' | 'created_at'
      starting_after_id?: string
      created_at?: { before?: string; after?: string }
      updated_at?: { before?: string; after?: string }
      start_date?: string
      end_date?: string
      filters?: Record<string, unknown>
      ids?: Array<string>
      starting_after?: string
    }
    body: undefined
    reply: Schemas['SegmentList']
  }
  /** Create a segment */
  'POST /v1/segments': { path: undefined; query: undefined; body: Schemas['CreateSegment']; reply: Schemas['Segment'] }
  /** Get a segment */
  'GET /v1/segments/{segmentId}': {
    path: { segmentId: string }
    query: undefined
    body: undefined
    reply: Schemas['Segment']
  }
  /** Update a segment */
  'PUT /v1/segments/{segmentId}': {
    path: { segmentId: string }
    query: undefined
    body: Schemas['UpdateSegment'] | undefined
    reply: Schemas['Segment']
  }
  /** Delete a segment */
  'DELETE /v1/segments/{segmentId}': {
    path: { segmentId: string }
    query: undefined
    body: undefined
    reply: undefined
  }
  /** List what happened to a segment */
  'GET /v1/segments/{segmentId}/activities': {
    path: { segmentId: string }
    query: {
      limit?: number
      order?: '-created_at' | 'created_at'
      starting_after_id?: string
      starting_after?: string
      start_date?: string
      end_date?: string
      type?: 'segment.created' | 'segment.updated' | 'segment.activated' | 'segment.filters_updated'
      category?: 'ACTION' | 'EFFECT'
    }
    body: undefined
    reply: Schemas['ActivityList']
  }
  /** List the segments of a customer */
  'GET /v1/customers/{customerId}/segments': {
    path: { customerId: string }
    query: undefined
    body: undefined
    reply: Schemas['CustomerSegmentList']
  }
  /** Track a custom event */
  'POST /v1/events': { path: undefined; query: undefined; body: Schemas['TrackEvent']; reply: Schemas['TrackedEvent'] }
  /** List validation rules */
  'GET /v1/validation-rules': {
    path: undefined
    query: {
      limit?: number
      page?: number
      order?: '-created_at' | 'created_at' | '-updated_at' | 'updated_at' | '-name' | 'name'
      starting_after_id?: string
      start_date?: string
      end_date?: string
    }
    body: undefined
    reply: Schemas['ValidationRuleList']
  }
  /** Create a validation rule */
  'POST /v1/validation-rules': {
    path: undefined
    query: undefined
    body: Schemas['ValidationRuleBody'] | undefined
    reply: Schemas['ValidationRule']
  }
  /** Get a validation rule */
  'GET /v1/validation-rules/{validationRuleId}': {
    path: { validationRuleId: string }
    query: undefined
    body: undefined
    reply: Schemas['ValidationRule']
  }
  /** Update a validation rule */
  'PUT /v1/validation-rules/{validationRuleId}': {
    path: { validationRuleId: string }
    query: undefined
    body: Schemas['ValidationRuleBody'] | undefined
    reply: Schemas['ValidationRule']
  }
  /** Delete a validation rule */
  'DELETE /v1/validation-rules/{validationRuleId}': {
    path: { validationRuleId: string }
    query: undefined
    body: undefined
    reply: undefined
  }
  /** List the assignments of a validation rule */
  'GET /v1/validation-rules/{validationRuleId}/assignments': {
    path: { validationRuleId: string }
    query: { limit?: number; page?: number; order?: '-created_at' | 'created_at'; starting_after_id?: string }
    body: undefined
    reply: Schemas['ValidationRuleAssignmentList']
  }
  /** Assign a validation rule */
  'POST /v1/validation-rules/{validationRuleId}/assignments': {
    path: { validationRuleId: string }
    query: { force?: boolean }
    body: Schemas['ValidationRuleAssignmentBody'] | undefined
    reply: Schemas['ValidationRuleAssignment']
  }
  /** Delete an assignment of a validation rule */
  'DELETE /v1/validation-rules/{validationRuleId}/assignments/{assignmentId}': {
    path: { validationRuleId: string; assignmentId: string }
    query: undefined
    body: undefined
    reply: undefined
  }
  /** List assignments of validation rules */
  'GET /v1/validation-rules-assignments': {
    path: undefined
    query: {
      limit?: number
      page?: number
      order?: '-created_at' | 'created_at'
      starting_after_id?: string
      related_object_id?: string
      rule?: string
    }
    body: undefined
    reply: Schemas['ValidationRuleAssignmentList']
  }
  /** List products */
  'GET /v1/products': {
    path: undefined
    query: {
      limit?: number
      page?: number
      order?:
        | 'created_at'
        | '-created_at'
        | 'updated_at'
        | '-updated_at'
        | 'type'
        | '-type'
        | 'code'
        | '-code'
        | 'campaign'
        | '-campaign'
        | 'category'
        | '-category'
      starting_after_id?: string
      created_at?: { before?: string; after?: string }
      updated_at?: { before?: string; after?: string }
      start_date?: string
      end_date?: string
      filters?: Record<string, unknown>
    }
    body: undefined
    reply: Schemas['ProductList']
  }
  /** Create or update a product */
  'POST /v1/products': {
    path: undefined
    query: undefined
    body: Schemas['CreateProduct'] | undefined
    reply: Schemas['Product']
  }
  /** Get a product */
  'GET /v1/products/{productId}': {
    path: { productId: string }
    query: { hide?: string }
    body: undefined
    reply: Schemas['ProductWithSkus']
  }
  /** Update a product */
  'PUT /v1/products/{productId}': {
    path: { productId: string }
    query: undefined
    body: Schemas['UpdateProduct'] | undefined
    reply: Schemas['Product']
  }
  /** Delete a product */
  'DELETE /v1/products/{productId}': {
    path: { productId: string }
    query: { force?: boolean }
    body: undefined
    reply: undefined
  }
  /** Update products in bulk */
  'POST /v1/products/bulk/async': {
    path: undefined
    query: undefined
    body: Schemas['BulkProducts'] | undefined
    reply: Schemas['StartedAsyncAction']
  }
  /** Update the metadata of products in bulk */
  'POST /v1/products/metadata/async': {
    path: undefined
    query: undefined
    body: Schemas['BulkProductMetadata']
    reply: Schemas['StartedAsyncAction']
  }
  /** Import products from a CSV file */
  'POST /v1/products/importCSV': {
    path: undefined
    query: undefined
    body: FormData
    reply: Schemas['StartedAsyncAction']
  }
  /** Get an SKU */
  'GET /v1/skus/{skuId}': { path: { skuId: string }; query: undefined; body: undefined; reply: Schemas['Sku'] }
  /** List the SKUs of a product */
  'GET /v1/products/{productId}/skus': {
    path: { productId: string }
    query: {
      limit?: number
      page?: number
      order?:
        | 'created_at'
        | '-created_at'
        | 'updated_at'
        | '-updated_at'
        | 'type'
        | '-type'
        | 'code'
        | '-code'
        | 'campaign'
        | '-campaign'
        | 'category'
        | '-category'
      starting_after_id?: string
      created_at?: { before?: string; after?: string }
      updated_at?: { before?: string; after?: string }
      start_date?: string
      end_date?: string
      filters?: Record<string, unknown>
    }
    body: undefined
    reply: Schemas['SkuList']
  }
  /** Create or update an SKU */
  'POST /v1/products/{productId}/skus': {
    path: { productId: string }
    query: undefined
    body: Schemas['CreateSku'] | undefined
    reply: Schemas['Sku']
  }
  /** Update an SKU */
  'PUT /v1/products/{productId}/skus/{skuId}': {
    path: { productId: string; skuId: string }
    query: undefined
    body: Schemas['UpdateSku'] | undefined
    reply: Schemas['Sku']
  }
  /** Delete an SKU */
  'DELETE /v1/products/{productId}/skus/{skuId}': {
    path: { productId: string; skuId: string }
    query: { force?: boolean }
    body: undefined
    reply: undefined
  }
  /** Import SKUs from a CSV file */
  'POST /v1/skus/importCSV': { path: undefined; query: undefined; body: FormData; reply: Schemas['StartedAsyncAction'] }
  /** List product collections */
  'GET /v1/product-collections': {
    path: undefined
    query: {
      limit?: number
      page?: number
      order?:
        | '-created_at'
        | 'created_at'
        | '-updated_at'
        | 'updated_at'
        | '-type'
        | 'type'
        | '-code'
        | 'code'
        | '-campaign'
        | 'campaign'
        | '-category'
        | 'category'
      starting_after_id?: string
    }
    body: undefined
    reply: Schemas['ProductCollectionList']
  }
  /** Create a product collection */
  'POST /v1/product-collections': {
    path: undefined
    query: undefined
    body: Schemas['CreateProductCollection'] | undefined
    reply: Schemas['ProductCollection']
  }
  /** Get a product collection */
  'GET /v1/product-collections/{productCollectionId}': {
    path: { productCollectionId: string }
    query: undefined
    body: undefined
    reply: Schemas['ProductCollection']
  }
  /** Update a product collection */
  'PUT /v1/product-collections/{productCollectionId}': {
    path: { productCollectionId: string }
    query: undefined
    body: Schemas['UpdateProductCollection'] | undefined
    reply: Schemas['ProductCollection']
  }
  /** Delete a product collection */
  'DELETE /v1/product-collections/{productCollectionId}': {
    path: { productCollectionId: string }
    query: undefined
    body: undefined
    reply: undefined
  }
  /** List products in a collection */
  'GET /v1/product-collections/{productCollectionId}/products': {
    path: { productCollectionId: string }
    query: {
      limit?: number
      page?: number
      order?:
        | '-created_at'
        | 'created_at'
        | '-updated_at'
        | 'updated_at'
        | '-type'
        | 'type'
        | '-code'
        | 'code'
        | '-campaign'
        | 'campaign'
        | '-category'
        | 'category'
      starting_after_id?: string
      starting_after?: string
    }
    body: undefined
    reply: Schemas['CollectionProductList']
  }
  /** List activities of a product collection */
  'GET /v1/product-collections/{productCollectionId}/activities': {
    path: { productCollectionId: string }
    query: {
      limit?: number
      order?: '-created_at' | 'created_at'
      starting_after_id?: string
      starting_after?: string
      start_date?: string
      end_date?: string
      type?: 'products_collection.created' | 'products_collection.updated'
      category?: 'ACTION' | 'EFFECT'
    }
    body: undefined
    reply: Schemas['ActivityList']
  }
  /** List orders */
  'GET /v1/orders': {
    path: undefined
    query: {
      limit?: number
      page?: number
      order?: '-created_at' | 'created_at' | '-updated_at' | 'updated_at'
      starting_after_id?: string
      filters?: Record<string, unknown>
    }
    body: undefined
    reply: Schemas['OrderList']
  }
  /** Create an order */
  'POST /v1/orders': {
    path: undefined
    query: undefined
    body: Schemas['CreateOrder'] | undefined
    reply: Schemas['Order']
  }
  /** Get an order */
  'GET /v1/orders/{orderId}': { path: { orderId: string }; query: undefined; body: undefined; reply: Schemas['Order'] }
  /** Update an order */
  'PUT /v1/orders/{orderId}': {
    path: { orderId: string }
    query: undefined
    body: Schemas['UpdateOrder'] | undefined
    reply: Schemas['Order']
  }
  /** Import orders */
  'POST /v1/orders/import': {
    path: undefined
    query: undefined
    body: Schemas['ImportOrders'] | undefined
    reply: Schemas['StartedAsyncAction']
  }
  /** List locations */
  'GET /v1/locations': {
    path: undefined
    query: {
      limit?: number
      order?: '-created_at' | 'created_at' | '-updated_at' | 'updated_at'
      starting_after_id?: string
      filters?: Record<string, unknown>
      end_date?: string
    }
    body: undefined
    reply: Schemas['LocationList']
  }
  /** Create a location */
  'POST /v1/locations': {
    path: undefined
    query: undefined
    body: Schemas['CreateLocation']
    reply: Schemas['Location']
  }
  /** Get a location */
  'GET /v1/locations/{locationId}': {
    path: { locationId: string }
    query: undefined
    body: undefined
    reply: Schemas['Location']
  }
  /** Update a location */
  'PUT /v1/locations/{locationId}': {
    path: { locationId: string }
    query: undefined
    body: Schemas['UpdateLocation'] | undefined
    reply: Schemas['Location']
  }
  /** Delete a location */
  'DELETE /v1/locations/{locationId}': {
    path: { locationId: string }
    query: undefined
    body: undefined
    reply: undefined
  }
  /** List metadata schemas */
  'GET /v1/metadata-schemas': {
    path: undefined
    query: undefined
    body: undefined
    reply: Schemas['MetadataSchemaList']
  }
  /** Create a metadata schema */
  'POST /v1/metadata-schemas': {
    path: undefined
    query: undefined
    body: Schemas['CreateMetadataSchema']
    reply: Schemas['MetadataSchema']
  }
  /** Get a metadata schema */
  'GET /v1/metadata-schemas/{resource}': {
    path: { resource: string }
    query: undefined
    body: undefined
    reply: Schemas['MetadataSchema']
  }
  /** Update a metadata schema */
  'PUT /v1/metadata-schemas/{resource}': {
    path: { resource: string }
    query: undefined
    body: Schemas['UpdateMetadataSchema']
    reply: Schemas['MetadataSchema']
  }
  /** Delete a metadata schema */
  'DELETE /v1/metadata-schemas/{resource}': {
    path: { resource: string }
    query: undefined
    body: undefined
    reply: undefined
  }
  /** List metadata schemas of a project */
  'GET /management/v1/projects/{projectId}/metadata-schemas': {
    path: { projectId: string }
    query: undefined
    body: undefined
    reply: Schemas['ManagedMetadataSchemaList']
  }
  /** Create a metadata schema of a project */
  'POST /management/v1/projects/{projectId}/metadata-schemas': {
    path: { projectId: string }
    query: undefined
    body: Schemas['CreateManagedMetadataSchema']
    reply: Schemas['ManagedMetadataSchema']
  }
  /** Get a metadata schema of a project */
  'GET /management/v1/projects/{projectId}/metadata-schemas/{metadataSchemaId}': {
    path: { projectId: string; metadataSchemaId: string }
    query: undefined
    body: undefined
    reply: Schemas['ManagedMetadataSchema']
  }
  /** Update a metadata schema of a project */
  'PUT /management/v1/projects/{projectId}/metadata-schemas/{metadataSchemaId}': {
    path: { projectId: string; metadataSchemaId: string }
    query: undefined
    body: Schemas['UpdateManagedMetadataSchema']
    reply: Schemas['ManagedMetadataSchema']
  }
  /** Delete a metadata schema of a project */
  'DELETE /management/v1/projects/{projectId}/metadata-schemas/{metadataSchemaId}': {
    path: { projectId: string; metadataSchemaId: string }
    query: undefined
    body: undefined
    reply: undefined
  }
  /** List async actions */
  'GET /v1/async-actions': {
    path: undefined
    query: { limit?: number; end_date?: string }
    body: undefined
    reply: Schemas['AsyncActionList']
  }
  /** Get an async action */
  'GET /v1/async-actions/{asyncActionId}': {
    path: { asyncActionId: string }
    query: undefined
    body: undefined
    reply: Schemas['AsyncAction']
  }
  /** Download a report */
  'GET /v1/task-results/{token}': { path: { token: string }; query: undefined; body: undefined; reply: Blob }
  /** Create an export */
  'POST /v1/exports': {
    path: undefined
    query: undefined
    body: Schemas['CreateExport'] | undefined
    reply: Schemas['Export']
  }
  /** List exports */
  'GET /v1/exports': {
    path: undefined
    query: {
      limit?: number
      page?: number
      order?: '-created_at' | 'created_at' | 'status' | '-status'
      starting_after_id?: string
    }
    body: undefined
    reply: Schemas['ExportList']
  }
  /** Get an export, or download its file */
  'GET /v1/exports/{exportId}': {
    path: { exportId: string }
    query: { token?: string }
    body: undefined
    reply: Schemas['Export']
  }
  /** Delete an export */
  'DELETE /v1/exports/{exportId}': { path: { exportId: string }; query: undefined; body: undefined; reply: undefined }
  /** Export orders */
  'POST /v1/orders/export': {
    path: undefined
    query: undefined
    body: Schemas['CreateOrderExport'] | undefined
    reply: Schemas['Export']
  }
  /** Export the transactions of the cards of a campaign */
  'POST /v1/campaigns/{campaignId}/transactions/export': {
    path: { campaignId: string }
    query: undefined
    body: Schemas['CreateCampaignTransactionExport'] | undefined
    reply: Schemas['Export']
  }
  /** Export the transactions of a card */
  'POST /v1/vouchers/{code}/transactions/export': {
    path: { code: string }
    query: undefined
    body: Schemas['CreateTransactionExport'] | undefined
    reply: Schemas['Export']
  }
  /** Export the transactions of a loyalty program */
  'POST /v1/loyalties/{campaignId}/transactions/export': {
    path: { campaignId: string }
    query: undefined
    body: Schemas['ExportCardTransactions'] | undefined
    reply: Schemas['Export']
  }
  /** Export the transactions of a member of a loyalty program */
  'POST /v1/loyalties/{campaignId}/members/{memberId}/transactions/export': {
    path: { campaignId: string; memberId: string }
    query: undefined
    body: Schemas['ExportCardTransactions'] | undefined
    reply: Schemas['Export']
  }
  /** Export the transactions of a member */
  'POST /v1/loyalties/members/{memberId}/transactions/export': {
    path: { memberId: string }
    query: undefined
    body: Schemas['ExportCardTransactions'] | undefined
    reply: Schemas['Export']
  }
  /** Export the points of a loyalty program by the day they expire */
  'POST /v1/loyalties/{campaignId}/points-expiration/export': {
    path: { campaignId: string }
    query: undefined
    body: Schemas['ExportPointsExpiration'] | undefined
    reply: Schemas['Export']
  }
  /** List what is in the bin */
  'GET /v1/trash-bin': {
    path: undefined
    query: { limit?: number; order?: 'id' | '-id'; starting_after_id?: string; filters?: Record<string, unknown> }
    body: undefined
    reply: Schemas['BinEntryList']
  }
  /** Destroy what is in the bin */
  'DELETE /v1/trash-bin/{binEntryId}': {
    path: { binEntryId: string }
    query: undefined
    body: undefined
    reply: undefined
  }
  /** Get the QR code of a voucher */
  'GET /v1/assets/qr/{assetId}': {
    path: { assetId: string }
    query: { size?: number; format?: 'png' | 'svg' }
    body: undefined
    reply: Blob
  }
  /** Get the bar code of a voucher */
  'GET /v1/assets/barcode/{assetId}': {
    path: { assetId: string }
    query: { size?: number; format?: 'png' | 'svg' }
    body: undefined
    reply: Blob
  }
  /** Create a project */
  'POST /management/v1/projects': {
    path: undefined
    query: undefined
    body: Schemas['CreateProject']
    reply: Schemas['CreatedProject']
  }
  /** List projects */
  'GET /management/v1/projects': { path: undefined; query: undefined; body: undefined; reply: Schemas['ProjectList'] }
  /** Get a project */
  'GET /management/v1/projects/{projectId}': {
    path: { projectId: string }
    query: undefined
    body: undefined
    reply: Schemas['Project']
  }
  /** Update a project */
  'PUT /management/v1/projects/{projectId}': {
    path: { projectId: string }
    query: undefined
    body: Schemas['UpdateProject'] | undefined
    reply: Schemas['Project']
  }
  /** Delete a project */
  'DELETE /management/v1/projects/{projectId}': {
    path: { projectId: string }
    query: undefined
    body: undefined
    reply: undefined
  }
  /** Regenerate the webhook token */
  'POST /management/v1/projects/{projectId}/webhook-token/regenerate': {
    path: { projectId: string }
    query: undefined
    body: undefined
    reply: Schemas['Project']
  }
  /** Set the limits of a project */
  'PUT /management/v1/projects/{projectId}/limits': {
    path: { projectId: string }
    query: undefined
    body: (Schemas['ProjectLimits'] | null) | undefined
    reply: Schemas['Project']
  }
  /** Invite a user */
  'POST /management/v1/projects/users/invite': {
    path: undefined
    query: undefined
    body: Schemas['InviteUser']
    reply: Schemas['Invitation'] | undefined
  }
  /** Assign a user to a project */
  'POST /management/v1/projects/{projectId}/users': {
    path: { projectId: string }
    query: undefined
    body: Schemas['AssignUser']
    reply: Schemas['User']
  }
  /** List the users of a project */
  'GET /management/v1/projects/{projectId}/users': {
    path: { projectId: string }
    query: { limit?: number; page?: number }
    body: undefined
    reply: Schemas['UserList']
  }
  /** Get a user of a project */
  'GET /management/v1/projects/{projectId}/users/{userId}': {
    path: { projectId: string; userId: string }
    query: undefined
    body: undefined
    reply: Schemas['User']
  }
  /** Change the role of a user */
  'PUT /management/v1/projects/{projectId}/users/{userId}': {
    path: { projectId: string; userId: string }
    query: undefined
    body: Schemas['UpdateUser']
    reply: Schemas['User']
  }
  /** Remove a user from a project */
  'DELETE /management/v1/projects/{projectId}/users/{userId}': {
    path: { projectId: string; userId: string }
    query: undefined
    body: undefined
    reply: undefined
  }
  /** Renew the invitation of a user */
  'POST /management/v1/projects/{projectId}/users/{userId}/invitation': {
    path: { projectId: string; userId: string }
    query: undefined
    body: undefined
    reply: Schemas['Invitation']
  }
  /** List API keys */
  'GET /management/v1/projects/{projectId}/api-keys': {
    path: { projectId: string }
    query: undefined
    body: undefined
    reply: Schemas['ApiKeyList']
  }
  /** Create an API key */
  'POST /management/v1/projects/{projectId}/api-keys': {
    path: { projectId: string }
    query: undefined
    body: Schemas['CreateApiKey']
    reply: Schemas['ApiKeyWithSecret']
  }
  /** Update an API key */
  'PUT /management/v1/projects/{projectId}/api-keys/{keyId}': {
    path: { projectId: string; keyId: string }
    query: undefined
    body: Schemas['UpdateApiKey'] | undefined
    reply: Schemas['ApiKey']
  }
  /** Delete an API key */
  'DELETE /management/v1/projects/{projectId}/api-keys/{keyId}': {
    path: { projectId: string; keyId: string }
    query: undefined
    body: undefined
    reply: undefined
  }
  /** Regenerate the secret of an API key */
  'POST /management/v1/projects/{projectId}/api-keys/{keyId}/regenerate': {
    path: { projectId: string; keyId: string }
    query: undefined
    body: undefined
    reply: Schemas['ApiKeyWithSecret']
  }
  /** List notifications */
  'GET /management/v1/projects/{projectId}/notifications': {
    path: { projectId: string }
    query: { limit?: number; starting_after_id?: string; read?: boolean }
    body: undefined
    reply: Schemas['NotificationList']
  }
  /** Mark a notification as read */
  'PUT /management/v1/projects/{projectId}/notifications/{notificationId}': {
    path: { projectId: string; notificationId: string }
    query: undefined
    body: Schemas['UpdateNotification']
    reply: Schemas['Notification']
  }
  /** Get the use of the rate limits */
  'GET /management/v1/projects/{projectId}/usage': {
    path: { projectId: string }
    query: undefined
    body: undefined
    reply: Schemas['Usage']
  }
  /** List the audit log */
  'GET /management/v1/projects/{projectId}/audit-log': {
    path: { projectId: string }
    query: {
      limit?: number
      starting_after_id?: string
      status?: 'SUCCESS' | 'FAILURE'
      method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE'
      endpoint?: string
      app_id?: string
      request_id?: string
      created_at?: { before?: string; after?: string }
    }
    body: undefined
    reply: Schemas['AuditLogList']
  }
  /** List stacking rules */
  'GET /management/v1/projects/{projectId}/stacking-rules': {
    path: { projectId: string }
    query: undefined
    body: undefined
    reply: Schemas['StackingRulesList']
  }
  /** Create stacking rules */
  'POST /management/v1/projects/{projectId}/stacking-rules': {
    path: { projectId: string }
    query: undefined
    body: Schemas['StackingRulesBody'] | undefined
    reply: Schemas['StackingRules']
  }
  /** Get stacking rules */
  'GET /management/v1/projects/{projectId}/stacking-rules/{stackingRulesId}': {
    path: { projectId: string; stackingRulesId: string }
    query: undefined
    body: undefined
    reply: Schemas['StackingRules']
  }
  /** Update stacking rules */
  'PUT /management/v1/projects/{projectId}/stacking-rules/{stackingRulesId}': {
    path: { projectId: string; stackingRulesId: string }
    query: undefined
    body: Schemas['StackingRulesBody'] | undefined
    reply: Schemas['StackingRules']
  }
  /** Delete stacking rules */
  'DELETE /management/v1/projects/{projectId}/stacking-rules/{stackingRulesId}': {
    path: { projectId: string; stackingRulesId: string }
    query: undefined
    body: undefined
    reply: undefined
  }
  /** List custom event schemas */
  'GET /management/v1/projects/{projectId}/custom-event-schemas': {
    path: { projectId: string }
    query: undefined
    body: undefined
    reply: Schemas['CustomEventSchemaList']
  }
  /** Create a custom event schema */
  'POST /management/v1/projects/{projectId}/custom-event-schemas': {
    path: { projectId: string }
    query: undefined
    body: Schemas['CreateCustomEventSchema']
    reply: Schemas['CustomEventSchema']
  }
  /** Get a custom event schema */
  'GET /management/v1/projects/{projectId}/custom-event-schemas/{customEventSchemaId}': {
    path: { projectId: string; customEventSchemaId: string }
    query: undefined
    body: undefined
    reply: Schemas['CustomEventSchema']
  }
  /** Update a custom event schema */
  'PUT /management/v1/projects/{projectId}/custom-event-schemas/{customEventSchemaId}': {
    path: { projectId: string; customEventSchemaId: string }
    query: undefined
    body: Schemas['UpdateCustomEventSchema']
    reply: Schemas['CustomEventSchema']
  }
  /** Delete a custom event schema */
  'DELETE /management/v1/projects/{projectId}/custom-event-schemas/{customEventSchemaId}': {
    path: { projectId: string; customEventSchemaId: string }
    query: undefined
    body: undefined
    reply: undefined
  }
  /** List brandings */
  'GET /management/v1/projects/{projectId}/branding': {
    path: { projectId: string }
    query: undefined
    body: undefined
    reply: Schemas['BrandingList']
  }
  /** Create a branding */
  'POST /management/v1/projects/{projectId}/branding': {
    path: { projectId: string }
    query: undefined
    body: Schemas['CreateBranding']
    reply: Schemas['Branding']
  }
  /** Get a branding */
  'GET /management/v1/projects/{projectId}/branding/{brandingId}': {
    path: { projectId: string; brandingId: string }
    query: undefined
    body: undefined
    reply: Schemas['Branding']
  }
  /** Update a branding */
  'PUT /management/v1/projects/{projectId}/branding/{brandingId}': {
    path: { projectId: string; brandingId: string }
    query: undefined
    body: Schemas['UpdateBranding'] | undefined
    reply: Schemas['Branding']
  }
  /** Delete a branding */
  'DELETE /management/v1/projects/{projectId}/branding/{brandingId}': {
    path: { projectId: string; brandingId: string }
    query: undefined
    body: undefined
    reply: undefined
  }
  /** List events */
  'GET /management/v1/projects/{projectId}/events': {
    path: { projectId: string }
    query: {
      limit?: number
      order?: 'created_at' | '-created_at'
      cursor?: string
      type?: Array<
        | 'redemption.succeeded'
        | 'redemption.failed'
        | 'redemption.rollback.succeeded'
        | 'redemption.rollback.failed'
        | 'publication.succeeded'
        | 'voucher.created'
        | 'voucher.updated'
        | 'voucher.enabled'
        | 'voucher.disabled'
        | 'voucher.deleted'
        | 'voucher.published'
        | 'voucher.gift.balance_added'
        | 'voucher.gift.transaction.created'
        | 'voucher.loyalty_card.points_added'
        | 'voucher.loyalty_card.points_expired'
        | 'voucher.loyalty_card.pending_points.added'
        | 'voucher.loyalty_card.pending_points.updated'
        | 'voucher.loyalty_card.pending_points.canceled'
        | 'voucher.loyalty_card.pending_points.activated'
        | 'voucher.loyalty_card.transaction.created'
        | 'campaign.created'
        | 'campaign.updated'
        | 'campaign.enabled'
        | 'campaign.disabled'
        | 'campaign.deleted'
        | 'campaign.vouchers.generation.started'
        | 'campaign.vouchers.generation.completed'
        | 'campaign.vouchers.generation.failed'
        | 'campaign.vouchers.added'
        | 'campaign.promotion_tier.created'
        | 'campaign.promotion_tier.updated'
        | 'campaign.promotion_tier.enabled'
        | 'campaign.promotion_tier.disabled'
        | 'campaign.promotion_tier.deleted'
        | 'campaign.promotion_stack.created'
        | 'campaign.promotion_stack.updated'
        | 'campaign.promotion_stack.deleted'
        | 'campaign.loyalty_tier.created'
        | 'campaign.loyalty_tier.updated'
        | 'campaign.loyalty_tier.deleted'
        | 'campaign.earning_rule.assigned'
        | 'campaign.earning_rule.updated'
        | 'campaign.earning_rule.enabled'
        | 'campaign.earning_rule.disabled'
        | 'campaign.earning_rule.deleted'
        | 'campaign.reward.assignment.created'
        | 'campaign.reward.assignment.updated'
        | 'campaign.reward.assignment.deleted'
        | 'campaign.referral_tier.created'
        | 'campaign.referral_tier.updated'
        | 'campaign.referral_tier.deleted'
        | 'business_validation_rule.created'
        | 'business_validation_rule.updated'
        | 'business_validation_rule.deleted'
        | 'business_validation_rule.assignment.created'
        | 'business_validation_rule.assignment.deleted'
        | 'customer.created'
        | 'customer.updated'
        | 'customer.deleted'
        | 'customer.confirmed'
        | 'customer.rewarded'
        | 'customer.rewarded.loyalty_points'
        | 'customer.reward_redemptions.created'
        | 'customer.reward_redemptions.pending'
        | 'customer.reward_redemptions.rolledback'
        | 'customer.reward_redemptions.completed'
        | 'customer.holder.assignment.created'
        | 'customer.holder.assignment.deleted'
        | 'customer.referred'
        | 'customer.custom_event'
        | 'customer.segment.entered'
        | 'customer.segment.left'
        | 'customer.sms.sent'
        | 'customer.email.sent'
        | 'customer.activecampaign.sent'
        | 'customer.braze.sent'
        | 'customer.mailchimp.sent'
        | 'customer.intercom.sent'
        | 'customer.shopify.sent'
        | 'customer.klaviyo.sent'
        | 'customer.batch.sent'
        | 'customer.sms.recovered'
        | 'customer.email.recovered'
        | 'customer.activecampaign.recovered'
        | 'customer.braze.recovered'
        | 'customer.mailchimp.recovered'
        | 'customer.intercom.recovered'
        | 'customer.shopify.recovered'
        | 'customer.klaviyo.recovered'
        | 'customer.batch.recovered'
        | 'customer.sms.failed'
        | 'customer.email.failed'
        | 'customer.activecampaign.failed'
        | 'customer.braze.failed'
        | 'customer.mailchimp.failed'
        | 'customer.intercom.failed'
        | 'customer.shopify.failed'
        | 'customer.klaviyo.failed'
        | 'customer.batch.failed'
        | 'customer.voucher.gift.balance_added'
        | 'customer.voucher.loyalty_card.points_added'
        | 'customer.voucher.loyalty_card.points_transferred'
        | 'customer.voucher.loyalty_card.points_expired'
        | 'customer.voucher.loyalty_card.pending_points.added'
        | 'customer.voucher.loyalty_card.pending_points.updated'
        | 'customer.voucher.loyalty_card.pending_points.canceled'
        | 'customer.voucher.loyalty_card.pending_points.activated'
        | 'customer.voucher.loyalty_card.points_activated'
        | 'customer.voucher.deleted'
        | 'customer.publication.succeeded'
        | 'customer.publication.failed'
        | 'customer.validation.succeeded'
        | 'customer.validation.failed'
        | 'customer.redemption.succeeded'
        | 'customer.redemption.failed'
        | 'customer.redemption.rollback.succeeded'
        | 'customer.redemption.rollback.failed'
        | 'customer.order.created'
        | 'customer.order.updated'
        | 'customer.order.paid'
        | 'customer.order.fulfilled'
        | 'customer.order.canceled'
        | 'customer.order.processing'
        | 'customer.loyalty.updated'
        | 'customer.loyalty.tier.joined'
        | 'customer.loyalty.tier.left'
        | 'customer.loyalty.tier.prolonged'
        | 'customer.loyalty.tier.upgraded'
        | 'customer.loyalty.tier.downgraded'
        | 'customer.loyalty.tier.expiration.changed'
        | 'segment.created'
        | 'segment.updated'
        | 'segment.activated'
        | 'segment.filters_updated'
        | 'products_collection.created'
        | 'products_collection.updated'
      >
      category?: 'ACTION' | 'EFFECT'
      entity_id?: string
      group_id?: string
      campaign_id?: string
      voucher_id?: string
      created_at?: { before?: string; after?: string }
    }
    body: undefined
    reply: Schemas['StoredEventList']
  }
  /** List webhooks */
  'GET /management/v1/projects/{projectId}/webhooks': {
    path: { projectId: string }
    query: undefined
    body: undefined
    reply: Schemas['WebhookList']
  }
  /** Create a webhook */
  'POST /management/v1/projects/{projectId}/webhooks': {
    path: { projectId: string }
    query: undefined
    body: Schemas['CreateWebhook']
    reply: Schemas['Webhook']
  }
  /** Get a webhook */
  'GET /management/v1/projects/{projectId}/webhooks/{webhookId}': {
    path: { projectId: string; webhookId: string }
    query: undefined
    body: undefined
    reply: Schemas['Webhook']
  }
  /** Update a webhook */
  'PUT /management/v1/projects/{projectId}/webhooks/{webhookId}': {
    path: { projectId: string; webhookId: string }
    query: undefined
    body: Schemas['UpdateWebhook'] | undefined
    reply: Schemas['Webhook']
  }
  /** Delete a webhook */
  'DELETE /management/v1/projects/{projectId}/webhooks/{webhookId}': {
    path: { projectId: string; webhookId: string }
    query: undefined
    body: undefined
    reply: undefined
  }
  /** Send a sample to a webhook */
  'POST /management/v1/projects/{projectId}/webhooks/{webhookId}/test': {
    path: { projectId: string; webhookId: string }
    query: undefined
    body: Schemas['TestWebhook']
    reply: Schemas['Sendout']
  }
  /** List webhook send-outs */
  'GET /management/v1/projects/{projectId}/webhook-sendouts': {
    path: { projectId: string }
    query: {
      limit?: number
      starting_after_id?: string
      status?: 'PENDING' | 'RETRYING' | 'SUCCEEDED' | 'FAILED'
      webhook_id?: string
      type?: string
      request_id?: string
      event_id?: string
    }
    body: undefined
    reply: Schemas['SendoutList']
  }
  /** Retry a webhook send-out */
  'POST /management/v1/projects/{projectId}/webhook-sendouts/{sendoutId}/retry': {
    path: { projectId: string; sendoutId: string }
    query: undefined
    body: undefined
    reply: Schemas['Sendout']
  }
}
