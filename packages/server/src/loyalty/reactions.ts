import type { ConfiguredRewardAssignment } from '../core/configuration/configuration.ts'
import type { Ctx } from '../core/context.ts'
import type { RewardCredit } from './points/issue.ts'

declare module '../core/reactions.ts' {
  interface Reactions {
    /**
     * A card has enough points for the automatic reward of its program. Points count as of the day `spentOn`. Returns the
     * points that the reward credits to a card, if any, or null if nothing was redeemed.
     */
    rewardDue: (
      ctx: Ctx,
      code: string,
      assignment: ConfiguredRewardAssignment,
      spentOn: string,
    ) => Promise<{ rewardCredit: RewardCredit | null } | null>
  }
}
