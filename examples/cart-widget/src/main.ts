import { createGuerdon, unwrap } from '@guerdon/client'
import { openGuerdon } from '../../service/open-guerdon.ts'
import { projectOf } from '../../service/project-of.ts'
import { untilSignal } from '../../service/signals.ts'
import { prepareOffers } from './offers.ts'
import { servePage } from './serve-page.ts'

// npm start -w examples/cart-widget: the page on http://127.0.0.1:8040, or on PORT.

const service = await openGuerdon()
const guerdon = createGuerdon(service.server)
await prepareOffers(guerdon)
// Browsers may read answers only on pages of these hosts. On a project that others use too, add the host to those it has.
if (service.is_own)
  unwrap(await guerdon.updateProject(await projectOf(guerdon), { client_trusted_domains: ['127.0.0.1'] }))
const page = await servePage(service.page, Number(process.env.PORT ?? 8040))
process.stdout.write(`The page is on http://127.0.0.1:${page.port}/ (codes to try: MUGS20, FROM50)\n`)
await untilSignal()
await page.close()
await service.close()
