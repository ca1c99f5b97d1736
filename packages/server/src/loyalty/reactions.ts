import type { ConfiguredRewardAssignment } from '../core/configuration/configuration.ts'
import type { Ctx } from '../core/context.ts'
import type { RewardCredit } from './points/issue.ts'

declare module '../core/reactions.ts' {
  interface Reactions {
    /**
     * A card has enough points for the reward that its program redeems automatically. Points count as of the day `spent_on`.
     * Returns the card that gets points by the reward, if one does, or null when nothing was redeemed.
     */
    rewardDue: (
      ctx: Ctx,
      code: string,
      assignment: ConfiguredRewardAssignment,
      spentOn: string,
    ) => Promise<{ grown: RewardCredit | null } | null>
  }
}
