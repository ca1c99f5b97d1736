import { isHostName } from '../lib/host-name.ts'
import { limits } from '../lib/limits.ts'

/** No white space, control characters or delimiters of a header: an address cannot add a recipient or a line to a mail. */
const address = /^[^\s\p{C}<>()[\]\\,;:"@]+@[^\s\p{C}<>()[\]\\,;:"@]+$/u

/**
 * Whether a mail can be sent to the text, as one address and nothing else. The domain is a host name without a dot at its end: with
 * one, the same mailbox would have two addresses.
 */
export const isMailAddress = (text: string): boolean =>
  text.length <= limits.email_length_max && address.test(text) && isHostName(text.slice(text.indexOf('@') + 1))

/** Whom a mail comes from: `Guerdon <guerdon@shop.example>` or only the address. */
export interface Sender {
  name: string
  address: string
}

export function parseSender(text: string): Sender {
  const start = text.endsWith('>') ? text.lastIndexOf('<') : -1
  const sender =
    start === -1
      ? { name: '', address: text }
      : { name: unquoted(text.slice(0, start).trim()), address: text.slice(start + 1, -1) }
  if (!isMailAddress(sender.address) || /\p{C}/u.test(sender.name))
    throw new Error('must be an e-mail address such as guerdon@shop.example or Guerdon <guerdon@shop.example>')
  return sender
}

const unquoted = (name: string): string =>
  name.length >= 2 && name.startsWith('"') && name.endsWith('"') ? name.slice(1, -1) : name
