import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Route, unknownRoute } from '../core/http/mount.ts'
import type { DashboardFile, DashboardFiles } from './dashboard-files.ts'
import { cacheControl, fileHeaders, pageHeaders, sendFile } from './send-file.ts'

const headersOfPage = pageHeaders()

/**
 * Serves the built dashboard under `/dashboard/`. Its addresses are those of one page: every path that names no file is answered
 * with index.html, whose script shows the place. Returns the routes it added.
 */
export function mountDashboard(app: FastifyInstance, files: DashboardFiles): Route[] {
  const page = pageOf(files)
  const open = (path: string) => app.get(path, { config: { platform: `GET ${path}` } }, answer)
  open('/dashboard')
  open('/dashboard/*')
  return ['/dashboard', '/dashboard/*'].map((path) => ({ method: 'GET', path }))

  async function answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const address = request.url.split('?', 1)[0] as string
    // Relative, as behind a proxy the path may have a prefix.
    if (address === '/dashboard') return reply.headers(headersOfPage).redirect('dashboard/')
    const { '*': path = '' } = request.params as { '*'?: string }
    const file = files.get(path)
    const isAsset = path === 'assets' || path.startsWith('assets/')
    // Not the page: a browser would take it for the script or the style that it asked for.
    if (file === undefined && isAsset) throw unknownRoute(request.method, address)
    const sent = file ?? page
    const headers = {
      ...(sent === page ? headersOfPage : fileHeaders),
      'Cache-Control': cacheControl(isAsset),
    }
    return await sendFile(request, reply, sent, {
      headers,
      contentOf: (encoding) => sent.contents.get(encoding) as Buffer,
    })
  }
}

/** Whether a browser asks for a page to show, and not a program for data. */
export const acceptsPage = ({ headers: { accept = '' } }: FastifyRequest): boolean => accept.includes('text/html')

function pageOf(files: DashboardFiles): DashboardFile {
  const page = files.get('index.html')
  if (page === undefined) throw new Error('The built dashboard has no index.html')
  return page
}
