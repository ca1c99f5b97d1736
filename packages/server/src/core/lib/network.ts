import { isIPv6 } from 'node:net'

/**
 * What limits per address count: an IPv4 address, or the /64 of an IPv6 address, since a provider gives each customer at least that.
 * `2001:db8::1` → `2001:db8:0:0::/64`.
 */
export function networkOf(address: string): string {
  if (!isIPv6(address) || address.includes('.')) return address.replace(/^::ffff:/, '')
  const [head = '', tail = ''] = address.split('%', 1)[0]?.split('::') ?? []
  const [left, right] = [head, tail].map((part) => (part === '' ? [] : part.split(':'))) as [string[], string[]]
  const zeros = Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0')
  const groups = address.includes('::') ? [...left, ...zeros, ...right] : left
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`
}
