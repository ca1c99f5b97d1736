import { expect, test } from 'vitest'
import { refusedRanges, whyNotPublic } from './addresses.ts'

/** An address and its kind; null for a public one. */
type Judged = [address: string, kind: string | null]

/** The last address before each range, its first, its last, and the one after it, computed by another program. */
const edges: Array<[range: string, before: Judged | null, first: Judged, last: Judged, after: Judged | null]> = [
  ['0.0.0.0/8', null, ['0.0.0.0', 'unspecified'], ['0.255.255.255', 'unspecified'], ['1.0.0.0', null]],
  ['10.0.0.0/8', ['9.255.255.255', null], ['10.0.0.0', 'private'], ['10.255.255.255', 'private'], ['11.0.0.0', null]],
  [
    '100.64.0.0/10',
    ['100.63.255.255', null],
    ['100.64.0.0', 'shared by a provider'],
    ['100.127.255.255', 'shared by a provider'],
    ['100.128.0.0', null],
  ],
  [
    '127.0.0.0/8',
    ['126.255.255.255', null],
    ['127.0.0.0', 'loopback'],
    ['127.255.255.255', 'loopback'],
    ['128.0.0.0', null],
  ],
  [
    '168.63.129.16/32',
    ['168.63.129.15', null],
    ['168.63.129.16', 'a metadata service'],
    ['168.63.129.16', 'a metadata service'],
    ['168.63.129.17', null],
  ],
  [
    '169.254.0.0/16',
    ['169.253.255.255', null],
    ['169.254.0.0', 'link-local'],
    ['169.254.255.255', 'link-local'],
    ['169.255.0.0', null],
  ],
  [
    '172.16.0.0/12',
    ['172.15.255.255', null],
    ['172.16.0.0', 'private'],
    ['172.31.255.255', 'private'],
    ['172.32.0.0', null],
  ],
  [
    '192.0.0.0/24',
    ['191.255.255.255', null],
    ['192.0.0.0', 'reserved'],
    ['192.0.0.255', 'reserved'],
    ['192.0.1.0', null],
  ],
  [
    '192.0.2.0/24',
    ['192.0.1.255', null],
    ['192.0.2.0', 'for documentation'],
    ['192.0.2.255', 'for documentation'],
    ['192.0.3.0', null],
  ],
  [
    '192.31.196.0/24',
    ['192.31.195.255', null],
    ['192.31.196.0', 'reserved'],
    ['192.31.196.255', 'reserved'],
    ['192.31.197.0', null],
  ],
  [
    '192.52.193.0/24',
    ['192.52.192.255', null],
    ['192.52.193.0', 'reserved'],
    ['192.52.193.255', 'reserved'],
    ['192.52.194.0', null],
  ],
  [
    '192.88.99.0/24',
    ['192.88.98.255', null],
    ['192.88.99.0', 'reserved'],
    ['192.88.99.255', 'reserved'],
    ['192.88.100.0', null],
  ],
  [
    '192.168.0.0/16',
    ['192.167.255.255', null],
    ['192.168.0.0', 'private'],
    ['192.168.255.255', 'private'],
    ['192.169.0.0', null],
  ],
  [
    '192.175.48.0/24',
    ['192.175.47.255', null],
    ['192.175.48.0', 'reserved'],
    ['192.175.48.255', 'reserved'],
    ['192.175.49.0', null],
  ],
  [
    '198.18.0.0/15',
    ['198.17.255.255', null],
    ['198.18.0.0', 'for benchmarks'],
    ['198.19.255.255', 'for benchmarks'],
    ['198.20.0.0', null],
  ],
  [
    '198.51.100.0/24',
    ['198.51.99.255', null],
    ['198.51.100.0', 'for documentation'],
    ['198.51.100.255', 'for documentation'],
    ['198.51.101.0', null],
  ],
  [
    '203.0.113.0/24',
    ['203.0.112.255', null],
    ['203.0.113.0', 'for documentation'],
    ['203.0.113.255', 'for documentation'],
    ['203.0.114.0', null],
  ],
  [
    '224.0.0.0/4',
    ['223.255.255.255', null],
    ['224.0.0.0', 'multicast'],
    ['239.255.255.255', 'multicast'],
    ['240.0.0.0', 'reserved'],
  ],
  ['240.0.0.0/4', ['239.255.255.255', 'multicast'], ['240.0.0.0', 'reserved'], ['255.255.255.255', 'reserved'], null],
  ['::/128', null, ['::', 'unspecified'], ['::', 'unspecified'], ['::1', 'loopback']],
  ['::1/128', ['::', 'unspecified'], ['::1', 'loopback'], ['::1', 'loopback'], ['::2', 'an embedded IPv4 address']],
  ['::/96', null, ['::', 'unspecified'], ['::ffff:ffff', 'an embedded IPv4 address'], ['::1:0:0', 'reserved']],
  [
    '64:ff9b:1::/48',
    ['64:ff9b:0:ffff:ffff:ffff:ffff:ffff', 'reserved'],
    ['64:ff9b:1::', 'private'],
    ['64:ff9b:1:ffff:ffff:ffff:ffff:ffff', 'private'],
    ['64:ff9b:2::', 'reserved'],
  ],
  [
    '100::/64',
    ['ff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'reserved'],
    ['100::', 'reserved'],
    ['100::ffff:ffff:ffff:ffff', 'reserved'],
    ['100:0:0:1::', 'reserved'],
  ],
  [
    '100:0:0:1::/64',
    ['100::ffff:ffff:ffff:ffff', 'reserved'],
    ['100:0:0:1::', 'reserved'],
    ['100::1:ffff:ffff:ffff:ffff', 'reserved'],
    ['100:0:0:2::', 'reserved'],
  ],
  [
    '2001::/23',
    ['2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null],
    ['2001::', 'reserved'],
    ['2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', 'reserved'],
    ['2001:200::', null],
  ],
  [
    '2001:db8::/32',
    ['2001:db7:ffff:ffff:ffff:ffff:ffff:ffff', null],
    ['2001:db8::', 'for documentation'],
    ['2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', 'for documentation'],
    ['2001:db9::', null],
  ],
  [
    '2002::/16',
    ['2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null],
    ['2002::', 'an embedded IPv4 address'],
    ['2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'an embedded IPv4 address'],
    ['2003::', null],
  ],
  [
    '2620:4f:8000::/48',
    ['2620:4f:7fff:ffff:ffff:ffff:ffff:ffff', null],
    ['2620:4f:8000::', 'reserved'],
    ['2620:4f:8000:ffff:ffff:ffff:ffff:ffff', 'reserved'],
    ['2620:4f:8001::', null],
  ],
  [
    '3fff::/20',
    ['3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null],
    ['3fff::', 'for documentation'],
    ['3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff', 'for documentation'],
    ['3fff:1000::', null],
  ],
  [
    '5f00::/16',
    ['5eff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'reserved'],
    ['5f00::', 'reserved'],
    ['5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'reserved'],
    ['5f01::', 'reserved'],
  ],
  [
    'fc00::/7',
    ['fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'reserved'],
    ['fc00::', 'private'],
    ['fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'private'],
    ['fe00::', 'reserved'],
  ],
  [
    'fe80::/10',
    ['fe7f:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'reserved'],
    ['fe80::', 'link-local'],
    ['febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'link-local'],
    ['fec0::', 'private'],
  ],
  [
    'fec0::/10',
    ['febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'link-local'],
    ['fec0::', 'private'],
    ['feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'private'],
    ['ff00::', 'multicast'],
  ],
  [
    'ff00::/8',
    ['feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'private'],
    ['ff00::', 'multicast'],
    ['ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'multicast'],
    null,
  ],
  ['::/3', null, ['::', 'unspecified'], ['1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'reserved'], ['2000::', null]],
  [
    '4000::/2',
    ['3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null],
    ['4000::', 'reserved'],
    ['7fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'reserved'],
    ['8000::', 'reserved'],
  ],
  [
    '8000::/1',
    ['7fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'reserved'],
    ['8000::', 'reserved'],
    ['ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'multicast'],
    null,
  ],
]

test('the table of edges has every refused range', () => {
  expect(edges.map(([range]) => range)).toEqual(refusedRanges.map(({ range }) => range))
})

test.each(edges)('%s is refused from its first address to its last, and no further', (_range, ...judged) => {
  for (const edge of judged) {
    if (edge === null) continue
    const [address, kind] = edge
    expect(whyNotPublic(address)).toBe(kind === null ? null : `the address ${address} is ${kind}`)
  }
})

test.each<Judged>([
  // Mapped: judged by the IPv4 address, in every notation.
  ['::ffff:127.0.0.1', 'loopback'],
  ['::ffff:7f00:1', 'loopback'],
  ['0:0:0:0:0:ffff:7f00:0001', 'loopback'],
  ['::FFFF:A9FE:A9FE', 'link-local'],
  ['::ffff:10.0.0.1', 'private'],
  ['::ffff:0.0.0.0', 'unspecified'],
  ['::ffff:8.8.8.8', null],
  ['::fffe:ffff:ffff', 'reserved'],
  ['::1:0:0:0', 'reserved'],
  // NAT64: likewise; its local prefix can lead anywhere.
  ['64:ff9b::a9fe:a9fe', 'link-local'],
  ['64:ff9b::10.0.0.1', 'private'],
  ['64:ff9b::8.8.8.8', null],
  ['64:ff9b:0:0:0:1:808:808', 'reserved'],
  ['64:ff9b:1::808:808', 'private'],
  // Translated, compatible, 6to4, Teredo: nobody needs them.
  ['::ffff:0:8.8.8.8', 'reserved'],
  ['::8.8.8.8', 'an embedded IPv4 address'],
  ['2002:808:808::1', 'an embedded IPv4 address'],
  ['2002:7f00:1::', 'an embedded IPv4 address'],
  ['2001:0:808:808::1', 'reserved'],
  // Metadata services of clouds.
  ['169.254.169.254', 'link-local'],
  ['fd00:ec2::254', 'private'],
  ['100.100.100.200', 'shared by a provider'],
  ['168.63.129.16', 'a metadata service'],
  // Public.
  ['1.1.1.1', null],
  ['2606:4700:4700::1111', null],
  ['2a00:1450:4001:830::200e', null],
  ['2001:4860:4860::8888', null],
])('%s is %s', (address, kind) => {
  expect(whyNotPublic(address)).toBe(kind === null ? null : `the address ${address} is ${kind}`)
})

test.each([
  '',
  'example.com',
  '127.1',
  '0x7f.0.0.1',
  '010.0.0.1',
  '8.8.8.8 ',
  '8.8.8.8:80',
  '[2606:4700::1]',
  'fe80::1%eth0',
  '2606:4700::1%1',
  '2606:4700::1/64',
  '1:2:3:4:5:6:7:8:9',
  '::ffff:8.8.8.8.8',
])('%j is no address, and refused', (text) => {
  expect(whyNotPublic(text)).toBe(`the address ${text} is not valid`)
})
