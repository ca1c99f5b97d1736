import { hash } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../../core/db/database.ts'
import { type ApiError, tooManyRequests } from '../../core/http/errors.ts'
import { type Instant, toInstant } from '../../core/lib/instant.ts'
import { limits } from '../../core/lib/limits.ts'
import { networkOf } from '../../core/lib/network.ts'

/*
 * Who guesses waits, longer each time (docs/reference/sign-in.md#wrong-attempts). An attempt is counted before its password is checked, in
 * the database: a hundred attempts at once, or on several nodes, get no further than one after another.
 */

/** What attempts are counted of. */
export interface Brake {
  subject: string
  /** Attempts without a delay. */
  free: number
  longest_seconds: number
}

/** Guesses at all accounts from one address, at one account from one address, and at one account from anywhere. */
export function signInBrakes(login: string, address: string): Brake[] {
  const account = fingerprint(login.toLowerCase())
  const network = networkOf(address)
  return [
    { subject: `address ${network}`, free: limits.sign_in_address_free, longest_seconds: limits.sign_in_delay_max },
    { subject: `pair ${account} ${network}`, free: limits.sign_in_free, longest_seconds: limits.sign_in_delay_max },
    // Shorter: whoever knows an address of a user could otherwise lock them out.
    {
      subject: `account ${account}`,
      free: limits.sign_in_account_free,
      longest_seconds: limits.sign_in_account_delay_max,
    },
  ]
}

/** Guesses at links. */
export const linkBrakes = (address: string): Brake[] => [
  {
    subject: `link ${networkOf(address)}`,
    free: limits.sign_in_address_free,
    longest_seconds: limits.sign_in_delay_max,
  },
]

/** Guesses at the second factor, by somebody who knows the password. */
export const factorBrakes = (userId: string): Brake[] => [
  { subject: `factor ${userId}`, free: limits.sign_in_free, longest_seconds: limits.sign_in_delay_max },
]

/** Not the text itself: people type their password into the wrong field. */
const fingerprint = (text: string): string => hash('sha256', text, 'base64url')

/** Counts an attempt, or refuses it with 429 while a delay lasts. */
export async function countAttempt(db: Db, brakes: readonly Brake[], now: Instant): Promise<void> {
  const subjects = brakes.map(({ subject }) => subject)
  await refuseWhileBraked(db, subjects, now)
  for (const { subject, free, longest_seconds } of brakes) {
    const forgottenAt = toInstant(Date.parse(now) - limits.sign_in_memory_hours * 3_600_000)
    const { rows } = await sql`
      insert into sign_in_brakes as b (subject, failures, last_at, retry_at) values (${subject}, 1, ${now}, ${now})
      on conflict (subject) do update set (failures, last_at, retry_at) = (
        select n, ${now}::timestamptz, ${now}::timestamptz + case when n < ${free} then interval '0'
          else least(${longest_seconds}, power(2, least(n - ${free}, 20))) * interval '1 second' end
        from (select case when b.last_at < ${forgottenAt} then 1 else b.failures + 1 end as n) as counted)
      where b.retry_at <= ${now}
      returning 1`.execute(db)
    // A concurrent attempt was the last one without a delay.
    if (rows.length === 0) await refuseWhileBraked(db, subjects, now)
  }
}

async function refuseWhileBraked(db: Db, subjects: readonly string[], now: Instant): Promise<void> {
  const { until } = await db
    .selectFrom('sign_in_brakes')
    .where('subject', 'in', subjects)
    .select(({ fn }) => fn.max('retry_at').as('until'))
    .executeTakeFirstOrThrow()
  const waitMs = until === null ? 0 : Date.parse(until) - Date.parse(now)
  if (waitMs > 0) throw tooManyAttempts(waitMs)
}

export const tooManyAttempts = (waitMs: number): ApiError =>
  tooManyRequests('sign_in_attempts', waitMs, {
    key: 'too_many_attempts',
    facts: { details: `Try again in ${Math.ceil(waitMs / 1_000)} s` },
  })

/** Takes back the attempt of `now` that was no guess. The delay of an attempt that was counted after it stays: that one may be a guess. */
export async function uncountAttempt(db: Db, brakes: readonly Brake[], now: Instant): Promise<void> {
  await sql`
    update sign_in_brakes set failures = greatest(failures - 1, 0),
      retry_at = case when last_at <= ${now} then least(retry_at, ${now}) else retry_at end
    where subject in (${sql.join(brakes.map(({ subject }) => subject))})`.execute(db)
}

/**
 * After a right password: forgets the wrong ones for this account. Those of the address stay, or whoever has an account could go on guessing
 * at others without a delay.
 */
export async function forgetAttempts(db: Db, brakes: readonly Brake[], now: Instant): Promise<void> {
  const [ofAddress, others] = [brakes.filter(isOfAddress), brakes.filter((brake) => !isOfAddress(brake))]
  if (ofAddress.length > 0) await uncountAttempt(db, ofAddress, now)
  if (others.length > 0)
    await db
      .deleteFrom('sign_in_brakes')
      .where(
        'subject',
        'in',
        others.map(({ subject }) => subject),
      )
      .execute()
}

const isOfAddress = ({ subject }: Brake): boolean => subject.startsWith('address ')
