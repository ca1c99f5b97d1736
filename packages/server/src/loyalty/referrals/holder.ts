import type { SimpleHolder } from '../../core/events/shapes.ts'
import type { RedeemableHolder } from './schema.ts'
import type { ReferralCode, StoredHolder } from './store.ts'

export function toRedeemableHolder(holder: StoredHolder, of: ReferralCode): RedeemableHolder {
  const { metadata } = holder
  return { ...commonOf(holder, of), ...(metadata === null ? {} : { metadata }) }
}

/** [RH], the form in events. */
export function toSimpleHolder(holder: StoredHolder, of: Held): SimpleHolder {
  return { ...commonOf(holder, of), publication_id: holder.publication_id }
}

/** What of a code and its program a holder says. */
interface Held {
  program: { id: string }
  code: Pick<ReferralCode['code'], 'id' | 'type'>
}

const commonOf = ({ id, created_at, customer_id, role }: StoredHolder, { program, code }: Held) =>
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
