import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Route, unknownRoute } from '../core/http/mount.ts'
import type { DashboardFile, DashboardFiles } from './dashboard-files.ts'

/**
 * Serves the built dashboard under `/dashboard/`. Its addresses are those of one page: every path that names no file is answered
 * with index.html, whose script shows the place. Returns the routes it added.
 */
export function mountDashboard(app: FastifyInstance, files: DashboardFiles): Route[] {
  const page = files.get('index.html')
  if (page === undefined) throw new Error('The built dashboard has no index.html')
  const open = (path: string) => app.get(path, { config: { platform: `GET ${path}` } }, answer)
  open('/dashboard')
  open('/dashboard/*')
  return ['/dashboard', '/dashboard/*'].map((path) => ({ method: 'GET', path }))

  function answer(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const address = request.url.split('?', 1)[0] as string
    // Relative, as behind a proxy the path may have a prefix.
    if (address === '/dashboard') return reply.headers(pageHeaders).redirect('dashboard/')
    const { '*': path = '' } = request.params as { '*'?: string }
    const file = files.get(path)
    const isAsset = path === 'assets' || path.startsWith('assets/')
    // Not the page: a browser would take it for the script or the style that it asked for.
    if (file === undefined && isAsset) throw unknownRoute(request.method, address)
    const isPage = file === undefined || file === page
    reply.headers(isPage ? pageHeaders : fileHeaders)
    // The name of an asset contains the hash of its content.
    reply.header('Cache-Control', isAsset ? 'public, max-age=31536000, immutable' : 'no-cache')
    return send(request, reply, file ?? (page as DashboardFile))
  }
}

/** Whether a browser asks for a page to show, and not a program for data. */
export const acceptsPage = ({ headers: { accept = '' } }: FastifyRequest): boolean => accept.includes('text/html')

function send({ headers }: FastifyRequest, reply: FastifyReply, file: DashboardFile): FastifyReply {
  reply.headers({ ETag: file.etag, Vary: 'Accept-Encoding', 'Content-Type': file.type })
  if (headers['if-none-match']?.includes(file.etag)) return reply.code(304).send()
  const accepted = acceptedEncodings(headers['accept-encoding'])
  for (const [name, compressed] of file.compressed)
    if (accepted.has(name)) return reply.header('Content-Encoding', name).send(compressed)
  return reply.send(file.content)
}

/** The names in `Accept-Encoding` that are not refused by `q=0`. */
function acceptedEncodings(header: string | string[] | undefined): ReadonlySet<string> {
  const names = String(header ?? '')
    .toLowerCase()
    .split(',')
    .map((part) => part.split(';').map((each) => each.trim()))
  return new Set(names.filter(([, weight]) => !/^q=0(?:\.0*)?$/.test(weight ?? '')).map(([name]) => name as string))
}

const fileHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'same-origin',
}

/**
 * The browser loads scripts, styles, fonts and pictures from this service only, runs nothing inline, and calls nothing else: should
 * text of a customer ever get into the page as markup, it cannot run or send anything. `style-src` needs no exception: positions of
 * popups are set through the object model, which it does not restrict.
 */
const pageHeaders = {
  ...fileHeaders,
  'Content-Security-Policy': [
    "default-src 'self'",
    "script-src 'self'",
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
}
