/** What became of the mails in this process; `failed` ones are tried again. */
export type MailTally = Record<'sent' | 'logged' | 'failed' | 'dropped', number>

export const newMailTally = (): MailTally => ({ sent: 0, logged: 0, failed: 0, dropped: 0 })
