import { describe, expect, test } from 'vitest'
import { limits } from '../../core/lib/limits.ts'
import { newProject, type Shop, send } from '../../testing/app.ts'
import { expectStablePaging } from '../../testing/paging.ts'
import { newPromotion, newTier } from '../../testing/promotions.ts'
import { newSignedInUser } from '../../testing/sessions.ts'

const path = '/v1/templates/campaigns'
const tenOff = { type: 'DISCOUNT_VOUCHER', discount: { type: 'PERCENT', percent_off: 10 } }

/** Makes a call that must succeed, and returns its response body. */
async function callOk(shop: Shop, method: string, url: string, body?: unknown) {
  const answer = await shop.call(method, url, body)
  expect(answer.status, `${method} ${url}: ${JSON.stringify(answer.body)}`).toBeLessThan(300)
  return answer.body
}

const newCampaign = (shop: Shop, body: object = {}) =>
  callOk(shop, 'POST', '/v1/campaigns', { name: 'Source', voucher: tenOff, ...body })

const newTemplate = async (shop: Shop, name: string, campaign = 'Source') =>
  callOk(shop, 'POST', path, { name, campaign_id: campaign })

const refused = (status: number, key: string, details?: string) => ({
  status,
  body: { key, ...(details === undefined ? {} : { details }) },
})

