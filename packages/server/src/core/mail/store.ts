import type { Db } from '../db/database.ts'
import { type Id, newId } from '../lib/ids.ts'

/** A mail that is not sent yet. */
export interface WaitingMail {
  id: Id<'mail'>
  /** To whom it is still to be sent. */
  recipients: string[]
  subject: string
  text: string
  failed_attempts: number
}

export async function insertMail(
  db: Db,
  mail: Pick<WaitingMail, 'recipients' | 'subject' | 'text'>,
): Promise<Id<'mail'>> {
  const id = newId('mail')
  await db
    .insertInto('mails')
    .values({ id, ...mail })
    .execute()
  return id
}

/** Undefined if it was sent or dropped already: a job may run twice. */
export const findMail = (db: Db, id: Id<'mail'>): Promise<WaitingMail | undefined> =>
  db
    .selectFrom('mails')
    .where('id', '=', id)
    .select(['id', 'recipients', 'subject', 'text', 'failed_attempts'])
    .executeTakeFirst()

/** Counts a failed attempt; those who have the mail do not get it again. */
export async function countFailure(db: Db, id: Id<'mail'>, recipients: string[]): Promise<void> {
  await db
    .updateTable('mails')
    .set((eb) => ({ recipients, failed_attempts: eb('failed_attempts', '+', 1) }))
    .where('id', '=', id)
    .execute()
}

/** Mails may contain one-time links: nothing of a sent or dropped one stays. */
export async function deleteMail(db: Db, id: Id<'mail'>): Promise<void> {
  await db.deleteFrom('mails').where('id', '=', id).execute()
}
