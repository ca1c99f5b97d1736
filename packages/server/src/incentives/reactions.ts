import type { Ctx } from '../core/context.ts'
import type { CampaignRow } from '../core/db/tables.ts'
import type { StoredVoucher } from './vouchers/voucher.ts'

type CampaignId = CampaignRow['id']

/**
 * What one request set off so far: a rule pays once for it (docs/reference/earning-rules.md#from-event-to-points). Loyalty
 * programs write and read it; a publication that one of them asks for only hands it on to `codesPublished`.
 */
export interface CascadeState {
  fired: Set<string>
  /** Programs that a card is about to leave: nothing is earned in them by it, and nobody joins. */
  closed: Set<string>
}

declare module '../core/reactions.ts' {
  interface Reactions {
    /** Codes were given to a customer; publication and events are written. */
    codesPublished: (
      ctx: Ctx,
      customerId: string,
      vouchers: readonly StoredVoucher[],
      chain: CascadeState | undefined,
    ) => Promise<void>

    /**
     * A code is about to be deleted. Neither it nor its campaign is locked yet, so that a reaction can lock the holder first.
     * Announced a second time when the code got another holder before it was locked.
     */
    voucherDeleting: (ctx: Ctx, voucher: Pick<StoredVoucher, 'id' | 'type' | 'holder_id'>) => Promise<void>
    /** Codes of a deleted campaign are about to be deleted with it, into the bin or for good. */
    campaignVouchersDeleting: (ctx: Ctx, voucherIds: readonly string[]) => Promise<void>
    /** Codes are erased for good. Their rows are still there. */
    vouchersErased: (ctx: Ctx, voucherIds: readonly string[]) => Promise<void>

    /** A campaign is deleted, into the bin or for good. Its codes are deleted later, in the background. */
    campaignDeleted: (ctx: Ctx, id: CampaignId) => Promise<void>
    /**
     * The codes of a deleted campaign are erased, the campaign is next. Each call deletes a bounded number of rows that name the
     * campaign and returns whether none are left; the campaign is erased only then.
     */
    campaignErasing: (ctx: Ctx, id: CampaignId) => Promise<boolean>
    /** A campaign is erased for good. Its row is still there. */
    campaignErased: (ctx: Ctx, id: CampaignId) => Promise<void>

    /** The settings by which members of a loyalty program win and lose tiers are about to change. */
    tierSettingsChanging: (ctx: Ctx, campaignId: CampaignId) => Promise<void>
    /** These settings have changed, and the request asks to apply them to the present members. */
    tierRecalculationRequested: (ctx: Ctx, campaignId: CampaignId) => Promise<void>

    /** Tiers of a promotion were deleted, alone or with their campaign. */
    promotionTiersDeleted: (ctx: Ctx, tierIds: readonly string[]) => Promise<void>
  }
}
