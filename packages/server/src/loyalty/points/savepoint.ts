import { sql } from 'kysely'
import { RewardUnavailableError } from '../../checkout/decision/decide.ts'
import { StaleVersionError } from '../../checkout/decision/save.ts'
import type { Ctx } from '../../core/context.ts'
import { ApiError } from '../../core/http/errors.ts'

/**
 * Runs `issue` in a savepoint. If the reward or card cannot be issued, rolls back to the savepoint and returns null, so that
 * the surrounding transaction goes on: it counts whether or not a reward is left. A lock timeout (`multiple_requests`) is not a
 * refusal and is rethrown.
 */
export async function inSavepointOrNull<Result>(ctx: Ctx, issue: () => Promise<Result>): Promise<Result | null> {
  await sql`savepoint gift`.execute(ctx.db)
  try {
    const result = await issue()
    await sql`release savepoint gift`.execute(ctx.db)
    return result
  } catch (error) {
    if (!isRefusal(error) && !(error instanceof StaleVersionError)) throw error
    await sql`rollback to savepoint gift`.execute(ctx.db)
    await sql`release savepoint gift`.execute(ctx.db)
    if (error instanceof StaleVersionError) throw error // the caller may retry
    return null
  }
}

const isRefusal = (error: unknown): boolean =>
  error instanceof RewardUnavailableError || (error instanceof ApiError && error.key !== 'multiple_requests')
