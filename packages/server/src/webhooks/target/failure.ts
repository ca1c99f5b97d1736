/** Why an attempt failed, in words for the send-out log. */
export class TargetFailure extends Error {}

/** An error of an attempt as one short sentence. Texts of the target (in certificates) are cut, and cannot break a line or a column. */
export function sentenceOf(error: Error): string {
  return printable(error instanceof TargetFailure ? error.message : sentenceOfCode(codeOf(error)))
}

export const codeOf = (error: Error): string => String((error as NodeJS.ErrnoException).code ?? error.message)

function sentenceOfCode(code: string): string {
  const sentence = sentences[code]
  if (sentence !== undefined) return sentence
  return code.startsWith('HPE_') ? 'the response is not valid HTTP' : `the connection failed (${code})`
}

const closed = 'the connection was closed before a response'
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
  HPE_HEADER_OVERFLOW: 'the headers of the response are too large',
  HPE_INVALID_EOF_STATE: closed,
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

const printable = (text: string): string => text.slice(0, sentenceLengthMax).replace(/[^\P{C}]/gu, ' ')

const sentenceLengthMax = 300
