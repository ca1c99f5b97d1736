import { describe, expect, test } from 'vitest'
import { newProject, type Shop, send } from '../../testing/app.ts'
import { newInstallation } from '../../testing/installation.ts'
import { brandingFooter } from './footer.ts'

const small = {
  brand: { name: 'Acme' },
  address: { street: '1 Main Street', city: 'Springfield', postal: null, country: 'USA' },
  contact: { email: 'hello@acme.example' },
}

const full = {
  brand: {
    name: 'Acme',
    privacy_policy_url: 'https://acme.example/privacy',
    terms_of_use_url: 'acme.example',
    permission_reminder: 'You asked for it.',
    website_url: 'http://www.acme.example:8080/?a=b#c',
  },
  address: { street: '1 Main Street', city: 'Springfield', postal: '12345', state: 'IL', country: 'USA' },
  contact: { email: 'hello@acme.example', phone: '+1 555 0100' },
}

const defaultReminder = 'You are receiving this email because you opted in at our website.'

const five = (id: string): Array<[method: string, path: string, body?: unknown]> => [
  ['GET', '/branding'],
  ['POST', '/branding', small],
  ['GET', `/branding/${id}`],
  ['PUT', `/branding/${id}`, { brand: { name: 'Other' } }],
  ['DELETE', `/branding/${id}`],
]

async function newBranding(shop: Shop, body: object = small) {
  const answer = await shop.manage('POST', '/branding', body)
  expect(answer.status).toBe(200)
  return answer.body
}

test('all five operations need a management key and an existing project', async () => {
  const shop = await newProject()
  for (const [method, path, body] of five('brd_x')) {
    const url = (projectId: string) => `/management/v1/projects/${projectId}${path}`
    expect(await send(shop.service.app, method, url(shop.project_id), body, shop.headers)).toMatchObject({
      status: 401,
    })
    expect(await send(shop.service.app, method, url('proj_nowhere'), body, shop.management)).toMatchObject({
      status: 404,
      body: { key: 'not_found', resource_id: 'proj_nowhere', resource_type: 'project' },
    })
  }
})

test('another project sees nothing of it and cannot change it', async () => {
  const [shop, stranger] = [await newProject(), await newProject()]
  const made = await newBranding(shop)
  for (const [method, path, body] of five(made.id).slice(2))
    expect(await stranger.manage(method, path, body)).toMatchObject({
      status: 404,
      body: { key: 'not_found', resource_id: made.id, resource_type: 'branding_details' },
    })
  expect((await stranger.manage('GET', '/branding')).body).toMatchObject({ data: [], total: 0 })
  expect((await shop.manage('GET', `/branding/${made.id}`)).body).toEqual(made)
})

test('a project has none, then one with the defaults of what was not sent, and never two', async () => {
  const shop = await newProject()
  const list = async () => (await shop.manage('GET', '/branding')).body
  expect(await list()).toEqual({ object: 'list', data_ref: 'data', data: [], total: 0 })
  const made = await newBranding(shop)
  expect(made).toEqual({
    id: expect.stringMatching(/^brd_[0-9a-f]{18}$/),
    brand: {
      name: 'Acme',
      privacy_policy_url: null,
      terms_of_use_url: null,
      permission_reminder: defaultReminder,
      website_url: null,
    },
    address: { street: '1 Main Street', city: 'Springfield', postal: null, state: null, country: 'USA' },
    contact: { email: 'hello@acme.example', phone: null },
  })
  expect(await list()).toEqual({ object: 'list', data_ref: 'data', data: [made], total: 1 })
  expect(await shop.manage('POST', '/branding', full)).toMatchObject({
    status: 409,
    body: {
      key: 'branding_exist',
      message: 'Branding exist',
      details: 'Cannot exist more than one branding for given project',
    },
  })
  expect(await shop.manage('DELETE', `/branding/${made.id}`)).toMatchObject({ status: 204, body: null })
  expect(await shop.manage('GET', `/branding/${made.id}`)).toMatchObject({ status: 404 })
  expect(await newBranding(shop, full)).toEqual({ id: expect.not.stringMatching(made.id), ...full })
})