describe('a template', () => {
  test('shows its name, its type and, with expand, its content', async () => {
    const shop = await newProject()
    const { id: campaignId } = await newCampaign(shop, {
      type: 'AUTO_UPDATE',
      description: 'Ten off',
      join_once: true,
      category: 'Sales',
      vouchers_count: 1,
      metadata: { season: 'spring' },
      start_date: '2026-03-01',
      validity_day_of_week: [1, 2],
      activity_duration_after_publishing: 'P10D',
      voucher: { ...tenOff, redemption: { quantity: 2 }, code_config: { pattern: 'SPRING-###' } },
    })
    const template = await callOk(shop, 'POST', path, {
      name: 'Ten',
      description: 'For sales',
      campaign_id: campaignId,
    })
    expect(template).toEqual({
      id: expect.stringMatching(/^camp_tpl_[0-9a-f]{18}$/),
      name: 'Ten',
      description: 'For sales',
      campaign_type: 'DISCOUNT_COUPONS',
      created_at: expect.any(String),
      object: 'campaign_template',
    })
    expect(await callOk(shop, 'GET', `${path}/${template.id}`)).toEqual(template)
    const expanded = await callOk(shop, 'GET', `${path}/${template.id}?expand=json_template`)
    expect(expanded).toEqual({
      ...template,
      json_template: {
        campaign_type: 'DISCOUNT_COUPONS',
        campaign: {
          type: 'AUTO_UPDATE',
          join_once: true,
          auto_join: false,
          use_voucher_metadata_schema: true,
          description: 'Ten off',
          metadata: { season: 'spring' },
          start_date: '2026-03-01T00:00:00.000Z',
          validity_day_of_week: [1, 2],
          activity_duration_after_publishing: 'P10D',
          voucher: {
            ...tenOff,
            redemption: { quantity: 2 },
            code_config: { length: 3, charset: expect.any(String), pattern: 'SPRING-###' },
          },
        },
        validation_rule: null,
      },
    })
    expect(await shop.call('GET', `${path}/${template.id}?expand=all`)).toMatchObject(
      refused(400, 'invalid_query_params'),
    )
  })

  test('does not change when its source changes', async () => {
    const shop = await newProject()
    const created = await callOk(shop, 'POST', '/v1/validation-rules', {
      name: 'From 50',
      rules: { '1': { name: 'order.amount', conditions: { $more_than: [5000] } } },
      error: { message: 'Buy more' },
    })
    const rule = await callOk(shop, 'GET', `/v1/validation-rules/${created.id}`)
    await newCampaign(shop, { validation_rules: [rule.id] })
    const { id } = await newTemplate(shop, 'Ten')
    const before = await callOk(shop, 'GET', `${path}/${id}?expand=json_template`)
    const { name, rules, error, applicable_to, type, context_type } = rule
    expect(before.json_template.validation_rule).toEqual({ name, rules, error, applicable_to, type, context_type })

    await callOk(shop, 'PUT', `/v1/validation-rules/${rule.id}`, { name: 'Other', rules: null })
    await callOk(shop, 'PUT', '/v1/campaigns/Source', { description: 'Changed' })
    await callOk(shop, 'DELETE', '/v1/campaigns/Source?force=true')
    expect(await callOk(shop, 'GET', `${path}/${id}?expand=json_template`)).toEqual(before)
  })

  test('of a gift card campaign contains the gift', async () => {
    const shop = await newProject()
    await newCampaign(shop, { voucher: { type: 'GIFT_VOUCHER', gift: { amount: 5000, effect: 'APPLY_TO_ITEMS' } } })
    const { id } = await newTemplate(shop, 'Gift')
    expect(await callOk(shop, 'GET', `${path}/${id}?expand=json_template`)).toMatchObject({
      campaign_type: 'GIFT_VOUCHERS',
      json_template: {
        campaign_type: 'GIFT_VOUCHERS',
        campaign: { voucher: { type: 'GIFT_VOUCHER', gift: { amount: 5000, effect: 'APPLY_TO_ITEMS' } } },
      },
    })
  })

  test('of a promotion tier becomes a campaign template with the discount of the tier', async () => {
    const shop = await newProject()
    const tier = await newTier(shop, await newPromotion(shop), {
      banner: 'Ten off!',
      metadata: { channel: 'web' },
      expiration_date: '2027-01-01',
      validity_hours: { daily: [{ start_time: '09:00', expiration_time: '12:00' }] },
    })
    const template = await callOk(shop, 'POST', path, { name: 'Ten', campaign_id: null, promotion_tier_id: tier.id })
    expect(template.campaign_type).toBe('DISCOUNT_COUPONS')
    const { json_template } = await callOk(shop, 'GET', `${path}/${template.id}?expand=json_template`)
    expect(json_template).toEqual({
      campaign_type: 'DISCOUNT_COUPONS',
      campaign: {
        type: 'STATIC',
        join_once: false,
        auto_join: false,
        use_voucher_metadata_schema: true,
        metadata: { channel: 'web' },
        expiration_date: '2027-01-01T00:00:00.000Z',
        validity_hours: { daily: [{ start_time: '09:00', expiration_time: '12:00' }] },
        voucher: {
          ...tenOff,
          redemption: { quantity: null },
          code_config: { length: 8, charset: expect.any(String), pattern: '########' },
        },
      },
      validation_rule: null,
    })
  })

  test('can be renamed, described and deleted; its name stays unique', async () => {
    const shop = await newProject()
    await newCampaign(shop)
    const { id } = await callOk(shop, 'POST', path, { name: 'Ten', description: 'First', campaign_id: 'Source' })
    await newTemplate(shop, 'Taken')
    const taken = refused(409, 'duplicate_found', 'Duplicated campaign_template exists with name Taken')
    expect(await shop.call('POST', path, { name: 'Taken', campaign_id: 'Source' })).toMatchObject(taken)
    expect(await shop.call('PUT', `${path}/${id}`, { name: 'Taken' })).toMatchObject(taken)
    expect(await callOk(shop, 'PUT', `${path}/${id}`, { name: 'Eleven' })).toMatchObject({
      name: 'Eleven',
      description: 'First',
      updated_at: expect.any(String),
    })
    const cleared = await callOk(shop, 'PUT', `${path}/${id}`, { description: null })
    expect(cleared).not.toHaveProperty('description')
    expect(await callOk(shop, 'GET', `${path}/${id}`)).toEqual(cleared)
    await newTemplate(shop, 'Ten')

    for (const body of [{ name: null }, { name: '' }, { name: 'x'.repeat(256) }, { description: 1 }])
      expect(await shop.call('PUT', `${path}/${id}`, body)).toMatchObject(refused(400, 'invalid_payload'))
    expect(await shop.call('DELETE', `${path}/${id}`)).toMatchObject({ status: 204, body: null })
    const gone = {
      status: 404,
      body: {
        key: 'not_found',
        resource_type: 'campaign_template',
        details: `Cannot find campaign_template with id ${id}`,
      },
    }
    expect(await shop.call('DELETE', `${path}/${id}`)).toMatchObject(gone)
    expect(await shop.call('GET', `${path}/${id}`)).toMatchObject(gone)
    expect(await shop.call('PUT', `${path}/${id}`, { name: 'X' })).toMatchObject(gone)
    expect(await shop.call('POST', `${path}/${id}/campaign-setup`, {})).toMatchObject(gone)
    expect(await shop.call('POST', `${path}/${id}/tier-setup`, {})).toMatchObject(gone)
  })
})

