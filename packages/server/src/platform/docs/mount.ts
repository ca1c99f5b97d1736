import { readFileSync } from 'node:fs'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Route, unknownRoute } from '../../core/http/mount.ts'
import type { OpenapiDocument } from '../../core/http/openapi.ts'
import { publishedText } from '../published-text.ts'
import { errorsPage, refusalKeysOf } from './errors-page.ts'
import { readExamples } from './examples.ts'
import { layout, type OutwardLinks, type PageContent } from './layout.ts'
import { resourcesOf, schemaPage } from './outline.ts'
import { overviewPage } from './overview-page.ts'
import { resourcePage } from './resource-page.ts'
import { schemaPageOf, schemasPage } from './schema-pages.ts'
import { searchIndex } from './search-index.ts'

type Publish = ReturnType<typeof publishedText>

/** Serves the API reference under `/docs/`: an overview, a page for each resource and each schema. Returns the routes it added. */
export function mountDocs(app: FastifyInstance, document: () => OpenapiDocument, links: OutwardLinks): Route[] {
  let pages: ReadonlyMap<string, Publish> | undefined
  const answer = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const address = request.url.split('?', 1)[0] as string
    // Relative, as behind a proxy the path may have a prefix.
    if (address === '/docs') return reply.redirect('docs/')
    pages ??= pagesOf(document(), links)
    const { '*': name = '' } = request.params as { '*'?: string }
    const publish = pages.get(name)
    if (publish === undefined) throw unknownRoute(request.method, address)
    return publish(request, reply)
  }
  const paths = ['/docs', '/docs/*']
  for (const path of paths) app.get(path, { config: { platform: `GET ${path}` } }, answer)
  return paths.map((path) => ({ method: 'GET', path }))
}

/** Every address below `/docs/`. A page is written when it is first asked for. */
function pagesOf(document: OpenapiDocument, links: OutwardLinks): ReadonlyMap<string, Publish> {
  const resources = resourcesOf(document)
  const examples = readExamples()
  const refusals = refusalKeysOf(document, resources)
  const page = (write: () => PageContent) => publishedText(pageHeaders, () => layout(write(), resources, links))
  return new Map([
    ['', page(() => overviewPage(document, resources, links))],
    ['schemas', page(() => schemasPage(document))],
    ['errors', page(() => errorsPage(refusals, links))],
    ...resources.map((each): [string, Publish] => [each.page, page(() => resourcePage(each, document, examples))]),
    ...Object.entries(document.components.schemas).map(([name, schema]): [string, Publish] => [
      schemaPage(name),
      page(() => schemaPageOf(name, schema, document)),
    ]),
    [
      'search.json',
      publishedText(headersOf('application/json'), () => JSON.stringify(searchIndex(document, resources, refusals))),
    ],
    ...Object.entries(browserFiles).map(([name, type]): [string, Publish] => [
      name,
      publishedText(headersOf(type), () => readFileSync(new URL(`./browser/${name}`, import.meta.url), 'utf8')),
    ]),
  ])
}

/** What runs and is seen in the browser, as it stands in its folder. */
const browserFiles: Readonly<Record<string, string>> = {
  'mark.svg': 'image/svg+xml',
  'docs.css': 'text/css',
  'theme.js': 'text/javascript',
  'docs.js': 'text/javascript',
  'copy.js': 'text/javascript',
  'expand.js': 'text/javascript',
  'samples.js': 'text/javascript',
  'search.js': 'text/javascript',
  'stored.js': 'text/javascript',
}

const headersOf = (type: string) => ({
  'Content-Type': `${type}; charset=utf-8`,
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'same-origin',
})

/** The browser runs and loads the files of this folder and nothing else, should unescaped markup ever get into a page. */
const pageHeaders = {
  ...headersOf('text/html'),
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
}