describe('an update', () => {
  test('changes the leaves that are sent, and null clears what may be null', async () => {
    const shop = await newProject()
    const made = await newBranding(shop, full)
    const update = async (body: object) => (await shop.manage('PUT', `/branding/${made.id}`, body)).body
    expect(await update({})).toEqual(made)
    expect(await update({ brand: {}, address: {}, contact: {} })).toEqual(made)
    expect(await update({ brand: { name: 'Acme 2' }, contact: { phone: null } })).toEqual({
      ...made,
      brand: { ...full.brand, name: 'Acme 2' },
      contact: { email: 'hello@acme.example', phone: null },
    })
    expect(await update({ brand: { permission_reminder: null, website_url: null }, address: { state: null } })).toEqual(
      {
        ...made,
        brand: { ...full.brand, name: 'Acme 2', permission_reminder: defaultReminder, website_url: null },
        address: { ...full.address, state: null },
        contact: { email: 'hello@acme.example', phone: null },
      },
    )
    expect((await shop.manage('GET', `/branding/${made.id}`)).body.brand.name).toBe('Acme 2')
  })

  test('stores no unknown fields', async () => {
    const shop = await newProject()
    const made = await newBranding(shop, { ...small, brand: { name: 'Acme', logo: 'x' }, colour: 'red' })
    await shop.manage('PUT', `/branding/${made.id}`, { address: { planet: 'Mars' } })
    const { details } = await shop.service.runtime.database.db
      .selectFrom('brandings')
      .where('project_id', '=', shop.project_id)
      .select('details')
      .executeTakeFirstOrThrow()
    const { id: _, warnings: __, ...shown } = made
    expect(details).toEqual(shown)
  })
})

describe('is refused', () => {
  const without = (part: 'brand' | 'address' | 'contact', name: string) => {
    const { [name]: _, ...rest } = small[part] as Record<string, unknown>
    return { ...small, [part]: rest }
  }
  test.each<[what: string, body: object, details: string]>([
    ['without a brand', { ...small, brand: undefined }, "Payload must have required property 'brand'"],
    ['without a name', without('brand', 'name'), "Property .brand must have required property 'name'"],
    ['without a street', without('address', 'street'), "Property .address must have required property 'street'"],
    ['without a city', without('address', 'city'), "Property .address must have required property 'city'"],
    ['without a postal code', without('address', 'postal'), "Property .address must have required property 'postal'"],
    ['without a country', without('address', 'country'), "Property .address must have required property 'country'"],
    ['without an e-mail', without('contact', 'email'), "Property .contact must have required property 'email'"],
    [
      'with an invalid e-mail',
      { ...small, contact: { email: 'hello@acme.example, eve@evil.test' } },
      'Property .contact.email must be a valid email',
    ],
    [
      'with a line break in the name',
      { ...small, brand: { name: 'Acme\nBcc: eve@evil.test' } },
      'Property .brand.name must match pattern ^[^\\p{Cc}\\p{Zl}\\p{Zp}\\p{Bidi_Control}]*$',
    ],
    [
      'with a line break of Unicode in the reminder',
      { ...small, brand: { name: 'Acme', permission_reminder: 'You asked.\u2028Or not.' } },
      'Property .brand.permission_reminder must match pattern ^[^\\p{Cc}\\p{Zl}\\p{Zp}\\p{Bidi_Control}]*$',
    ],
    [
      'with a long name',
      { ...small, brand: { name: 'x'.repeat(256) } },
      'Property .brand.name must NOT have more than 255 characters',
    ],
    [
      'with a long URL',
      { ...small, brand: { name: 'Acme', website_url: `https://acme.example/${'x'.repeat(2_048)}` } },
      'Property .brand.website_url must NOT have more than 2048 characters',
    ],
  ])('%s', async (_what, body, details) => {
    const shop = await newProject()
    expect(await shop.manage('POST', '/branding', body)).toMatchObject({
      status: 400,
      body: { key: 'invalid_payload', details },
    })
  })

  test.each([
    'ftp://acme.example/',
    'javascript:alert(1)',
    'https://',
    'https://acme.example/a b',
    'acme.example/terms',
    'acme..example',
    '-acme.example',
    'acme.example:80',
    'user@acme.example',
    'http://x"onload=1',
    'https://acme.example/"onload=1',
    "https://acme.example/'onload=1",
    'https://acme.example/<b>',
    'https://acme.example\\@evil.test',
    'https://acme.example/\u202egro',
    'https://user:secret@acme.example/',
    'https://acme.example@evil.test/',
    'https://@acme.example/',
    '',
    `${'a'.repeat(64)}.example`,
    'a.'.repeat(1_000),
  ])('with the URL %j, also in an update', async (url) => {
    const shop = await newProject()
    const refusal = { status: 400, body: { details: 'Property .brand.website_url must be a valid URL or a host name' } }
    expect(await shop.manage('POST', '/branding', { ...small, brand: { name: 'A', website_url: url } })).toMatchObject(
      refusal,
    )
    const { id } = await newBranding(shop)
    expect(await shop.manage('PUT', `/branding/${id}`, { brand: { website_url: url } })).toMatchObject(refusal)
  })

  test.each([
    'acme.example',
    'localhost',
    'münchen.example',
    'HTTPS://ACME.EXAMPLE',
    'https://[::1]:8080/x',
    'https://acme.example/@acme?to=a@b',
  ])('but not with the URL %j', async (url) => {
    const shop = await newProject()
    expect((await newBranding(shop, { ...small, brand: { name: 'A', website_url: url } })).brand.website_url).toBe(url)
  })
})