describe('a template is refused', () => {
  test('without a name, without a source, or with two sources', async () => {
    const shop = await newProject()
    const { id } = await newCampaign(shop)
    const tier = await newTier(shop, await newPromotion(shop))
    for (const body of [
      { campaign_id: id },
      { name: '', campaign_id: id },
      { name: 'x'.repeat(256), campaign_id: id },
      { name: 'X' },
      { name: 'X', campaign_id: null, promotion_tier_id: null },
      { name: 'X', campaign_id: id, promotion_tier_id: tier.id },
      { name: 'X', campaign_id: 7 },
    ])
      expect(await shop.call('POST', path, body), JSON.stringify(body)).toMatchObject(refused(400, 'invalid_payload'))
    expect(await callOk(shop, 'GET', path)).toMatchObject({ data: [] })
  })

  test('of a source that does not exist or is in the bin', async () => {
    const shop = await newProject()
    const promotion = await newPromotion(shop)
    const tier = await newTier(shop, promotion)
    const { id } = await newCampaign(shop)
    await callOk(shop, 'DELETE', `/v1/campaigns/${id}`)
    await callOk(shop, 'DELETE', `/v1/campaigns/${promotion}`)
    for (const [body, resourceType] of [
      [{ campaign_id: 'camp_unknown' }, 'campaign'],
      [{ campaign_id: id }, 'campaign'],
      [{ promotion_tier_id: 'promo_unknown' }, 'promotion_tier'],
      [{ promotion_tier_id: tier.id }, 'promotion_tier'],
    ] as const)
      expect(await shop.call('POST', path, { name: 'X', ...body })).toMatchObject({
        status: 404,
        body: { key: 'not_found', resource_type: resourceType },
      })
  })

  test('of a loyalty, referral or promotion campaign, of a draft, and of a tier without a discount', async () => {
    const shop = await newProject()
    const sources = [
      {
        name: 'Loyal',
        campaign_type: 'LOYALTY_PROGRAM',
        voucher: { type: 'LOYALTY_CARD', loyalty_card: { points: 0 } },
      },
      { name: 'Referred', campaign_type: 'REFERRAL_PROGRAM', voucher: tenOff },
      { name: 'Promoted', campaign_type: 'PROMOTION' },
    ]
    for (const source of sources) {
      const { id } = await callOk(shop, 'POST', '/v1/campaigns', source)
      expect(await shop.call('POST', path, { name: 'X', campaign_id: id }), source.name).toMatchObject(
        refused(400, 'campaign_type_is_not_supported_by_campaign_template'),
      )
    }
    const { id } = await newCampaign(shop)
    const { db } = shop.service.runtime.database
    await db.updateTable('campaigns').set({ status: 'DRAFT' }).where('id', '=', id).execute()
    expect(await shop.call('POST', path, { name: 'X', campaign_id: id })).toMatchObject(
      refused(400, 'invalid_campaign'),
    )
    const tier = await callOk(shop, 'POST', '/v1/promotions/Promoted/tiers', { name: 'Nothing' })
    expect(await shop.call('POST', path, { name: 'X', promotion_tier_id: tier.id })).toMatchObject(
      refused(400, 'invalid_campaign'),
    )
  })

  test('when its rule refers to API keys, users, loyalty tiers or a static segment of this project', async () => {
    const shop = await newProject()
    const list = await callOk(shop, 'POST', '/v1/segments', { name: 'List', type: 'static', customers: [] })
    const isOneOf = (name: string, ...values: string[]) => ({ name, conditions: { $is: values } })
    for (const [n, rule] of [
      isOneOf('redemption.api_key', 'app'),
      isOneOf('redemption.user.login', 'jane@shop.test'),
      isOneOf('customer.loyalty.tier', 'ltr_1'),
      isOneOf('customer.loyalty_tier', 'ltr_1'),
      isOneOf('customer.segment', 'seg_unknown', list.id),
    ].entries()) {
      const rules = { '1': { name: 'order.amount', conditions: { $more_than: [1] } }, '2': rule }
      const { id } = await callOk(shop, 'POST', '/v1/validation-rules', { rules })
      const campaign = await newCampaign(shop, { name: `Source ${n}`, validation_rules: [id] })
      const tier = await newTier(shop, await newPromotion(shop, `Promotion ${n}`), { validation_rules: [id] })
      for (const source of [{ campaign_id: campaign.id }, { promotion_tier_id: tier.id }])
        expect(await shop.call('POST', path, { name: 'X', ...source }), rule.name).toMatchObject(
          refused(400, 'feature_is_not_supported_by_campaign_template'),
        )
    }
    // Rules on redemption counts reference no particular user or API key.
    const { id } = await callOk(shop, 'POST', '/v1/validation-rules', {
      rules: {
        '1': { name: 'redemption.count.per_user', conditions: { $less_than: [2] } },
        '2': { name: 'redemption.count.per_api_key', conditions: { $less_than: [2] } },
      },
    })
    await newCampaign(shop, { validation_rules: [id] })
    await newTemplate(shop, 'Counts')
  })

  test('when the product that the discount gives away no longer exists', async () => {
    const shop = await newProject()
    const product = await callOk(shop, 'POST', '/v1/products', { source_id: 'mug', name: 'Mug' })
    const discount = { type: 'UNIT', unit_off: 1, unit_type: product.id, effect: 'ADD_NEW_ITEMS' }
    await newCampaign(shop, { voucher: { type: 'DISCOUNT_VOUCHER', discount } })
    // The API refuses to delete it while the campaign gives it away.
    const { db } = shop.service.runtime.database
    await db.deleteFrom('products').where('project_id', '=', shop.project_id).where('id', '=', product.id).execute()
    expect(await shop.call('POST', path, { name: 'X', campaign_id: 'Source' })).toMatchObject({
      status: 404,
      body: { resource_type: 'product', resource_id: product.id },
    })
  })

  test('when its content would exceed the limits', async () => {
    const shop = await newProject()
    const product = await callOk(shop, 'POST', '/v1/products', { source_id: 'mug' })
    const more = { project_id: shop.project_id, product_id: product.id, attributes: '{}', metadata: '{}' }
    const skus = Array.from({ length: limits.campaign_template_goods_max }, (_, n) => ({
      ...more,
      id: `sku_${n}` as const,
      created_at: new Date().toISOString(),
    }))
    const { db } = shop.service.runtime.database
    await db.insertInto('skus').values(skus).execute()
    const rules = { '1': { name: 'product.id', conditions: { $is: [product.id] } } }
    const { id } = await callOk(shop, 'POST', '/v1/validation-rules', { rules })
    await newCampaign(shop, { validation_rules: [id] })
    expect(await shop.call('POST', path, { name: 'X', campaign_id: 'Source' })).toMatchObject(
      refused(400, 'invalid_payload', 'A campaign template must NOT have more than 1000 products and SKUs'),
    )
    await db.deleteFrom('skus').where('project_id', '=', shop.project_id).where('id', '=', 'sku_7').execute()
    await newTemplate(shop, 'Fits')
  })
})

