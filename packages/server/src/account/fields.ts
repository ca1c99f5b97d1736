import { Type } from 'typebox'
import { limits } from '../core/lib/limits.ts'
import { oneLinePattern } from '../core/lib/one-line.ts'

/** A text that mails show: it stays in its line. */
export const Line = Type.String({ maxLength: limits.name_length_max, pattern: oneLinePattern })

export const EmailAddress = Type.String({ maxLength: limits.email_length_max, format: 'email' })
