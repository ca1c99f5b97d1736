import type { StoredCustomer } from '../../audience/customers/customer.ts'
import type { Configuration } from '../../core/configuration/configuration.ts'
import type { CampaignRow } from '../../core/db/tables.ts'
import type { CustomEvent, SimpleCampaign, SimpleRedemption } from '../../core/events/shapes.ts'
import type { ReferralProgram } from '../../incentives/campaigns/schema.ts'
import type { StoredVoucher } from '../../incentives/vouchers/voucher.ts'
import type { StoredConversion } from './conversion-store.ts'

/** A referee who converts by the code of a referrer; both customers are locked. */
export interface Conversion {
  configuration: Configuration
  program: ConvertingProgram
  /** The program as events show it. */
  campaign: SimpleCampaign
  /** The referral code in its current state. */
  code: StoredVoucher
  referrer: StoredCustomer
  referee: StoredCustomer
  /** The redemption or custom event that converts. */
  by: {
    id: string
    type: StoredConversion['related_object_type']
    redemption: SimpleRedemption | null
    custom_event: CustomEvent | null
  }
}

export interface ConvertingProgram {
  id: CampaignRow['id']
  name: string
  referral_program: object | null
}

/** The event that converts in a program and the reward of the referee; by default a redemption converts, without a reward. */
export const conversionTermsOf = ({ referral_program }: Pick<ConvertingProgram, 'referral_program'>): ReferralProgram =>
  (referral_program as ReferralProgram | null) ?? { conversion_event_type: 'redemption' }
