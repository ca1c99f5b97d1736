import type { SimpleHolder } from '../../core/events/shapes.ts'
import type { RedeemableHolder } from './schema.ts'
import type { ReferralCode, StoredHolder } from './store.ts'

export function toRedeemableHolder(holder: StoredHolder, referralCode: ReferralCode): RedeemableHolder {
  const { metadata } = holder
  return { ...commonOf(holder, referralCode), ...(metadata === null ? {} : { metadata }) }
}

/** [RH], the form in events. */
export function toSimpleHolder(holder: StoredHolder, referralCode: HolderSource): SimpleHolder {
  return { ...commonOf(holder, referralCode), publication_id: holder.publication_id }
}

/** The parts of a code and its program that a holder object contains. */
interface HolderSource {
  program: { id: string }
  code: Pick<ReferralCode['code'], 'id' | 'type'>
}

const commonOf = ({ id, created_at, customer_id, role }: StoredHolder, { program, code }: HolderSource) =>
  ({
    id,
    created_at,
    redeemable_id: code.id,
    redeemable_object: 'voucher',
    campaign_id: program.id,
    campaign_type: 'REFERRAL_PROGRAM',
    voucher_type: code.type,
    customer_id,
    holder_role: role,
    object: 'redeemable_holder',
  }) as const
