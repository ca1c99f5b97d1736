import { sql } from 'kysely'
import { RewardUnavailableError } from '../../checkout/decision/decide.ts'
import { StaleVersionError } from '../../checkout/decision/save.ts'
import type { Ctx } from '../../core/context.ts'
import { ApiError } from '../../core/http/errors.ts'

/**
 * Gives somebody something, or undoes all that was written for it and answers null where it cannot be given: what it is given
 * for counts whether or not there is a reward left. Whoever had to wait too long for others has not been refused anything.
 */
export async function inSavepointOrNull<Given>(ctx: Ctx, give: () => Promise<Given>): Promise<Given | null> {
  await sql`savepoint gift`.execute(ctx.db)
  try {
    const given = await give()
    await sql`release savepoint gift`.execute(ctx.db)
    return given
  } catch (error) {
    if (!isRefusal(error) && !(error instanceof StaleVersionError)) throw error
    await sql`rollback to savepoint gift`.execute(ctx.db)
    await sql`release savepoint gift`.execute(ctx.db)
    if (error instanceof StaleVersionError) throw error // and may try again
    return null
  }
}

const isRefusal = (error: unknown): boolean =>
  error instanceof RewardUnavailableError || (error instanceof ApiError && error.key !== 'multiple_requests')
