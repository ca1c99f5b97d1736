import { isIPv4, isIPv6 } from 'node:net'

/** A range of addresses that no webhook may reach unless `WEBHOOK_ALLOW_PRIVATE_TARGETS` is set. */
export interface RefusedRange {
  /** In CIDR notation. */
  range: string
  /** Completes the sentence "the address 10.0.0.1 is …". */
  kind: string
}

/**
 * The special-purpose ranges of the IANA registries for IPv4 and IPv6, also those that are reachable from everywhere: no shop has a
 * receiver in one of them. 168.63.129.16 is the one address outside of them at which a cloud (Azure) serves its own machines. The
 * last three rows are all of IPv6 that is not global unicast (2000::/3); they come last so that a range with a purpose is named by it.
 */
export const refusedRanges: readonly RefusedRange[] = [
  { range: '0.0.0.0/8', kind: 'unspecified' },
  { range: '10.0.0.0/8', kind: 'private' },
  { range: '100.64.0.0/10', kind: 'shared by a provider' },
  { range: '127.0.0.0/8', kind: 'loopback' },
  { range: '168.63.129.16/32', kind: 'a metadata service' },
  { range: '169.254.0.0/16', kind: 'link-local' },
  { range: '172.16.0.0/12', kind: 'private' },
  { range: '192.0.0.0/24', kind: 'reserved' },
  { range: '192.0.2.0/24', kind: 'for documentation' },
  { range: '192.31.196.0/24', kind: 'reserved' },
  { range: '192.52.193.0/24', kind: 'reserved' },
  { range: '192.88.99.0/24', kind: 'reserved' },
  { range: '192.168.0.0/16', kind: 'private' },
  { range: '192.175.48.0/24', kind: 'reserved' },
  { range: '198.18.0.0/15', kind: 'for benchmarks' },
  { range: '198.51.100.0/24', kind: 'for documentation' },
  { range: '203.0.113.0/24', kind: 'for documentation' },
  { range: '224.0.0.0/4', kind: 'multicast' },
  { range: '240.0.0.0/4', kind: 'reserved' },

  { range: '::/128', kind: 'unspecified' },
  { range: '::1/128', kind: 'loopback' },
  { range: '::/96', kind: 'an embedded IPv4 address' },
  { range: '64:ff9b:1::/48', kind: 'private' },
  { range: '100::/64', kind: 'reserved' },
  { range: '100:0:0:1::/64', kind: 'reserved' },
  { range: '2001::/23', kind: 'reserved' },
  { range: '2001:db8::/32', kind: 'for documentation' },
  { range: '2002::/16', kind: 'an embedded IPv4 address' },
  { range: '2620:4f:8000::/48', kind: 'reserved' },
  { range: '3fff::/20', kind: 'for documentation' },
  { range: '5f00::/16', kind: 'reserved' },
  { range: 'fc00::/7', kind: 'private' },
  { range: 'fe80::/10', kind: 'link-local' },
  { range: 'fec0::/10', kind: 'private' },
  { range: 'ff00::/8', kind: 'multicast' },
  { range: '::/3', kind: 'reserved' },
  { range: '4000::/2', kind: 'reserved' },
  { range: '8000::/1', kind: 'reserved' },
]

/**
 * IPv6 addresses that carry an IPv4 address in their last 32 bits and lead to it: mapped ones (a socket that serves both families
 * reports these) and those of NAT64, which a network without IPv4 resolves every IPv4-only name to. The IPv4 address decides.
 */
const carryingRanges: readonly string[] = ['::ffff:0:0/96', '64:ff9b::/96']

/** Why an address is no target, as "the address 10.0.0.1 is private", or null if it is public. Anything but an address is refused. */
export function whyNotPublic(address: string): string | null {
  const kind = kindOf(address)
  return kind === null ? null : `the address ${address.slice(0, addressLengthMax)} is ${kind}`
}

/** The longest text of an IPv6 address. */
const addressLengthMax = 45

function kindOf(text: string): string | null {
  const address = readAddress(text)
  if (address === null) return 'not valid'
  const judged = carrying.some((range) => contains(range, address))
    ? { bits: 32, value: address.value & 0xffff_ffffn }
    : address
  return refused.find((range) => contains(range, judged))?.kind ?? null
}

interface Address {
  /** 32 or 128. */
  bits: number
  value: bigint
}

interface Range extends Address {
  prefix: number
}

const contains = ({ bits, value, prefix }: Range, address: Address): boolean =>
  address.bits === bits && (address.value ^ value) >> BigInt(bits - prefix) === 0n

function readRange(range: string): Range {
  const [start = '', prefix] = range.split('/')
  return { ...(readAddress(start) as Address), prefix: Number(prefix) }
}

/** Null for anything that is no address, and for one with a zone (`fe80::1%eth0`), which names a network interface of this machine. */
function readAddress(text: string): Address | null {
  if (isIPv4(text)) return { bits: 32, value: readIpv4(text) }
  return isIPv6(text) && !text.includes('%') ? { bits: 128, value: readIpv6(text) } : null
}

const readIpv4 = (text: string): bigint => text.split('.').reduce((value, part) => value * 256n + BigInt(part), 0n)

function readIpv6(text: string): bigint {
  const last = text.lastIndexOf(':') + 1
  const [head = '', tail] = (text.slice(0, last) + ipv4AsGroups(text.slice(last))).split('::')
  const before = groupsOf(head)
  const after = groupsOf(tail ?? '')
  const zeros = Array<string>(8 - before.length - after.length).fill('0')
  return [...before, ...zeros, ...after].reduce((value, group) => value * 65_536n + BigInt(`0x${group}`), 0n)
}

const groupsOf = (text: string): string[] => (text === '' ? [] : text.split(':'))

/** `10.0.0.1` as `a00:1`, and anything without a dot as it is. */
function ipv4AsGroups(text: string): string {
  if (!text.includes('.')) return text
  const value = readIpv4(text)
  return `${(value >> 16n).toString(16)}:${(value & 0xffffn).toString(16)}`
}

const refused = refusedRanges.map(({ range, kind }) => ({ ...readRange(range), kind }))
const carrying = carryingRanges.map(readRange)