describe('the list', () => {
  test('pages by cursor in both orders while templates are added', async () => {
    const shop = await newProject()
    await newCampaign(shop)
    const create = async (n: number) => (await newTemplate(shop, `Template ${n}`)).id
    await expectStablePaging({ shop, path, orders: ['id', '-id'], data_ref: 'data', create })
  })

  test('can be filtered; the total counts all templates, and only on request', async () => {
    const shop = await newProject()
    await newCampaign(shop)
    await newCampaign(shop, { name: 'Gifts', voucher: { type: 'GIFT_VOUCHER', gift: { amount: 100 } } })
    const spring = await newTemplate(shop, 'Spring')
    const summer = await newTemplate(shop, 'Summer')
    const gift = await newTemplate(shop, 'Gift card', 'Gifts')
    const named = async (query: string) => {
      const body = await callOk(shop, 'GET', `${path}?${query}`)
      return body.data.map(({ name }: { name: string }) => name)
    }
    expect(await callOk(shop, 'GET', `${path}?limit=2`)).toEqual({
      object: 'list',
      data_ref: 'data',
      data: [spring, summer],
      has_more: true,
      more_starting_after: summer.id,
    })
    const condition = (field: string, operator: string) => `filters[${field}][conditions][${operator}]`
    expect(await named(`${condition('name', '$starts_with')}=S`)).toEqual(['Spring', 'Summer'])
    expect(await named(`${condition('campaign_type', '$is')}=GIFT_VOUCHERS`)).toEqual(['Gift card'])
    expect(await named(`${condition('id', '$in')}[0]=${gift.id}&${condition('id', '$in')}[1]=${spring.id}`)).toEqual([
      'Spring',
      'Gift card',
    ])
    expect(
      await named(
        `filters[junction]=or&${condition('name', '$is')}=Summer&${condition('campaign_type', '$is')}=GIFT_VOUCHERS`,
      ),
    ).toEqual(['Summer', 'Gift card'])
    const counted = await callOk(shop, 'GET', `${path}?include_total=true&${condition('name', '$is')}=Summer`)
    expect(counted).toEqual({ object: 'list', data_ref: 'data', data: [summer], has_more: false, total: 3 })
    expect(await named('order=-id')).toEqual(['Gift card', 'Summer', 'Spring'])

    for (const query of [
      'order=name',
      'limit=101',
      'starting_after_id=camp_tpl_0',
      'include_total=maybe',
      `${condition('description', '$is')}=x`,
    ])
      expect(await shop.call('GET', `${path}?${query}`), query).toMatchObject(refused(400, 'invalid_query_params'))
  })
})

