import { isIP } from 'node:net'
import { invalidPayload } from '../../core/http/errors.ts'
import { limits } from '../../core/lib/limits.ts'
import { within } from '../../core/lib/within.ts'
import { whyNotPublic } from './addresses.ts'
import { type Lookup, newLookup } from './lookup.ts'
import { isFault, readTarget, type UrlFault } from './target-url.ts'

export interface CheckOptions {
  allow_private: boolean
  /** For tests: answers instead of the DNS servers of this machine. */
  lookup?: Lookup
}

/**
 * Refuses a `target_url` whose fault shows when it is saved. A name that does not resolve (yet, or not within 2 s) is accepted, because every
 * attempt judges the addresses again. It waits for the network: call it before the transaction, not inside.
 */
export async function checkTargetUrl(url: string, { allow_private, lookup }: CheckOptions): Promise<void> {
  const target = readTarget(url, { allow_private })
  if (isFault(target)) throw invalidPayload(`Property .target_url ${messages[target.reason](target)}`)
  if (allow_private || isIP(target.host) !== 0) return
  for (const address of await addressesNow(target.host, lookup)) {
    const whyNot = whyNotPublic(address)
    if (whyNot !== null) throw invalidPayload(`Property .target_url ${messages.private({ sentence: whyNot })}`)
  }
}

const messages: Record<UrlFault['reason'], (fault: Pick<UrlFault, 'sentence'>) => string> = {
  invalid: () => 'must be a valid URL',
  long: () => `must NOT have more than ${limits.target_url_length_max} characters`,
  credentials: () => 'must not contain a user name or a password',
  private: ({ sentence }) => `must lead to a public address, unless WEBHOOK_ALLOW_PRIVATE_TARGETS is set: ${sentence}`,
}

async function addressesNow(host: string, given: Lookup | undefined): Promise<string[]> {
  const { lookup, close } = given === undefined ? newLookup({ allow_private: false }) : { lookup: given, close() {} }
  try {
    const found = await within(waitMs, lookup(host, { all: true }))
    return found.map(({ address }) => address)
  } catch {
    return []
  } finally {
    close()
  }
}

const waitMs = 2_000
