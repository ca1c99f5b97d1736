import type { Ctx } from '../core/context.ts'
import type { CampaignRow } from '../core/db/tables.ts'
import type { StoredVoucher } from './vouchers/voucher.ts'

type CampaignId = CampaignRow['id']

/**
 * State of the cascade of reactions that one request triggers: each earning rule pays once per cascade
 * (docs/reference/earning-rules.md#from-event-to-points). Loyalty programs write and read it; a publication that belongs
 * to a cascade only passes it on to `codesPublished`.
 */
export interface CascadeState {
  fired: Set<string>
  /** Programs that a card is about to leave: the cascade earns no points in them and joins no member. */
  closed: Set<string>
}

declare module '../core/reactions.ts' {
  interface Reactions {
    /** Vouchers were published to a customer; the publication and its events are saved. */
    codesPublished: (
      ctx: Ctx,
      customerId: string,
      vouchers: readonly StoredVoucher[],
      cascade: CascadeState | undefined,
    ) => Promise<void>

    /**
     * A voucher is about to be deleted. Neither it nor its campaign is locked yet, so that a reaction can lock the holder
     * first. Called a second time if the voucher got another holder before it was locked.
     */
    voucherDeleting: (ctx: Ctx, voucher: Pick<StoredVoucher, 'id' | 'type' | 'holder_id'>) => Promise<void>
    /** Vouchers of a deleted campaign are about to be deleted with it, into the bin or for good. */
    campaignVouchersDeleting: (ctx: Ctx, voucherIds: readonly string[]) => Promise<void>
    /** Vouchers are being deleted for good. Their rows still exist. */
    vouchersErased: (ctx: Ctx, voucherIds: readonly string[]) => Promise<void>

    /** A campaign is deleted, into the bin or for good. A job deletes its vouchers later. */
    campaignDeleted: (ctx: Ctx, id: CampaignId) => Promise<void>
    /**
     * The vouchers of a deleted campaign are gone, the campaign is next. Each call deletes a bounded number of rows that
     * reference the campaign and returns whether none are left; only then is the campaign deleted.
     */
    campaignErasing: (ctx: Ctx, id: CampaignId) => Promise<boolean>
    /** A campaign is being deleted for good. Its row still exists. */
    campaignErased: (ctx: Ctx, id: CampaignId) => Promise<void>

    /** The settings that decide how members of a loyalty program win and lose tiers are about to change. */
    tierSettingsChanging: (ctx: Ctx, campaignId: CampaignId) => Promise<void>
    /** The tier settings have changed, and the request asks to apply them to current members. */
    tierRecalculationRequested: (ctx: Ctx, campaignId: CampaignId) => Promise<void>

    /** Tiers of a promotion were deleted, alone or with their campaign. */
    promotionTiersDeleted: (ctx: Ctx, tierIds: readonly string[]) => Promise<void>
  }
}
