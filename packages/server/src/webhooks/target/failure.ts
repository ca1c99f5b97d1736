/** Why an attempt failed, in words for the send-out log. */
export class TargetFailure extends Error {}

/** The address is not public: another attempt may go to another one, but not to this. */
export class PrivateTargetFailure extends TargetFailure {}

/** An error of an attempt as one short sentence. Texts of the target (in certificates) are cut, and cannot break a line or a column. */
export function sentenceOf(error: Error): string {
  return printable(error instanceof TargetFailure ? error.message : sentenceOfError(error))
}

export const codeOf = (error: Error): string => String((error as NodeJS.ErrnoException).code ?? error.message)

function sentenceOfError(error: Error): string {
  const code = codeOf(error)
  const sentence = sentences[code] ?? sentences[`${code} ${error.message}`]
  if (sentence !== undefined) return sentence
  return error.name === 'HTTPParserError' ? notHttp : `the connection failed (${code})`
}

export const headersTooLarge = 'the headers of the response are too large'
const closed = 'the connection was closed before a response'
const notHttp = 'the response is not valid HTTP'
const unreachable = 'the address cannot be reached'

const sentences: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: closed,
  EPIPE: closed,
  ECONNABORTED: closed,
  ETIMEDOUT: 'no connection in time',
  EHOSTUNREACH: unreachable,
  ENETUNREACH: unreachable,
  EADDRNOTAVAIL: unreachable,
  'UND_ERR_SOCKET other side closed': closed,
  'UND_ERR_SOCKET closed': closed,
  'UND_ERR_SOCKET bad upgrade': 'the target switches the protocol',
  'UND_ERR_SOCKET bad response': 'the target sent a response that nobody asked for',
  UND_ERR_HEADERS_OVERFLOW: headersTooLarge,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: notHttp,
  UND_ERR_INVALID_ARG: 'the request cannot be sent',
}

/** Errors of a TLS handshake. Those of the certificate have codes of their own (`CERT_HAS_EXPIRED`) and neither prefix. */
export function tlsFailure(error: Error): Error {
  const code = codeOf(error)
  if (error instanceof TargetFailure) return error
  if (code in sentences) return new TargetFailure('the connection was closed during the TLS handshake')
  if (/^(?:ERR_SSL_|EPROTO)/.test(code)) {
    const { reason } = error as { reason?: string }
    return new TargetFailure(`the TLS handshake failed: ${reason ?? code}`)
  }
  // After a semicolon Node advises on its own options.
  return new TargetFailure(`the certificate is not valid: ${error.message.split(';', 1)[0]}`)
}

/** `10 s`, `250 ms`. */
export const inWords = (milliseconds: number): string =>
  milliseconds % 1_000 === 0 ? `${milliseconds / 1_000} s` : `${milliseconds} ms`

const printable = (text: string): string => text.slice(0, sentenceLengthMax).replace(/\p{C}/gu, ' ')

const sentenceLengthMax = 300
