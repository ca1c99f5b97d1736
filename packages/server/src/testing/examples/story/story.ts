import { tellCheckout } from './checkout.ts'
import { tellClub } from './club.ts'
import { tellCodes } from './codes.ts'
import { tellOffers } from './offers.ts'
import { tellOperation } from './operation.ts'
import { tellPage } from './page.ts'
import { tellShelves } from './shelves.ts'
import type { Teller } from './teller.ts'

/**
 * A shop from its first key to its exports, told by the operations that are used most. The samples of /docs are taken from here, and readers paste
 * them into a new project: bodies are as a person would write them, objects have the names of README.md, ids come from the answers before,
 * and no date will pass.
 */
export async function tellStory(teller: Teller): Promise<void> {
  await teller.tell('generateOauthToken', {
    body: { grant_type: 'client_credentials', scope: 'api client_api' },
  })
  await tellShelves(teller)
  await tellCodes(teller)
  await tellCheckout(teller)
  await tellOffers(teller)
  await tellClub(teller)
  await tellOperation(teller)
  await tellPage(teller)
}
