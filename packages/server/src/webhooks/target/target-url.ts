import { isIP } from 'node:net'
import { limits } from '../../core/lib/limits.ts'
import { whyNotPublic } from './addresses.ts'

/** Where a request of a webhook goes. */
export interface Target {
  url: URL
  /** A name without its final dot, or an address without brackets. */
  host: string
  port: number
  /** With the query, as it is sent. */
  path: string
}

/** What is wrong with a URL, and what else its text alone shows. */
export interface UrlFault {
  reason: 'invalid' | 'long' | 'credentials' | 'private'
  sentence: string
}

/**
 * Reads the URL of a target. Without `allow_private`, literal addresses are judged here: the URL parser turns every notation of an IPv4
 * address (`2130706433`, `0x7f.1`, `127.1`, full-width digits) into the usual one.
 */
export function readTarget(text: string, { allow_private }: { allow_private: boolean }): Target | UrlFault {
  if (text.length > limits.target_url_length_max)
    return { reason: 'long', sentence: `the URL has more than ${limits.target_url_length_max} characters` }
  // The parser drops tabs and line breaks anywhere and spaces at the ends, so that the text shown would not be the text used.
  const url = /^https?:\/\/\S+$/i.test(text) ? URL.parse(text) : null
  if (url === null || url.port === '0') return { reason: 'invalid', sentence: 'the URL is not valid' }
  if (url.username !== '' || url.password !== '')
    return { reason: 'credentials', sentence: 'the URL contains a user name or a password' }
  const host = hostOf(url)
  const whyNot = allow_private ? null : whyNotPublicHost(host)
  if (whyNot !== null) return { reason: 'private', sentence: whyNot }
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)
  return { url, host, port, path: url.pathname + url.search }
}

export const isFault = (read: Target | UrlFault): read is UrlFault => 'reason' in read

const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$|\.$/g, '')

/** Names under `localhost` are loopback by RFC 6761, whatever a resolver says. */
function whyNotPublicHost(host: string): string | null {
  if (isIP(host) !== 0) return whyNotPublic(host)
  return /(?:^|\.)localhost$/.test(host) ? `the name ${host} is loopback` : null
}
