export interface ExportKind {
  id: string
  name: string
  about: string
  /** All columns of the file; without them the service writes the few usual ones. */
  fields: readonly string[]
  /** Who may export it; without them everybody. */
  roles?: readonly string[]
}

const words = (text: string) => text.trim().split(/\s+/)

/** What can be exported. */
export const exportKinds: readonly ExportKind[] = [
  {
    id: 'voucher',
    name: 'Codes',
    about: 'Every code: what it gives, its balance, how often it was used, who has it.',
    fields:
      words(`code voucher_type value discount_type id formula campaign campaign_id category start_date expiration_date
      gift_balance loyalty_balance redemption_quantity redemption_count active qr_code bar_code metadata is_referral_code
      created_at updated_at validity_timeframe_interval validity_timeframe_duration validity_day_of_week
      discount_amount_limit additional_info customer_id customer_source_id discount_effect discount_unit_type
      discount_unit_effect validation_rules_id`),
  },
  {
    id: 'redemption',
    name: 'Redemptions',
    about: 'Every use of a code or promotion, refusals and rollbacks included.',
    fields:
      words(`id object voucher_code customer_id date result campaign promotion_tier_id customer_source_id customer_name
      tracking_id order_id order_amount gift_amount loyalty_points failure_code failure_message metadata`),
  },
  {
    id: 'customer',
    name: 'Customers',
    about: 'Every customer: address, orders, redemptions and points.',
    fields: words(`name source_id id description email phone birthdate birthday created_at updated_at address_city
      address_state address_line_1 address_line_2 address_country address_postal_code redemptions_total_redeemed
      redemptions_total_failed redemptions_total_succeeded redemptions_total_rolled_back redemptions_total_rollback_failed
      redemptions_total_rollback_succeeded orders_total_amount orders_total_count orders_average_amount
      orders_last_order_amount orders_last_order_date loyalty_points loyalty_referred_customers metadata`),
  },
  {
    id: 'order',
    name: 'Orders',
    about: 'Every order that the shop has told of, with its discounts.',
    fields: words(`id source_id status created_at updated_at amount discount_amount items_discount_amount
      total_discount_amount total_amount customer_id referrer_id metadata`),
  },
  {
    id: 'publication',
    name: 'Publications',
    about: 'Which code was given to whom, and when.',
    fields: words('voucher_code customer_id date channel customer_source_id campaign is_winner metadata'),
  },
  {
    id: 'product',
    name: 'Products',
    about: 'The catalogue.',
    fields: words('id name price image_url source_id attributes created_at updated_at metadata'),
  },
  {
    id: 'sku',
    name: 'Product variants',
    about: 'The variants (SKUs) of the products.',
    fields: words('id sku product_id currency price image_url source_id attributes created_at updated_at metadata'),
  },
  {
    id: 'points_expiration',
    name: 'Expiring points',
    about: 'Which points of which card expire when.',
    fields: words('id campaign_id voucher_id status expires_at points'),
  },
  {
    id: 'voucher_transactions',
    name: 'Balance changes',
    about: 'Every movement on gift cards and loyalty cards.',
    fields: words(`id type source_id reason source balance amount created_at voucher_id campaign_id
      related_transaction_id details`),
  },
  {
    id: 'api_log',
    name: 'Audit log',
    about: 'The calls of the last 24 hours: who called what, with what result, and both bodies.',
    fields: words(`id created_at status request_id channel method endpoint url user_email app_id client_app_id
      request_duration request_body response_body`),
    roles: ['ADMIN', 'USER'],
  },
]

export const exportName = (id: string): string => exportKinds.find((kind) => kind.id === id)?.name ?? id
