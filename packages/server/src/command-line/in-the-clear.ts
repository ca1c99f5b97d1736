/** Plain HTTP, and not to this machine: whoever is between reads the keys. */
export function isInTheClear(address: string | URL): boolean {
  const { protocol, hostname } = new URL(address)
  const isLoopback = /(?:^|\.)localhost$/.test(hostname) || /^127\.[\d.]+$/.test(hostname) || hostname === '[::1]'
  return protocol === 'http:' && !isLoopback
}
