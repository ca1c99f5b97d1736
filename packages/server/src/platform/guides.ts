import { readFile } from 'node:fs/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Route, unknownRoute } from '../core/http/mount.ts'
import { type ListedFile, storedAt } from './file-list.ts'
import type { GuidesSite } from './guides-site.ts'
import { cacheControl, fileHeaders, pageHeaders, sendFile } from './send-file.ts'

/** For readers of a checkout: `npm start` builds the guides only where their tools are installed. */
const notBuilt = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Guides</title>
</head>
<body>
<h1>The guides are not built yet</h1>
<p>In a checkout, stop the service, run <code>npm run guides</code>, which installs the tools for it, and start the service again. The same pages are Markdown files in <code>docs/</code>: begin with <code>docs/start/five-minutes.md</code>.</p>
<p>Where the tools are installed, <code>npm start</code> builds the guides beside the service, in about a minute. This page looks again every five seconds.</p>
</body>
</html>
`

/**
 * Serves the built guides under `/guides/`. Their files are read from the disk when they are asked for, since most nodes are never asked
 * and the pages would take tens of megabytes of memory. A request only chooses among the listed files, so no path can name any other.
 * Returns the routes it added.
 */
export function mountGuides(app: FastifyInstance, current: GuidesSite): Route[] {
  const paths = ['/guides', '/guides/*']
  for (const path of paths) app.get(path, { config: { platform: `GET ${path}` } }, answer)
  return paths.map((path) => ({ method: 'GET', path }))

  async function answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const address = request.url.split('?', 1)[0] as string
    const site = current()
    if (site === null) {
      if (!request.headers.accept?.includes('text/html')) throw unknownRoute(request.method, address)
      return reply
        .code(404)
        .headers({ ...pageHeaders(), 'Cache-Control': 'no-store', Refresh: '5' })
        .type('text/html; charset=utf-8')
        .send(notBuilt)
    }
    const { '*': wildcard = '' } = request.params as { '*'?: string }
    const path = wildcard.replace(/\/$/, '')
    const fileAt = (wanted: string): ListedFile | undefined => site.files.get(wanted)
    const index = fileAt(path === '' ? 'index.html' : `${path}/index.html`)
    // The links of a page are relative to its folder. So is this one, as behind a proxy the path may have a prefix.
    if (index !== undefined && !address.endsWith('/'))
      return reply.headers(pageHeaders(site.inline_scripts)).redirect(`${path.split('/').at(-1) || 'guides'}/`)

    const isAsset = path.startsWith('assets/')
    const found = index ?? fileAt(path) ?? fileAt(`${path}.html`)
    const file = found ?? (isAsset ? undefined : fileAt('404.html'))
    if (file === undefined) throw unknownRoute(request.method, address)
    if (found === undefined) reply.code(404)
    const isPage = file.path.endsWith('.html')
    return await sendFile(request, reply, file, {
      headers: {
        ...(isPage ? pageHeaders(site.inline_scripts) : fileHeaders),
        'Cache-Control': cacheControl(isAsset),
      },
      // They may be built again at this moment.
      contentOf: (encoding) =>
        readFile(storedAt(site.folder, file, encoding)).catch(() => {
          throw unknownRoute(request.method, address)
        }),
    })
  }
}
