import { isIPv4, isIPv6 } from 'node:net'

/**
 * What limits per address count: an IPv4 address, or the /64 of an IPv6 address, since a provider gives each customer at least that.
 * `2001:db8::1` → `2001:db8:0:0::/64`. A port that a proxy adds does not count, and what is no address is one network.
 */
export function networkOf(address: string): string {
  const bare = withoutPort(address)
  if (isIPv4(bare)) return bare
  return isIPv6(bare) ? networkOfGroups(groupsOf(bare)) : 'unknown'
}

/** `192.0.2.1:80` and `[2001:db8::1]:80` without the port, and without the zone of a link-local address. */
function withoutPort(address: string): string {
  const [bare = ''] = address.startsWith('[') ? address.slice(1).split(']', 1) : address.split('%', 1)
  const [host = '', port, ...groups] = bare.split(':')
  return port !== undefined && groups.length === 0 ? host : bare
}

function groupsOf(address: string): number[] {
  const dotted = address.slice(address.lastIndexOf(':') + 1)
  const plain = isIPv4(dotted) ? address.slice(0, -dotted.length) + hexOf(dotted) : address
  const [head = '', tail = ''] = plain.split('::')
  const [left, right] = [head, tail].map((part) => (part === '' ? [] : part.split(':'))) as [string[], string[]]
  const zeros = plain.includes('::') ? Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0') : []
  return [...left, ...zeros, ...right].map((group) => Number.parseInt(group, 16))
}

/** `192.0.2.1` as the last two groups of an IPv6 address. */
function hexOf(dotted: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = dotted.split('.').map(Number)
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
}

function networkOfGroups(groups: readonly number[]): string {
  const [high = 0, low = 0] = groups.slice(6)
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  if (isMapped) return [high >> 8, high & 255, low >> 8, low & 255].join('.')
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`
}