describe('the footer of mails', () => {
  const footerOf = (shop: Shop) => brandingFooter(shop.service.runtime.database.db, shop.project_id)

  test('is empty without a branding', async () => {
    expect(await footerOf(await newProject())).toBe('')
  })

  test('has every part that is set', async () => {
    const shop = await newProject()
    await newBranding(shop, full)
    expect(await footerOf(shop)).toBe(
      [
        '-- ',
        'Acme',
        '1 Main Street',
        '12345 Springfield',
        'IL, USA',
        'hello@acme.example, +1 555 0100',
        'http://www.acme.example:8080/?a=b#c',
        '',
        'You asked for it.',
        'Privacy policy: https://acme.example/privacy',
        'Terms of use: acme.example',
        '',
      ].join('\n'),
    )
  })

  test('leaves out what is not set', async () => {
    const shop = await newProject()
    await newBranding(shop)
    expect(await footerOf(shop)).toBe(
      ['-- ', 'Acme', '1 Main Street', 'Springfield', 'USA', 'hello@acme.example', '', defaultReminder, ''].join('\n'),
    )
  })

  test('ends the mail of an invitation to one project, not of one to several', async () => {
    // A database of its own: in the shared one, workers of other test files would take the mails.
    const { manage, runtime, made } = await newInstallation()
    const { db } = runtime.database
    const project = { name: 'Other', timezone: 'UTC', currency: 'USD', case_sensitive_codes: true }
    const other = (await manage('POST', '/projects', project)).body
    await manage('POST', `/projects/${made.project_id}/branding`, full)
    const mailTo = async (email: string, projects: object) => {
      const body = { email, first_name: '', last_name: '', projects }
      expect(await manage('POST', '/projects/users/invite', body)).toMatchObject({ status: 204 })
      const mails = await db.selectFrom('mails').selectAll().execute()
      return mails.find(({ recipients }) => recipients.includes(email))?.text
    }
    const one = { [made.project_id]: 'USER' }
    const footer = await brandingFooter(db, made.project_id)
    expect((await mailTo('one@shop.test', one))?.endsWith(`mail.\n\n${footer}`)).toBe(true)
    const toSeveral = await mailTo('several@shop.test', { ...one, [other.id]: 'USER' })
    expect(toSeveral?.endsWith('mail.\n')).toBe(true)
  })
})