describe('management', () => {
  const copy = (id: string) => `/templates/campaigns/${id}/copy`

  test('lists the templates of a project like the API of the project itself', async () => {
    const shop = await newProject()
    await newCampaign(shop)
    for (const name of ['A', 'B', 'C']) await newTemplate(shop, name)
    const query = '?order=-id&limit=2&include_total=true'
    const { status, body } = await shop.manage('GET', `/templates/campaigns${query}`)
    expect({ status, body }).toEqual({ status: 200, body: await callOk(shop, 'GET', `${path}${query}`) })
    expect(body).toMatchObject({ data: [{ name: 'C' }, { name: 'B' }], total: 3, has_more: true })
    const { app } = shop.service
    const nowhere = await send(
      app,
      'GET',
      '/management/v1/projects/proj_x/templates/campaigns',
      undefined,
      shop.management,
    )
    expect(nowhere).toMatchObject({ status: 404, body: { resource_type: 'project' } })

    const create = async (n: number) => (await newTemplate(shop, `Template ${n}`)).id
    const managed = `/management/v1/projects/${shop.project_id}/templates/campaigns`
    const manager: Shop = {
      ...shop,
      call: (method, url, sent) => send(app, method, url, sent, shop.management) as never,
    }
    await expectStablePaging({ shop: manager, path: managed, orders: ['id', '-id'], data_ref: 'data', create })
  })

  test('copies a template to another project and to the same one', async () => {
    const shop = await newProject()
    const other = await newProject()
    await newCampaign(shop)
    const { id, ...rest } = await callOk(shop, 'POST', path, {
      name: 'Ten',
      description: 'First',
      campaign_id: 'Source',
    })
    const to = (project: Shop, body: object = {}) =>
      shop.manage('POST', copy(id), { name: 'Ten', destination_project_id: project.project_id, ...body })

    const copied = await to(other)
    expect(copied).toMatchObject({ status: 200, body: { ...rest, created_at: expect.any(String) } })
    expect(copied.body.id).not.toBe(id)
    expect(await callOk(other, 'GET', path)).toMatchObject({ data: [copied.body] })
    const { json_template } = await callOk(shop, 'GET', `${path}/${id}?expand=json_template`)
    expect(await callOk(other, 'GET', `${path}/${copied.body.id}?expand=json_template`)).toMatchObject({
      json_template,
    })
    expect(await callOk(shop, 'GET', path)).toMatchObject({ data: [{ id }] })
    await callOk(shop, 'DELETE', `${path}/${id}`)
    expect(await callOk(other, 'GET', `${path}/${copied.body.id}`)).toEqual(copied.body)
  })

  test('an ADMIN who is signed in copies to projects of which they are ADMIN only', async () => {
    const shop = await newProject()
    const other = await newProject()
    await newCampaign(shop)
    const { id } = await newTemplate(shop, 'Ten')
    const { app, runtime } = shop.service
    const copyAs = async (roles: Parameters<typeof newSignedInUser>[1]) => {
      const { headers } = await newSignedInUser(runtime, roles)
      const body = { name: 'Ten', destination_project_id: other.project_id }
      return send(app, 'POST', `/management/v1/projects/${shop.project_id}${copy(id)}`, body, headers)
    }
    const missing = { status: 404, body: { key: 'not_found', resource_type: 'project' } }
    expect(await copyAs({ [shop.project_id]: 'ADMIN' })).toMatchObject(missing)
    expect(await copyAs({ [shop.project_id]: 'ADMIN', [other.project_id]: 'USER' })).toMatchObject(missing)
    expect(await callOk(other, 'GET', path)).toMatchObject({ data: [] })
    expect((await copyAs({ [shop.project_id]: 'ADMIN', [other.project_id]: 'ADMIN' })).status).toBe(200)
  })

  test('a copy has its own description, that of the original, or none', async () => {
    const shop = await newProject()
    await newCampaign(shop)
    const { id } = await callOk(shop, 'POST', path, { name: 'Ten', description: 'First', campaign_id: 'Source' })
    const to = async (name: string, more: object) =>
      (await shop.manage('POST', copy(id), { name, destination_project_id: shop.project_id, ...more })).body
    expect(await to('A', {})).toMatchObject({ name: 'A', description: 'First' })
    expect(await to('B', { description: 'Second' })).toMatchObject({ description: 'Second' })
    expect(await to('C', { description: null })).not.toHaveProperty('description')
  })

  test('refuses to copy an unknown template, to an unknown project, or to a name that is taken', async () => {
    const shop = await newProject()
    const other = await newProject()
    await newCampaign(shop)
    const { id } = await newTemplate(shop, 'Ten')
    const body = { name: 'Ten', destination_project_id: other.project_id }
    const missing = (resourceType: string) => ({ status: 404, body: { key: 'not_found', resource_type: resourceType } })
    expect(await shop.manage('POST', copy('camp_tpl_0'), {})).toMatchObject(missing('campaign_template'))
    expect(await other.manage('POST', copy(id), body)).toMatchObject(missing('campaign_template'))
    expect(await shop.manage('POST', copy(id), { ...body, destination_project_id: 'proj_x' })).toMatchObject(
      missing('project'),
    )
    for (const wrong of [{ name: 'Ten' }, { destination_project_id: other.project_id }, { ...body, description: 5 }])
      expect(await shop.manage('POST', copy(id), wrong)).toMatchObject(refused(400, 'invalid_payload'))
    expect(await shop.manage('POST', copy(id), { ...body, destination_project_id: shop.project_id })).toMatchObject(
      refused(409, 'duplicate_found', 'Duplicated campaign_template exists with name Ten'),
    )
    expect(await callOk(other, 'GET', path)).toMatchObject({ data: [] })
  })
})
