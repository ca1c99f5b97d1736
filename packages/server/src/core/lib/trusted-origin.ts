/**
 * Whether one of the trusted domains of a project admits an `Origin` (docs/reference/authentication.md#origin-check).
 *
 * `example.com` is that host on any port and scheme; `.example.com` every host below it; an entry with a scheme or a
 * port requires it; `https://*.example.com` is `.example.com` with that scheme; `*` is every origin.
 */
export function isTrustedOrigin(trusted: readonly string[], origin: string): boolean {
  const caller = parse(origin)
  return trusted.some((entry) => entry.trim() === '*' || (caller !== null && admits(parse(entry), caller)))
}

interface Address {
  scheme: string | null
  host: string
  port: string | null
}

/** Splits `scheme://host:port/…` without the URL parser: entries such as `.example.com` are not URLs. */
function parse(text: string): Address | null {
  const found = /^(?:([a-z][a-z0-9+.-]*):\/\/)?(\[[0-9a-f:.]+\]|[^/?#:[\]]+)(?::(\d+))?(?:[/?#].*)?$/.exec(
    text.trim().toLowerCase(),
  )
  if (found === null) return null
  const [, scheme = null, host, port = null] = found
  return { scheme, host: host as string, port }
}

function admits(entry: Address | null, caller: Address): boolean {
  if (entry === null) return false
  // An origin without a scheme, which some non-browser clients send, is compared by host and port only.
  if (entry.scheme !== null && caller.scheme !== null && entry.scheme !== caller.scheme) return false
  if (entry.port !== null && entry.port !== portOf(caller)) return false
  const suffix = entry.host.startsWith('*.') ? entry.host.slice(1) : entry.host
  return suffix.startsWith('.') ? caller.host.endsWith(suffix) && caller.host !== suffix : caller.host === suffix
}

function portOf({ scheme, port }: Address): string | null {
  return port ?? ({ https: '443', http: '80' } as Record<string, string>)[scheme ?? ''] ?? null
}
