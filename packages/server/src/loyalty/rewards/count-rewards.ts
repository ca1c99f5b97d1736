import { sql } from 'kysely'
import { RewardUnavailableError } from '../../checkout/decision/decide.ts'
import type { Ctx } from '../../core/context.ts'
import { ApiError } from '../../core/http/errors.ts'

/**
 * Updates the counters of issued rewards. Callers do this last, because it locks the reward's row against concurrent requests.
 * Throws if a concurrent request has taken the last one in stock.
 */
export async function countRewards({ db, project_id }: Ctx, ids: readonly string[], by: 1 | -1): Promise<void> {
  for (const id of [...ids].sort()) {
    const { numAffectedRows = 0n } = await sql`
      update rewards set redeemed = coalesce(redeemed, 0) + ${by}::int
      where project_id = ${project_id} and id = ${id}
        and (${by}::int < 0 or type <> 'MATERIAL' or stock is null or coalesce(redeemed, 0) < stock)
        and coalesce(redeemed, 0) + ${by}::int >= 0`.execute(db)
    if (numAffectedRows === 0n && by > 0)
      throw new RewardUnavailableError(
        new ApiError('reward_out_of_stock', { resource_type: 'reward', resource_id: id }),
      )
  }
}
