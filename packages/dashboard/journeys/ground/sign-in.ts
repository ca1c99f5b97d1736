import type { BrowserContext } from 'playwright-core'
import { newUserLink } from '../../../server/src/account/users/link.ts'
import type { Role } from '../../../server/src/core/db/tables.ts'
import { toInstant } from '../../../server/src/core/lib/instant.ts'
import type { Shop } from './shop.ts'

export type Person = 'OWNER' | Role

/** The password of everybody who signs in by `signIn`. */
export const password = 'seven lanterns above the harbour'

/** Signs the browser in as the owner, or as a new user with a role in the project; returns the e-mail address. */
export async function signIn(shop: Shop, context: BrowserContext, person: Person): Promise<string> {
  const { email, link } = person === 'OWNER' ? await ownerLink(shop) : await invite(shop, person)
  const token = new URLSearchParams(new URL(link).hash.slice(1)).get('token')
  const answer = await context.request.post(`${shop.address}/auth/password`, {
    data: { token, password },
    headers: { Origin: shop.address },
  })
  if (!answer.ok()) throw new Error(`The password was not set: ${answer.status()} ${await answer.text()}`)
  return email
}

/** A new link for the owner, as the first start and `guerdon users reset` print one. */
export async function ownerLink({ runtime }: Shop): Promise<{ email: string; link: string }> {
  const { database, settings, now } = runtime
  const owners = database.db.selectFrom('users').select(['id', 'login']).where('is_owner', '=', true)
  const { id, login } = await owners.executeTakeFirstOrThrow()
  const { link } = await newUserLink({ db: database.db, settings, now: toInstant(now()) }, id)
  return { email: login, link }
}

let invited = 0

async function invite(shop: Shop, role: Role): Promise<{ email: string; link: string }> {
  invited += 1
  const email = `${role.toLowerCase().replaceAll('_', '-')}-${invited}@example.com`
  const { link } = await shop.manage('POST', '/projects/users/invite', {
    email,
    first_name: 'Robin',
    last_name: role.toLowerCase(),
    projects: { [shop.project_id]: role },
  })
  return { email, link }
}
