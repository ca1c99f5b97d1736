import { isIPv6 } from 'node:net'

/** The SMTP server that `SMTP_URL` names. */
export interface SmtpServer {
  host: string
  port: number
  /**
   * `connect`: from the first byte (`smtps://`); `required`: by STARTTLS, or the mail is not sent; `offered`: by STARTTLS if the
   * server offers it; `off`: never.
   */
  tls: 'connect' | 'required' | 'offered' | 'off'
  user: string | null
  password: string | null
}

const expected =
  'must be a URL that begins with smtp:// or smtps://, with a host name or address, and special characters of user and password percent-encoded'

/** Parses `SMTP_URL`. No message repeats the URL, because it contains a password. */
export function parseSmtpUrl(text: string): SmtpServer {
  // URL would leave out tabs and line breaks, and connect to another host than the text shows.
  const url = !/\p{Cc}/u.test(text) && URL.canParse(text) ? new URL(text) : null
  if (url === null || !(url.protocol in portOf) || url.hostname === '' || !['', '/'].includes(url.pathname) || url.hash)
    throw new Error(expected)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  // The host of such a URL may contain anything percent-encoded, control characters too.
  if (!/^[\w.-]+$/.test(host) && !isIPv6(host)) throw new Error(expected)
  if (url.port === '0') throw new Error('must have a port from 1 to 65535')
  const user = decoded(url.username)
  const password = decoded(url.password)
  if (user === null && password !== null) throw new Error(expected)
  return {
    host,
    port: url.port === '' ? portOf[url.protocol as keyof typeof portOf] : Number(url.port),
    tls: tlsOf(url, { has_password: password !== null && !isLoopback(host) }),
    user,
    password,
  }
}

const portOf = { 'smtps:': 465, 'smtp:': 587 }

/** Whoever answers for the server could withhold STARTTLS and read the password; so a password requires TLS unless the URL says `off`. */
function tlsOf({ protocol, searchParams }: URL, { has_password }: { has_password: boolean }): SmtpServer['tls'] {
  const [[name, value] = ['tls', null], ...more] = [...searchParams]
  if (name !== 'tls' || more.length > 0) throw new Error('can have one parameter, tls')
  if (protocol === 'smtps:') {
    if (value !== null) throw new Error('has TLS from the start with smtps://, which the parameter tls cannot change')
    return 'connect'
  }
  if (value === null) return has_password ? 'required' : 'offered'
  if (value !== 'required' && value !== 'offered' && value !== 'off')
    throw new Error('can set tls to required, offered or off')
  return value
}

function decoded(text: string): string | null {
  try {
    return text === '' ? null : decodeURIComponent(text)
  } catch {
    throw new Error(expected)
  }
}

const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || /^127\.[\d.]+$/.test(host)
