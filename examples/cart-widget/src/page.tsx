import { createGuerdonClientSide, type GuerdonClientSideOptions } from '@guerdon/client'
import { createRoot } from 'react-dom/client'
import { CartWidget } from './cart-widget.tsx'
import { goods } from './goods.ts'

/** Set by serve-page.ts: the address of the service and the client key, which everybody may read. */
declare const guerdonOptions: GuerdonClientSideOptions

const client = createGuerdonClientSide(guerdonOptions)
const place = document.getElementById('cart')
if (place !== null) createRoot(place).render(<CartWidget client={client} initial={goods} />)
