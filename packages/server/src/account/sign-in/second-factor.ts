import { randomBytes } from 'node:crypto'
import bwip from 'bwip-js/generic'
import { sql } from 'kysely'
import { Secret, TOTP } from 'otpauth'
import type { InstallationCtx } from '../../core/context.ts'
import type { Db } from '../../core/db/database.ts'
import { ApiError } from '../../core/http/errors.ts'
import { hashOf } from '../../core/http/secrets.ts'
import type { Instant } from '../../core/lib/instant.ts'
import { limits } from '../../core/lib/limits.ts'
import { countAttempt, factorBrakes, forgetAttempts } from './brakes.ts'
import type { NewSecondFactor, RecoveryCodes, SignIn } from './schema.ts'

/** Seconds for which an app shows a code, and steps by which its clock may differ. */
const [periodSeconds, stepsOff] = [30, 1]

interface Person {
  id: string
  email: string
}

/** A new secret, which is in force once a code of it was sent (`confirmFactor`). It replaces one that was never confirmed. */
export async function newFactor(
  { db, now }: Pick<InstallationCtx, 'db' | 'now'>,
  user: Person,
): Promise<NewSecondFactor> {
  const secret = new Secret({ size: 20 }).base32
  const { rows } = await sql`
    insert into user_second_factors as f (user_id, secret, created_at) values (${user.id}, ${secret}, ${now})
    on conflict (user_id) do update set secret = excluded.secret, created_at = excluded.created_at, last_step = 0
      where f.confirmed_at is null
    returning 1`.execute(db)
  if (rows.length === 0)
    throw new ApiError('second_factor_is_on', { details: 'Switch the second factor off before you set up another' })
  const uri = totpOf(secret, user.email).toString()
  return { secret, uri, qr_svg: qrSvg(uri) }
}

/** Switches the second factor on by a first code of it, and makes the recovery codes, which are shown now and never again. */
export async function confirmFactor(
  { db, now }: Pick<InstallationCtx, 'db' | 'now'>,
  user: Person,
  code: string,
): Promise<RecoveryCodes> {
  const factor = await findFactor(db, user.id)
  if (factor === undefined) throw new ApiError('second_factor_is_off', { details: 'Ask for a secret first' })
  if (factor.confirmed_at !== null) throw new ApiError('second_factor_is_on')
  if (!(await takeCode(db, user, factor.secret, code, now))) throw new ApiError('invalid_code', { details: wrongCode })
  await db.updateTable('user_second_factors').set({ confirmed_at: now }).where('user_id', '=', user.id).execute()
  const codes = Array.from({ length: limits.recovery_codes }, newRecoveryCode)
  await db.deleteFrom('user_recovery_codes').where('user_id', '=', user.id).execute()
  await db
    .insertInto('user_recovery_codes')
    .values(codes.map((text) => ({ user_id: user.id, code_hash: recoveryHash(text) })))
    .execute()
  return { recovery_codes: codes }
}

const wrongCode = 'The code is wrong, or was used already: wait for the next one, and check the clock of the device'

/** Switches the second factor of a user off; false if they have none. */
export async function deleteFactor(db: Db, userId: string): Promise<boolean> {
  await db.deleteFrom('user_recovery_codes').where('user_id', '=', userId).execute()
  const { numDeletedRows } = await db.deleteFrom('user_second_factors').where('user_id', '=', userId).executeTakeFirst()
  return numDeletedRows > 0n
}

/** Whether a user has to show a second factor. */
export async function hasFactor(db: Db, userId: string): Promise<boolean> {
  const factor = await findFactor(db, userId)
  return factor !== undefined && factor.confirmed_at !== null
}

/** Whether the second factor of a sign-in is right; each code works once. Wrong ones are counted, and refused with 429 after a few. */
export async function isFactor(
  { db, now }: Pick<InstallationCtx, 'db' | 'now'>,
  user: Person,
  { totp, recovery_code }: Pick<SignIn, 'totp' | 'recovery_code'>,
): Promise<boolean> {
  const brakes = factorBrakes(user.id)
  await countAttempt(db, brakes, now)
  const factor = await findFactor(db, user.id)
  const isRight =
    totp !== undefined
      ? factor !== undefined && (await takeCode(db, user, factor.secret, totp, now))
      : await takeRecoveryCode(db, user.id, recovery_code ?? '')
  if (isRight) await forgetAttempts(db, brakes, now)
  return isRight
}

function findFactor(db: Db, userId: string) {
  return db
    .selectFrom('user_second_factors')
    .where('user_id', '=', userId)
    .select(['secret', 'confirmed_at'])
    .executeTakeFirst()
}

/** Uses up a code: neither it nor an earlier one works again. One of concurrent requests gets it. */
async function takeCode(db: Db, user: Person, secret: string, code: string, now: Instant): Promise<boolean> {
  const digits = code.replaceAll(' ', '')
  if (!/^\d{6}$/.test(digits)) return false
  const timestamp = Date.parse(now)
  const delta = totpOf(secret, user.email).validate({ token: digits, timestamp, window: stepsOff })
  if (delta === null) return false
  const step = Math.floor(timestamp / 1_000 / periodSeconds) + delta
  const { numUpdatedRows } = await db
    .updateTable('user_second_factors')
    .set({ last_step: step })
    .where('user_id', '=', user.id)
    .where('secret', '=', secret)
    .where('last_step', '<', step)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

async function takeRecoveryCode(db: Db, userId: string, code: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('user_recovery_codes')
    .where('user_id', '=', userId)
    .where('code_hash', '=', recoveryHash(code))
    .executeTakeFirst()
  return numDeletedRows > 0n
}

const totpOf = (secret: string, label: string): TOTP =>
  new TOTP({ issuer: 'Guerdon', label, secret: Secret.fromBase32(secret), digits: 6, period: periodSeconds })

/** 80 random bits, as `abcd-efgh-ijkl-mnop`: too many to try all of them, even by whoever has read the hashes. */
function newRecoveryCode(): string {
  const letters = [...randomBytes(16)].map((byte) => recoveryLetters[byte & 31]).join('')
  return letters.replaceAll(/(.{4})(?=.)/g, '$1-')
}

/** Without letters and digits that look like others. */
const recoveryLetters = 'abcdefghijkmnpqrstuvwxyz23456789'

/** Capitals, spaces and hyphens do not matter. */
const recoveryHash = (code: string): Buffer => hashOf(code.toLowerCase().replaceAll(/[^a-z0-9]/g, ''))

/** With the light margin that cameras need. */
function qrSvg(text: string): string {
  const options = { bcid: 'qrcode', text, eclevel: 'M', padding: 8, backgroundcolor: 'FFFFFF' }
  return bwip.toSVG(options as Parameters<typeof bwip.toSVG>[0])
}
