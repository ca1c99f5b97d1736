import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ListedFile } from './file-list.ts'

/** Answers with a file in the best form that the caller accepts, or with 304 where the caller has it. */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: ListedFile,
  { headers, contentOf }: SendOptions,
): Promise<FastifyReply> {
  const isKnown = request.headers['if-none-match']?.includes(file.etag) === true
  const accepted = acceptedEncodings(request.headers['accept-encoding'])
  const encoding = file.encodings.find((name) => accepted.has(name)) ?? null
  // Before the headers, which must not accompany an error.
  const content = isKnown ? null : await contentOf(encoding)
  reply.headers({ ...headers, ETag: file.etag, Vary: 'Accept-Encoding', 'Content-Type': file.type })
  if (content === null) return reply.code(304).send()
  if (encoding !== null) reply.header('Content-Encoding', encoding)
  return reply.send(content)
}

interface SendOptions {
  headers: Readonly<Record<string, string>>
  /** The bytes of the file by content encoding; null: as it is. */
  contentOf: (encoding: string | null) => Buffer | Promise<Buffer>
}

/** The names in `Accept-Encoding` that are not refused by `q=0`. */
function acceptedEncodings(header: string | string[] | undefined): ReadonlySet<string> {
  const names = String(header ?? '')
    .toLowerCase()
    .split(',')
    .map((part) => part.split(';').map((each) => each.trim()))
  return new Set(names.filter(([, weight]) => !/^q=0(?:\.0*)?$/.test(weight ?? '')).map(([name]) => name as string))
}

export const fileHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'same-origin',
}

/**
 * The browser loads scripts, styles, fonts and pictures from this service only, and calls nothing else; inside of a page it runs only the
 * scripts with these hashes. Should foreign text ever get into a page as markup, it cannot run or send anything. `style-src` needs
 * no exception: scripts set positions through the object model, which it does not restrict.
 */
export const pageHeaders = (inlineScripts: readonly string[] = []) => ({
  ...fileHeaders,
  'Content-Security-Policy': [
    "default-src 'self'",
    ["script-src 'self'", ...inlineScripts.map((hash) => `'${hash}'`)].join(' '),
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; '),
  // Not `no-referrer`, with which a form's `Origin` would be null and refused as cross-site.
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
})

/** The name of an asset contains the hash of its content; everything else is asked for again each time. */
export const cacheControl = (isAsset: boolean): string => (isAsset ? 'public, max-age=31536000, immutable' : 'no-cache')
