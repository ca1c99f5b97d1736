import type { Ctx, InstallationCtx } from '../context.ts'
import { ApiError, tooManyRequests } from './errors.ts'
import { familyOf, type Operation, StoredReplyResult } from './operation.ts'

/** The operation of the client side, which answers with 429 who has tried too many wrong codes (docs/reference/limits.md#rate-limits). */
export function brakingGuesses(operation: Operation): Operation {
  const { path, target, run, runInBatch } = operation
  if (familyOf(path) !== 'client') return operation
  return {
    ...operation,
    ...(target === undefined ? {} : { target: (ctx, input) => brakingGuess(ctx, input, () => target(ctx, input)) }),
    ...(run === undefined ? {} : { run: (ctx, input) => brakingGuess(ctx, input, () => run(ctx, input)) }),
    ...(runInBatch === undefined
      ? {}
      : { runInBatch: (ctx, input) => brakingGuess(ctx, input, () => runInBatch(ctx, input)) }),
  }
}

async function brakingGuess<Result>(
  { callers, client, settings, now }: InstallationCtx & Partial<Pick<Ctx, 'client'>>,
  input: unknown,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  const codes = codesIn(input)
  const limit = settings.wrong_codes_limit
  if (codes.length === 0 || limit === null || client === undefined) return work()
  const at = Date.parse(now)
  const waitMs = await callers.codes.begin(client, codes, at)
  if (waitMs > 0)
    throw tooManyRequests('wrong_codes', waitMs, {
      facts: { details: `WRONG_CODES_LIMIT: more than ${limit.calls} wrong codes in ${limit.seconds} s` },
    })
  let outcome: unknown
  try {
    const result = await work()
    outcome = result
    return result
  } catch (error) {
    outcome = error
    throw error
  } finally {
    await callers.codes.end(client, codes, refusedCodes(codes, outcome), at)
  }
}

/** Every place where a request of the client side may name a code. */
function codesIn(input: unknown): string[] {
  const { params, query, body } = asObject(input)
  const { redeemables, voucher, referral, loyalty } = asObject(body)
  const listed = Array.isArray(redeemables)
    ? redeemables.map(asObject).filter(({ object }) => object === 'voucher')
    : []
  const named = [params, query, referral, loyalty].map((part) => asObject(part).code)
  const codes = [...listed.map(({ id }) => id), ...named, voucher]
  return [...new Set(codes.filter((code) => typeof code === 'string'))]
}

/** Those of the codes that a request was refused for, whatever the reason. */
function refusedCodes(codes: readonly string[], outcome: unknown): readonly string[] {
  if (outcome instanceof ApiError) return isAboutInput(outcome.status) ? codes : []
  if (outcome instanceof StoredReplyResult) return isAboutInput(outcome.reply.status) ? codes : []
  if (outcome instanceof Error) return []
  const { valid, redeemables = [], inapplicable_redeemables = [] } = asObject(outcome)
  const results = [redeemables, inapplicable_redeemables].flat().map(asObject)
  if (results.length === 0) return valid === false ? codes : []
  if (!results.some(({ status }) => status === 'INAPPLICABLE')) return []
  // What was skipped beside a refused code has not been looked at: who guesses would name a wrong one with each guess.
  const right = new Set(results.flatMap(({ id, status }) => (status === 'APPLICABLE' ? [String(id)] : [])))
  return codes.filter((code) => !right.has(code))
}

const isAboutInput = (status: number): boolean => status === 400 || status === 404

const asObject = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
