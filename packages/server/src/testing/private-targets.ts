import type { Lookup } from '../webhooks/target/lookup.ts'

const loopback = 'the address 127.0.0.1 is loopback'

/** URLs that lead to the inside, in every notation, and why each is refused. */
export const privateTargets: ReadonlyArray<[url: string, why: string]> = [
  // Every notation of a loopback address.
  ['http://127.0.0.1/', loopback],
  ['https://127.0.0.1:8443/', loopback],
  ['http://127.0.0.1./', loopback],
  ['http://127.1/', loopback],
  ['http://127.0.1/', loopback],
  ['http://2130706433/', loopback],
  ['http://0x7f000001/', loopback],
  ['http://0x7f.1/', loopback],
  ['http://0X7F.0x0.0x0.0x1/', loopback],
  ['http://0177.0.0.1/', loopback],
  ['http://017700000001/', loopback],
  ['http://00000177.0.0.01/', loopback],
  ['http://127。0。0。1/', loopback],
  ['http://127．0．0．1/', loopback],
  ['http://１２７.0.0.1/', loopback],
  ['http://①②⑦.⓪.⓪.①/', loopback],
  ['http://%31%32%37.0.0.1/', loopback],
  ['http://127.0.0.1\\@public.example/', loopback],
  ['http://127.0.0.1#@public.example/', loopback],
  ['http://127.0.0.1?@public.example/', loopback],
  ['http://127.255.255.254/', 'the address 127.255.255.254 is loopback'],
  ['http://0/', 'the address 0.0.0.0 is unspecified'],
  ['http://0.0.0.0:80/', 'the address 0.0.0.0 is unspecified'],
  ['http://[::]/', 'the address :: is unspecified'],
  ['http://[::1]/', 'the address ::1 is loopback'],
  ['http://[0:0:0:0:0:0:0:1]/', 'the address ::1 is loopback'],
  ['http://[::ffff:127.0.0.1]/', 'the address ::ffff:7f00:1 is loopback'],
  ['http://[::ffff:7f00:1]/', 'the address ::ffff:7f00:1 is loopback'],
  ['http://[::127.0.0.1]/', 'the address ::7f00:1 is an embedded IPv4 address'],
  ['http://[64:ff9b::127.0.0.1]/', 'the address 64:ff9b::7f00:1 is loopback'],
  ['http://[2002:7f00:1::]/', 'the address 2002:7f00:1:: is an embedded IPv4 address'],
  // Private, link-local, metadata.
  ['http://10.1.2.3/', 'the address 10.1.2.3 is private'],
  ['http://172.16.0.1/', 'the address 172.16.0.1 is private'],
  ['http://192.168.1/', 'the address 192.168.0.1 is private'],
  ['http://0xa9fea9fe/latest/meta-data/', 'the address 169.254.169.254 is link-local'],
  ['http://[fe80::1]/', 'the address fe80::1 is link-local'],
  ['http://[fd00:ec2::254]/', 'the address fd00:ec2::254 is private'],
  ['http://100.100.100.200/', 'the address 100.100.100.200 is shared by a provider'],
  ['http://168.63.129.16/', 'the address 168.63.129.16 is a metadata service'],
  ['http://255.255.255.255/', 'the address 255.255.255.255 is reserved'],
  // Names.
  ['http://localhost/', 'the name localhost is loopback'],
  ['http://LOCALHOST:3000/', 'the name localhost is loopback'],
  ['http://localhost./', 'the name localhost is loopback'],
  ['http://foo.localhost/', 'the name foo.localhost is loopback'],
  ['http://ｌocalhost/', 'the name localhost is loopback'],
  ['http://private.example/', 'the address 10.0.0.7 is private'],
  ['http://private.example./', 'the address 10.0.0.7 is private'],
  ['http://PRIVATE.example/', 'the address 10.0.0.7 is private'],
  ['http://both.example/', 'the address 192.168.1.1 is private'],
  ['http://six.example/', 'the address fd00::1 is private'],
  ['http://mapped.example/', 'the address ::ffff:169.254.169.254 is link-local'],
  ['http://127.0.0.1.sslip.example/', loopback],
]

/** Names of the table, as a DNS server would resolve them. */
const names: Record<string, string[]> = {
  'public.example': ['93.184.215.14', '2606:2800:21f:cb07:6820:80da:af6b:8b2c'],
  'private.example': ['10.0.0.7'],
  'both.example': ['93.184.215.14', '192.168.1.1'],
  'six.example': ['fd00::1'],
  'mapped.example': ['::ffff:169.254.169.254'],
  '127.0.0.1.sslip.example': ['127.0.0.1'],
}

/** A DNS server for the tests. */
export const lookupOfTests: Lookup = async (hostname) => {
  const found = names[hostname]
  if (found === undefined) throw Object.assign(new Error(`queryA ENOTFOUND ${hostname}`), { code: 'ENOTFOUND' })
  return found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
}
