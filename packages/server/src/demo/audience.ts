import { segmentNames } from './known.ts'
import type { DemoPerson } from './people.ts'
import type { DemoShop } from './shop.ts'

/** What the offers name of the audience: ids of segments. */
export interface Audience {
  vip: string
  spenders: string
}

/** Describes customers, imports those that the shop had before, and makes the four segments. */
export async function addAudience(shop: DemoShop, imported: readonly DemoPerson[]): Promise<Audience> {
  const { call, clock } = shop
  const optional = { array: false, optional: true }
  await call('POST', '/v1/metadata-schemas', {
    related_object: 'customer',
    properties: {
      newsletter: { type: 'boolean', ...optional },
      vip: { type: 'boolean', ...optional },
      home: { type: 'geopoint', ...optional },
    },
  })
  clock.advance(60)
  const location = await call('POST', '/v1/locations', {
    name: 'Berlin store',
    shape: { type: 'circle', distance: { center: 'geo:52.52,13.40', radius: '40 km' } },
  })
  await call('POST', '/v1/locations', {
    name: 'Lyon store',
    shape: { type: 'circle', distance: { center: 'geo:45.76,4.84', radius: '25 km' } },
  })
  clock.advance(60)
  await shop.importCsv('/v1/customers/importCSV', csvOf(imported))
  clock.advance(60)
  const segment = async (name: string, field: string, conditions: object, type = 'passive'): Promise<string> => {
    clock.advance(10)
    const filter = { junction: 'and', [field]: { conditions } }
    return (await call('POST', '/v1/segments', { name, type, filter })).id
  }
  await segment(segmentNames.newsletter, 'metadata.newsletter', { $is: [true] })
  await segment(segmentNames.nearby, 'metadata.home', { $in_location: [location.id] })
  const spenders = await segment(
    segmentNames.spenders,
    'summary.orders.total_amount',
    { $more_than: [50_000] },
    'auto-update',
  )
  const vip = await segment(segmentNames.vip, 'metadata.vip', { $is: [true] })
  await shop.runDailyJobs()
  return { vip, spenders }
}

/** A customer who signs up, as the shop would send it. */
export const customerBody = (person: DemoPerson): object => ({
  source_id: person.source_id,
  name: person.name,
  email: person.email,
  address: { city: person.city, country: person.country },
  metadata: metadataOf(person),
})

const metadataOf = ({ is_reader, is_vip, geo }: DemoPerson) => ({
  newsletter: is_reader,
  vip: is_vip,
  home: `geo:${geo}`,
})

function csvOf(people: readonly DemoPerson[]): string {
  const cells = people.map((person) => {
    const { newsletter, vip, home } = metadataOf(person)
    const { source_id, name, email, city, country } = person
    return [source_id, name, email, city, country, newsletter, vip, `"${home}"`].join(',')
  })
  return ['Source_id,Name,Email,Address_City,Address_Country,newsletter,vip,home', ...cells].join('\n')
}
