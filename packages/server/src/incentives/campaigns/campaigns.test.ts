import { describe, expect, test } from 'vitest'
import { foldTallies, tallyMany } from '../../core/db/tallies.ts'
import { foldUsage } from '../../core/db/usage.ts'
import { newProject, type Shop } from '../../testing/app.ts'
import { eventsOf, getVoucher, newCampaign, newVoucher, runCampaignJobs, tenOff } from '../../testing/campaigns.ts'
import { expectStablePaging } from '../../testing/paging.ts'
import { newRedemption, ofVoucher } from '../../testing/redemptions.ts'

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const nothing = { object: 'list', data_ref: 'data', data: [], total: 0 }
const get = async (shop: Shop, name: string) =>
  (await shop.call('GET', `/v1/campaigns/${encodeURIComponent(name)}`)).body

/** The latest async action of a shop. */
async function lastAction(shop: Shop) {
  const { async_actions } = (await shop.call('GET', '/v1/async-actions?limit=1')).body
  return (await shop.call('GET', `/v1/async-actions/${async_actions[0].id}`)).body
}

/** The codes of a campaign, sorted. */
async function codesOf(shop: Shop, name: string): Promise<string[]> {
  const { vouchers } = (
    await shop.call('GET', `/v1/vouchers?limit=100&order=code&campaign=${encodeURIComponent(name)}`)
  ).body
  return vouchers.map(({ code }: { code: string }) => code)
}

/** Marks a code as redeemed, which nothing can do over HTTP yet. */
async function redeem({ service, project_id }: Shop, code: string): Promise<void> {
  await service.runtime.database.db
    .updateTable('vouchers')
    .set({ redeemed_quantity: 1 })
    .where('project_id', '=', project_id)
    .where('code', '=', code)
    .execute()
}

const publish = async (shop: Shop, voucher: string) =>
  expect(await shop.call('POST', '/v1/publications', { voucher, customer: { source_id: 'anna' } })).toMatchObject({
    status: 200,
  })

describe('creating a campaign', () => {
  test('fills in defaults, and omits unset members', async () => {
    const shop = await newProject()
    const { status, body } = await shop.call('POST', '/v1/campaigns', {
      name: 'Autumn',
      voucher: { type: 'DISCOUNT_VOUCHER', discount: { type: 'AMOUNT', amount_off: 700 } },
    })
    expect(status).toBe(200)
    expect(body).toEqual({
      id: expect.stringMatching(/^camp_[0-9A-Za-z]{24}$/),
      name: 'Autumn',
      campaign_type: 'DISCOUNT_COUPONS',
      type: 'STATIC',
      voucher: {
        type: 'DISCOUNT_VOUCHER',
        discount: { type: 'AMOUNT', amount_off: 700 },
        redemption: { quantity: null },
        code_config: {
          length: 8,
          charset: '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ',
          pattern: '########',
        },
        is_referral_code: false,
      },
      auto_join: false,
      join_once: false,
      use_voucher_metadata_schema: true,
      vouchers_count: 0,
      active: true,
      created_at: instant,
      category_id: null,
      categories: [],
      creation_status: 'DONE',
      vouchers_generation_status: 'DONE',
      protected: false,
      validation_rules_assignments: nothing,
      access_settings_assignments: nothing,
      object: 'campaign',
    })
    expect(await get(shop, 'Autumn')).toEqual(body)
    expect(await get(shop, body.id)).toEqual(body)
    expect(await shop.call('POST', '/v1/campaigns', { name: 'Autumn', voucher: body.voucher })).toMatchObject({
      status: 409,
      body: { key: 'duplicate_found', details: 'Duplicated campaign exists with name Autumn' },
    })
    expect(await eventsOf(shop)).toEqual(['campaign.created'])
  })

  test('one voucher is created immediately, several in a background job', async () => {
    const shop = await newProject()
    expect(await newCampaign(shop, 'One', { vouchers_count: 1 })).toMatchObject({
      creation_status: 'DONE',
      vouchers_count: 1,
    })
    expect(await newCampaign(shop, 'Four', { vouchers_count: 4 })).toMatchObject({
      creation_status: 'IN_PROGRESS',
      vouchers_generation_status: 'IN_PROGRESS',
      vouchers_count: 0,
    })
    await runCampaignJobs(shop)
    expect(await get(shop, 'Four')).toMatchObject({ creation_status: 'DONE', vouchers_count: 4 })
    expect(await lastAction(shop)).toMatchObject({
      type: 'CAMPAIGN.VOUCHERS_GENERATE',
      status: 'DONE',
      progress: 100,
      result: { message: 'Generated 4 vouchers.', done_count: 4 },
    })
    expect(await codesOf(shop, 'Four')).toHaveLength(4)
    expect(await eventsOf(shop)).toEqual([
      'campaign.created',
      'campaign.vouchers.generation.completed',
      'campaign.created',
      'campaign.vouchers.generation.started',
      'campaign.vouchers.generation.completed',
    ])
  })

  test.each<[body: object, campaign_type: string, more?: object]>([
    [
      { voucher: { type: 'GIFT_VOUCHER', gift: { amount: 5, balance: 9 } } },
      'GIFT_VOUCHERS',
      { voucher: { gift: { amount: 5 } } },
    ],
    [{ voucher: { type: 'LOYALTY_CARD', loyalty_card: { points: 0 } } }, 'LOYALTY_PROGRAM', { join_once: true }],
    [{ promotion: { tiers: [] } }, 'PROMOTION', { use_voucher_metadata_schema: false, promotion: { total: 0 } }],
    [
      { referral_program: {}, voucher: { type: 'DISCOUNT_VOUCHER', discount: tenOff } },
      'REFERRAL_PROGRAM',
      { referral_program: { conversion_event_type: 'redemption' }, voucher: { is_referral_code: true } },
    ],
    [{ voucher: { type: 'DISCOUNT_VOUCHER', discount: tenOff, is_referral_code: true } }, 'REFERRAL_PROGRAM'],
  ])('%j creates a campaign of its type', async (body, campaignType, more = {}) => {
    const shop = await newProject()
    const answer = await shop.call('POST', '/v1/campaigns', { name: 'C', join_once: false, auto_join: true, ...body })
    expect(answer).toMatchObject({ status: 200, body: { campaign_type: campaignType, type: 'STATIC', ...more } })
    expect(answer.body.auto_join).toBe(campaignType !== 'PROMOTION')
  })

  test('a referral program references its conversion event and its reward campaign', async () => {
    const shop = await newProject()
    const discount = { type: 'DISCOUNT_VOUCHER', discount: tenOff }
    const { id } = await newCampaign(shop, 'Gifts', { voucher: { type: 'GIFT_VOUCHER', gift: { amount: 5 } } })
    const referralProgram = {
      conversion_event_type: 'redemption',
      referee_reward: { type: 'GIFT_VOUCHER', amount: 500, related_object_parent: { name: 'Gifts' } },
    }
    const create = (body: object) =>
      shop.call('POST', '/v1/campaigns', { name: 'R', campaign_type: 'REFERRAL_PROGRAM', ...body })
    expect(
      (await create({ voucher: { type: 'DISCOUNT_VOUCHER' }, referral_program: referralProgram })).body
        .referral_program,
    ).toEqual({
      ...referralProgram,
      referee_reward: {
        ...referralProgram.referee_reward,
        related_object_parent: { id, name: 'Gifts', object: 'CAMPAIGN' },
      },
    })
    expect(await create({ name: 'S', voucher: { type: 'DISCOUNT_VOUCHER' } })).toMatchObject({
      status: 400,
      body: { key: 'invalid_campaign', details: "Property 'discount' is required for REFERRAL_PROGRAM campaign" },
    })
    const event = { conversion_event_type: 'custom_event', custom_event: { name: 'nothing' } }
    expect(await create({ name: 'S', voucher: discount, referral_program: event })).toMatchObject({ status: 404 })
  })

  test('a code consists of prefix, filled pattern and postfix', async () => {
    const shop = await newProject()
    const codeConfig = { prefix: 'EU-', pattern: 'A##-#', postfix: '-Z', charset: '7', initial_count: 5 }
    const voucher = { type: 'DISCOUNT_VOUCHER', discount: tenOff, code_config: codeConfig }
    const campaign = await newCampaign(shop, 'C', { vouchers_count: 1, voucher })
    expect(campaign.voucher.code_config).toEqual({
      length: 3,
      charset: '7',
      pattern: 'A##-#',
      prefix: 'EU-',
      postfix: '-Z',
    })
    expect(await codesOf(shop, 'C')).toEqual(['EU-A77-7-Z'])
  })

  test('impossible code configurations are refused before any voucher is created', async () => {
    const shop = await newProject()
    const voucher = { type: 'DISCOUNT_VOUCHER', discount: tenOff, code_config: { charset: 'ABC', pattern: '##-#' } }
    const create = (name: string, vouchersCount: number) =>
      shop.call('POST', '/v1/campaigns', { name, vouchers_count: vouchersCount, voucher })
    const refused = {
      status: 400,
      body: { key: 'invalid_code_config', details: 'Not possible to generate requested number of codes.' },
    }
    expect(await create('C', 28)).toMatchObject(refused)
    expect(await get(shop, 'C')).toMatchObject({ key: 'not_found' })
    expect(await create('C', 27)).toMatchObject({ status: 200 })
    await runCampaignJobs(shop)
    const codes = await codesOf(shop, 'C')
    expect(new Set(codes).size).toBe(27)
    for (const code of codes) expect(code).toMatch(/^[ABC]{2}-[ABC]$/)
    expect(await create('D', 1)).toMatchObject(refused)
    expect(await shop.call('POST', '/v1/campaigns/C/vouchers')).toMatchObject(refused)
    // Codes in the bin are taken; codes deleted for good are free again.
    await shop.call('DELETE', `/v1/vouchers/${codes[0]}`)
    expect(await shop.call('POST', '/v1/campaigns/C/vouchers')).toMatchObject(refused)
    await shop.call('DELETE', `/v1/vouchers/${codes[1]}?force=true`)
    expect((await shop.call('POST', '/v1/campaigns/C/vouchers')).body.code).toBe(codes[1])
  })

  test('without case sensitivity, letters that differ only in case count once', async () => {
    const voucher = { type: 'DISCOUNT_VOUCHER', discount: tenOff, code_config: { charset: 'aAbBcC', length: 2 } }
    const [strict, folding] = [await newProject(), await newProject({ project: { case_sensitive_codes: false } })]
    expect(await strict.call('POST', '/v1/campaigns', { name: 'C', vouchers_count: 36, voucher })).toMatchObject({
      status: 200,
    })
    expect(await folding.call('POST', '/v1/campaigns', { name: 'C', vouchers_count: 10, voucher })).toMatchObject({
      status: 400,
    })
    expect(await folding.call('POST', '/v1/campaigns', { name: 'C', vouchers_count: 9, voucher })).toMatchObject({
      status: 200,
    })
    await runCampaignJobs(folding)
    expect(new Set((await codesOf(folding, 'C')).map((code) => code.toLowerCase())).size).toBe(9)
  })

  test.each<[body: object, key: string]>([
    [{ name: 'C' }, 'invalid_campaign'],
    [{ voucher: { type: 'DISCOUNT_VOUCHER', discount: tenOff } }, 'invalid_payload'],
    [{ name: '', voucher: { type: 'DISCOUNT_VOUCHER', discount: tenOff } }, 'invalid_payload'],
    [
      { name: 'C', campaign_type: 'GIFT_VOUCHERS', voucher: { type: 'DISCOUNT_VOUCHER', discount: tenOff } },
      'invalid_campaign',
    ],
    [{ name: 'C', voucher: { type: 'GIFT_VOUCHER' } }, 'invalid_campaign'],
    [{ name: 'C', voucher: { type: 'DISCOUNT_VOUCHER', discount: { type: 'AMOUNT' } } }, 'invalid_campaign'],
    [{ name: 'C', vouchers_count: -1, voucher: { type: 'DISCOUNT_VOUCHER', discount: tenOff } }, 'invalid_payload'],
    [
      { name: 'C', vouchers_count: 100_001, voucher: { type: 'DISCOUNT_VOUCHER', discount: tenOff } },
      'invalid_campaign',
    ],
    [{ name: 'C', type: 'STANDALONE', voucher: { type: 'DISCOUNT_VOUCHER', discount: tenOff } }, 'invalid_campaign'],
    [
      { name: 'C', type: 'STANDALONE', voucher: { type: 'LOYALTY_CARD', loyalty_card: { points: 1 }, code: 'X' } },
      'invalid_campaign',
    ],
    [
      {
        name: 'C',
        voucher: { type: 'DISCOUNT_VOUCHER', discount: tenOff },
        activity_duration_after_publishing: 'soon',
      },
      'invalid_payload',
    ],
    [
      {
        name: 'C',
        voucher: { type: 'DISCOUNT_VOUCHER', discount: tenOff },
        start_date: '2025-02-01',
        expiration_date: '2025-01-01',
      },
      'invalid_campaign',
    ],
    [
      { name: 'C', voucher: { type: 'DISCOUNT_VOUCHER', discount: tenOff }, validation_rules: ['a', 'b'] },
      'invalid_payload',
    ],
  ])('%j is refused', async (body, key) => {
    const shop = await newProject()
    expect(await shop.call('POST', '/v1/campaigns', body)).toMatchObject({ status: 400, body: { key } })
    expect((await shop.call('GET', '/v1/campaigns')).body.total).toBe(0)
    expect(await eventsOf(shop)).toEqual([])
  })

  test('a standalone campaign has exactly the given code', async () => {
    const shop = await newProject()
    const voucher = { type: 'DISCOUNT_VOUCHER', discount: tenOff, code: 'PUBLIC', code_config: { length: 3 } }
    const campaign = await newCampaign(shop, 'S', { type: 'STANDALONE', join_once: true, voucher })
    expect(campaign).toMatchObject({ type: 'STANDALONE', join_once: false, vouchers_count: 1, creation_status: 'DONE' })
    expect(campaign.voucher).not.toHaveProperty('code_config')
    expect(await getVoucher(shop, 'PUBLIC')).toMatchObject({ campaign: 'S', discount: tenOff })
    expect(await shop.call('POST', '/v1/campaigns', { name: 'T', type: 'STANDALONE', voucher })).toMatchObject({
      status: 409,
    })
    expect(await get(shop, 'T')).toMatchObject({ key: 'not_found' })
    const refused = {
      status: 400,
      body: { key: 'invalid_campaign', details: 'You can not generate vouchers for STANDALONE type campaign.' },
    }
    expect(await shop.call('POST', '/v1/campaigns/S/vouchers')).toMatchObject(refused)
    expect(
      await shop.call('POST', '/v1/vouchers', { type: 'DISCOUNT_VOUCHER', discount: tenOff, campaign: 'S' }),
    ).toMatchObject(refused)
    expect(await shop.call('POST', '/v1/campaigns/S/vouchers/PUBLIC2', {})).toMatchObject({ status: 200 })
    expect((await shop.call('PUT', '/v1/campaigns/S', { type: 'STATIC', join_once: true })).body).toMatchObject({
      type: 'STANDALONE',
      join_once: false,
    })
  })
})

describe('adding vouchers', () => {
  test('one immediately, five in a job, one with a given code', async () => {
    const shop = await newProject()
    await newCampaign(shop, 'Autumn', {
      voucher: { type: 'DISCOUNT_VOUCHER', discount: { type: 'AMOUNT', amount_off: 700 } },
    })
    const one = await shop.call('POST', '/v1/campaigns/Autumn/vouchers')
    expect(one).toMatchObject({
      status: 200,
      body: { campaign: 'Autumn', discount: { amount_off: 700 }, object: 'voucher' },
    })
    const five = await shop.call('POST', '/v1/campaigns/Autumn/vouchers?vouchers_count=5', {
      metadata: { a: 1 },
      active: false,
    })
    expect(five).toMatchObject({ status: 202, body: { async_action_id: expect.stringMatching(/^aa_/) } })
    expect(await get(shop, 'Autumn')).toMatchObject({ creation_status: 'IN_PROGRESS' })
    await runCampaignJobs(shop)
    expect(await get(shop, 'Autumn')).toMatchObject({ creation_status: 'DONE', vouchers_count: 6 })
    expect(
      (
        await shop.call(
          'GET',
          '/v1/vouchers?filters[metadata.a][conditions][$is]=1&filters[active][conditions][$disabled]=',
        )
      ).body.total,
    ).toBe(5)
    const own = { active: false, redemption: { quantity: 2 } }
    expect(await shop.call('POST', '/v1/campaigns/Autumn/vouchers/FALL-1', own)).toMatchObject({
      status: 200,
      body: { code: 'FALL-1', active: false, redemption: { quantity: 2 }, discount: { amount_off: 700 } },
    })
    expect(await shop.call('POST', '/v1/campaigns/Autumn/vouchers/FALL-1', own)).toMatchObject({ status: 409 })
    expect(await shop.call('POST', '/v1/campaigns/Autumn/vouchers', { code: 'FALL-2' })).toMatchObject({
      body: { code: 'FALL-2' },
    })
    expect(await shop.call('POST', '/v1/campaigns/Autumn/vouchers?vouchers_count=2', { code: 'FALL-3' })).toMatchObject(
      {
        status: 400,
        body: { key: 'invalid_payload' },
      },
    )
    expect(await shop.call('POST', '/v1/campaigns/Autumn/vouchers?vouchers_count=0')).toMatchObject({ status: 400 })
    const config = { code_config: { pattern: 'SPRING-##' } }
    expect((await shop.call('POST', '/v1/campaigns/Autumn/vouchers', config)).body.code).toMatch(/^SPRING-..$/)
    expect((await get(shop, 'Autumn')).voucher.code_config.pattern).toBe('########')
  })

  test('the voucher limit of the project includes vouchers of queued jobs', async () => {
    const shop = await newProject()
    const limits = await shop.manage('PUT', '/limits', { campaign_vouchers: 5 })
    expect(limits).toMatchObject({ status: 200 })
    await newCampaign(shop, 'C', { vouchers_count: 3 })
    const add = (count: number) => shop.call('POST', `/v1/campaigns/C/vouchers?vouchers_count=${count}`)
    const refused = {
      status: 400,
      body: { key: 'invalid_campaign', details: 'A campaign can have at most 5 vouchers' },
    }
    expect(await add(3)).toMatchObject(refused)
    expect(await add(2)).toMatchObject({ status: 202 })
    expect(await add(1)).toMatchObject(refused)
    await runCampaignJobs(shop)
    expect(await get(shop, 'C')).toMatchObject({ vouchers_count: 5 })
    expect(await add(1)).toMatchObject(refused)
    expect(
      await shop.call('POST', '/v1/vouchers', { type: 'DISCOUNT_VOUCHER', discount: tenOff, campaign: 'C' }),
    ).toMatchObject(refused)
    const [code] = await codesOf(shop, 'C')
    await shop.call('DELETE', `/v1/vouchers/${code}`)
    expect(await add(1)).toMatchObject({ status: 200 })
  })

  test('vouchers created by publications do not count towards the limit, nor does their deletion', async () => {
    const shop = await newProject()
    await shop.manage('PUT', '/limits', { campaign_vouchers: 2 })
    await newCampaign(shop, 'C', { type: 'AUTO_UPDATE' })
    for (const sourceId of ['a', 'b', 'c']) {
      const { body } = await shop.call('POST', '/v1/publications', { campaign: 'C', customer: { source_id: sourceId } })
      if (sourceId !== 'c') await shop.call('DELETE', `/v1/vouchers/${body.voucher.code}`)
    }
    const add = () => shop.call('POST', '/v1/campaigns/C/vouchers')
    expect([(await add()).status, (await add()).status, (await add()).status]).toEqual([200, 200, 400])
    expect((await get(shop, 'C')).vouchers_count).toBe(3)
  })

  test('a job that runs out of free codes keeps the vouchers it created, and fails', async () => {
    const shop = await newProject()
    const codeConfig = { charset: '01', pattern: '###' }
    const voucher = { type: 'DISCOUNT_VOUCHER', discount: tenOff, code_config: codeConfig }
    await newCampaign(shop, 'C', { vouchers_count: 8, voucher })
    await newVoucher(shop, '010') // after the job was accepted
    await runCampaignJobs(shop)
    expect(await get(shop, 'C')).toMatchObject({ creation_status: 'FAILED', vouchers_generation_status: 'FAILED' })
    expect(await lastAction(shop)).toMatchObject({ status: 'FAILED', operation_status: 'FAILED' })
    expect((await eventsOf(shop)).at(-1)).toBe('campaign.vouchers.generation.failed')
    expect(await codesOf(shop, 'C')).toHaveLength(7)
    expect((await get(shop, 'C')).vouchers_count).toBe(7)
    expect(await shop.call('POST', '/v1/campaigns/C/vouchers/OTHER', {})).toMatchObject({ status: 200 })
  })
})

describe('an update of a campaign', () => {
  test('updates unpublished, unredeemed vouchers and no others', async () => {
    const shop = await newProject()
    await newCampaign(shop, 'C', { expiration_date: '2040-12-31' })
    for (const code of ['A', 'B', 'CC', 'D', 'E', 'F']) await shop.call('POST', `/v1/campaigns/C/vouchers/${code}`, {})
    await publish(shop, 'A')
    await publish(shop, 'B')
    await redeem(shop, 'B')
    await redeem(shop, 'CC')
    const put = (body: object) => shop.call('PUT', '/v1/campaigns/C', body)
    const dates = async () =>
      (await shop.call('GET', '/v1/vouchers?order=code')).body.vouchers.map(
        (each: { expiration_date: string | null }) => each.expiration_date?.slice(0, 10) ?? null,
      )
    expect(await put({ expiration_date: '2041-01-31T00:00:00Z' })).toMatchObject({
      status: 200,
      body: { creation_status: 'MODIFYING', vouchers_generation_status: 'MODIFYING', updated_at: instant },
    })
    await runCampaignJobs(shop)
    expect(await dates()).toEqual(['2040-12-31', '2040-12-31', '2040-12-31', '2041-01-31', '2041-01-31', '2041-01-31'])
    expect(await lastAction(shop)).toMatchObject({
      type: 'CAMPAIGN.VOUCHERS_UPDATE',
      result: { message: 'Updated 3 vouchers.', done_count: 3 },
    })
    expect(await get(shop, 'C')).toMatchObject({ creation_status: 'DONE' })
    expect((await put({ expiration_date: null })).body).not.toHaveProperty('expiration_date')
    await runCampaignJobs(shop)
    expect(await dates()).toEqual(['2040-12-31', '2040-12-31', '2040-12-31', null, null, null])
    expect((await eventsOf(shop)).filter((type) => type === 'voucher.updated')).toEqual([])
  })

  test('applies the fields that were sent, even over edited ones, and nothing else', async () => {
    const shop = await newProject()
    await newCampaign(shop, 'C', { metadata: { a: 1, b: 1 }, category: 'Old', validity_day_of_week: [1] })
    await shop.call('POST', '/v1/campaigns/C/vouchers/PLAIN', {})
    await shop.call('POST', '/v1/campaigns/C/vouchers/OWN', { metadata: { b: 2, c: 2 }, additional_info: 'mine' })
    await shop.call('PUT', '/v1/vouchers/OWN', {
      discount: { type: 'PERCENT', percent_off: 50 },
      validity_day_of_week: [2],
    })
    const change = {
      discount: { type: 'PERCENT', percent_off: 15 },
      metadata: { a: 5 },
      unset_metadata_fields: ['b'],
      category: 'New',
      default_voucher_redemption: { quantity: 4 },
    }
    expect((await shop.call('PUT', '/v1/campaigns/C', change)).body).toMatchObject({
      metadata: { a: 5 },
      category: 'New',
      voucher: { discount: { percent_off: 15 }, redemption: { quantity: 4 } },
    })
    await runCampaignJobs(shop)
    const propagated = { discount: { type: 'PERCENT', percent_off: 15 }, category: 'New', redemption: { quantity: 4 } }
    expect(await getVoucher(shop, 'PLAIN')).toMatchObject({
      ...propagated,
      metadata: { a: 5 },
      validity_day_of_week: [1],
    })
    const own = await getVoucher(shop, 'OWN')
    expect(own).toMatchObject({ ...propagated, validity_day_of_week: [2], additional_info: 'mine' })
    expect(own.metadata).toEqual({ a: 5, c: 2 })
    expect((await shop.call('POST', '/v1/campaigns/C/vouchers/NEXT', {})).body).toMatchObject({
      ...propagated,
      metadata: { a: 5 },
    })
  })

  test('of a gift amount replaces amount and balance of unused cards, and the postings agree', async () => {
    const shop = await newProject()
    await newCampaign(shop, 'G', { voucher: { type: 'GIFT_VOUCHER', gift: { amount: 1000 } } })
    for (const code of ['G1', 'G2', 'G3']) await shop.call('POST', `/v1/campaigns/G/vouchers/${code}`, {})
    await shop.call('POST', '/v1/vouchers/G2/balance', { amount: 500 })
    await shop.call('POST', '/v1/vouchers/G2/balance', { amount: -200 })
    await publish(shop, 'G3')
    await shop.call('PUT', '/v1/campaigns/G', { gift: { amount: 700, effect: 'APPLY_TO_ITEMS' } })
    await runCampaignJobs(shop)
    const changed = { amount: 700, subtracted_amount: 0, balance: 700, effect: 'APPLY_TO_ITEMS' }
    expect((await getVoucher(shop, 'G1')).gift).toEqual(changed)
    expect((await getVoucher(shop, 'G2')).gift).toEqual(changed)
    expect((await getVoucher(shop, 'G3')).gift).toEqual({ amount: 1000, subtracted_amount: 0, balance: 1000 })
    const { db } = shop.service.runtime.database
    const postings = await db.selectFrom('postings').where('project_id', '=', shop.project_id).selectAll().execute()
    for (const code of ['G1', 'G2', 'G3']) {
      const { id, gift } = await getVoucher(shop, code)
      const own = postings.filter(({ voucher_id }) => voucher_id === id)
      expect(own.reduce((sum, { destination, amount }) => sum + (destination === id ? amount : -amount), 0)).toBe(
        gift.balance,
      )
    }
  })

  test('updates vouchers that a queued job has yet to create', async () => {
    const shop = await newProject()
    await newCampaign(shop, 'C', { vouchers_count: 3 })
    const change = { discount: { type: 'PERCENT', percent_off: 20 } }
    expect((await shop.call('PUT', '/v1/campaigns/C', change)).body.creation_status).toBe('MODIFYING')
    await runCampaignJobs(shop)
    const { vouchers } = (await shop.call('GET', '/v1/vouchers?campaign=C')).body
    expect(vouchers.map((each: { discount: object }) => each.discount)).toEqual(Array(3).fill(change.discount))
    expect(await get(shop, 'C')).toMatchObject({ creation_status: 'DONE', vouchers_count: 3 })
  })

  test('of a gift amount does not change a card that was used before its import', async () => {
    const shop = await newProject()
    await newCampaign(shop, 'G', { voucher: { type: 'GIFT_VOUCHER', gift: { amount: 1000 } } })
    await shop.call('POST', '/v1/campaigns/G/vouchers/NEW', {})
    await shop.call('POST', '/v1/campaigns/G/vouchers/USED', {})
    await shop.service.runtime.database.db
      .updateTable('vouchers')
      .set({ credits_redeemed: 900 })
      .where('project_id', '=', shop.project_id)
      .where('code', '=', 'USED')
      .execute()
    await shop.call('PUT', '/v1/campaigns/G', { gift: { amount: 500 } })
    await runCampaignJobs(shop)
    expect(await get(shop, 'G')).toMatchObject({ creation_status: 'DONE' })
    expect((await getVoucher(shop, 'NEW')).gift.amount).toBe(500)
    expect((await getVoucher(shop, 'USED')).gift).toMatchObject({ amount: 1000, balance: 100 })
  })

  test('that leaves a voucher with inconsistent dates does not block its next update', async () => {
    const shop = await newProject()
    await newCampaign(shop, 'C', { start_date: '2024-01-01', expiration_date: '2050-01-01' })
    await shop.call('POST', '/v1/campaigns/C/vouchers/V', { start_date: '2045-01-01' })
    await shop.call('PUT', '/v1/campaigns/C', { expiration_date: '2040-01-01' })
    await runCampaignJobs(shop)
    expect(await shop.call('PUT', '/v1/vouchers/V', { additional_info: 'x' })).toMatchObject({ status: 200 })
    expect(await shop.call('PUT', '/v1/vouchers/V', { start_date: '2046-01-01' })).toMatchObject({ status: 400 })
  })

  test('starts no job if no voucher can change or nothing propagates', async () => {
    const shop = await newProject()
    await newCampaign(shop, 'C')
    expect((await shop.call('PUT', '/v1/campaigns/C', { expiration_date: '2040-01-01' })).body.creation_status).toBe(
      'DONE',
    )
    await shop.call('POST', '/v1/campaigns/C/vouchers/A', {})
    const quiet = {
      description: 'x',
      join_once: true,
      type: 'AUTO_UPDATE',
      activity_duration_after_publishing: 'P1D',
      name: 'Y',
      active: false,
    }
    expect((await shop.call('PUT', '/v1/campaigns/C', quiet)).body).toMatchObject({
      creation_status: 'DONE',
      name: 'C',
      active: true,
      description: 'x',
      join_once: true,
      type: 'AUTO_UPDATE',
      activity_duration_after_publishing: 'P1D',
    })
    expect((await shop.call('GET', '/v1/async-actions')).body.async_actions).toEqual([])
  })

  test.each<[body: object, key: string]>([
    [{ discount: { type: 'AMOUNT', amount_off: 5 } }, 'invalid_campaign'],
    [{ discount: null }, 'invalid_payload'],
    [{ metadata: null }, 'invalid_payload'],
    [{ join_once: null }, 'invalid_payload'],
    [{ validity_timeframe: { interval: 'P1D', duration: 'PT1H' } }, 'invalid_campaign'],
    [{ expiration_date: 'tomorrow' }, 'invalid_payload'],
  ])('%j is refused and changes nothing', async (body, key) => {
    const shop = await newProject()
    const before = await newCampaign(shop, 'C', { vouchers_count: 1 })
    expect(await shop.call('PUT', '/v1/campaigns/C', body)).toMatchObject({ status: 400, body: { key } })
    expect(await get(shop, 'C')).toEqual(before)
  })

  test('is refused for a protected campaign, as is its deletion', async () => {
    const shop = await newProject()
    const { id } = await newCampaign(shop, 'C')
    await shop.service.runtime.database.db
      .updateTable('campaigns')
      .set({ protected: true })
      .where('id', '=', id)
      .execute()
    const refused = { status: 400, body: { key: 'resource_protected' } }
    expect(await shop.call('PUT', '/v1/campaigns/C', { description: 'x' })).toMatchObject(refused)
    expect(await shop.call('DELETE', '/v1/campaigns/C')).toMatchObject(refused)
  })
})

test('enabling and disabling return an empty body, and emit an event only on a change', async () => {
  const shop = await newProject()
  await newCampaign(shop, 'C', { vouchers_count: 1 })
  for (const word of ['disable', 'disable', 'enable', 'enable'])
    expect(await shop.call('POST', `/v1/campaigns/C/${word}`)).toMatchObject({ status: 200, body: {} })
  await shop.call('POST', '/v1/campaigns/C/disable')
  expect(await get(shop, 'C')).toMatchObject({ active: false })
  const [code] = await codesOf(shop, 'C')
  expect(await getVoucher(shop, code as string)).toMatchObject({ active: true })
  expect((await eventsOf(shop)).slice(2)).toEqual(['campaign.disabled', 'campaign.enabled', 'campaign.disabled'])
})

describe('deleting a campaign', () => {
  test('hides it and its vouchers at once; its name and codes stay taken in the bin', async () => {
    const shop = await newProject()
    const { id } = await newCampaign(shop, 'C')
    await shop.call('POST', '/v1/campaigns/C/vouchers/A', {})
    await shop.call('POST', '/v1/campaigns/C/vouchers/B', {})
    await newVoucher(shop, 'ALONE')
    expect(await shop.call('DELETE', '/v1/campaigns/C')).toMatchObject({
      status: 202,
      body: { async_action_id: expect.stringMatching(/^aa_/) },
    })
    expect(await shop.call('GET', '/v1/campaigns/C')).toMatchObject({ status: 404 })
    expect(await shop.call('GET', '/v1/vouchers/A')).toMatchObject({ status: 404 })
    expect((await shop.call('GET', '/v1/vouchers')).body).toMatchObject({ total: 1, vouchers: [{ code: 'ALONE' }] })
    await runCampaignJobs(shop)
    expect(await lastAction(shop)).toMatchObject({
      type: 'CAMPAIGN.VOUCHERS_DELETE',
      status: 'DONE',
      result: { message: 'Deleted 2 vouchers.', done_count: 2 },
    })
    const voucher = { type: 'DISCOUNT_VOUCHER', discount: tenOff }
    expect(await shop.call('POST', '/v1/campaigns', { name: 'C', voucher })).toMatchObject({ status: 409 })
    expect(await shop.call('POST', '/v1/vouchers/A', { discount: tenOff })).toMatchObject({ status: 409 })
    const { data } = (await shop.call('GET', '/v1/trash-bin')).body
    expect(data).toMatchObject([{ resource_type: 'campaign', resource_id: id, resource_name: 'C' }])
    expect(await shop.call('DELETE', `/v1/trash-bin/${data[0].id}`)).toMatchObject({ status: 204 })
    await newCampaign(shop, 'C')
    await newVoucher(shop, 'A')
    expect((await eventsOf(shop)).filter((type) => type.endsWith('.deleted'))).toEqual(['campaign.deleted'])
  })

  test('with force frees its name and codes once the job is done, with all dependent rows', async () => {
    const shop = await newProject()
    await newCampaign(shop, 'C', { voucher: { type: 'GIFT_VOUCHER', gift: { amount: 100 } } })
    await shop.call('POST', '/v1/campaigns/C/vouchers/A', {})
    await shop.call('POST', '/v1/campaigns/C/vouchers/BINNED', {})
    await shop.call('POST', '/v1/vouchers/A/balance', { amount: 5 })
    await shop.call('DELETE', '/v1/vouchers/BINNED')
    await publish(shop, 'A')
    expect(await shop.call('DELETE', '/v1/campaigns/C?force=true')).toMatchObject({ status: 202 })
    await runCampaignJobs(shop)
    expect(await lastAction(shop)).toMatchObject({ result: { message: 'Deleted 2 vouchers.' } })
    expect((await shop.call('GET', '/v1/trash-bin')).body.data).toEqual([])
    const { db } = shop.service.runtime.database
    for (const table of [
      'vouchers',
      'holders',
      'publications',
      'voucher_transactions',
      'postings',
      'campaigns',
    ] as const)
      expect(await db.selectFrom(table).where('project_id', '=', shop.project_id).selectAll().execute(), table).toEqual(
        [],
      )
    await newCampaign(shop, 'C')
    await newVoucher(shop, 'A')
    expect((await shop.call('GET', '/v1/vouchers')).body.total).toBe(1)
  })

  test('while vouchers are being generated ends that job too', async () => {
    const shop = await newProject()
    await newCampaign(shop, 'C', { vouchers_count: 50 })
    await shop.call('DELETE', '/v1/campaigns/C?force=true')
    await runCampaignJobs(shop)
    expect(
      await shop.service.runtime.database.db
        .selectFrom('vouchers')
        .where('project_id', '=', shop.project_id)
        .selectAll()
        .execute(),
    ).toEqual([])
    expect((await shop.call('GET', '/v1/vouchers')).body.total).toBe(0)
    await newCampaign(shop, 'C')
  })
})

describe('GET /v1/campaigns', () => {
  test('pages through the list in every order', async () => {
    const shop = await newProject()
    await expectStablePaging({
      shop,
      path: '/v1/campaigns',
      orders: ['-created_at', 'created_at', 'updated_at', '-updated_at'],
      data_ref: 'campaigns',
      async create(n) {
        const { id } = await newCampaign(shop, `C${n}`)
        if (n % 3 === 0) await shop.call('PUT', `/v1/campaigns/C${n}`, { description: 'x' })
        return id
      },
    })
  })

  test('finds campaigns by every parameter and filter', async () => {
    const shop = await newProject()
    const { id } = await newCampaign(shop, 'Static', {
      category: 'Cat',
      metadata: { size: 1 },
      expiration_date: '2020-01-01',
    })
    await newCampaign(shop, 'Auto', { type: 'AUTO_UPDATE', validity_day_of_week: [2], start_date: '2099-01-01' })
    await newCampaign(shop, 'Alone', {
      type: 'STANDALONE',
      voucher: { type: 'GIFT_VOUCHER', gift: { amount: 1 }, code: 'X' },
    })
    await newCampaign(shop, 'Refer', { campaign_type: 'REFERRAL_PROGRAM' })
    await newCampaign(shop, 'Busy', { vouchers_count: 2 })
    await shop.call('POST', '/v1/campaigns/Alone/disable')
    const found = async (query: string) => {
      const { status, body } = await shop.call('GET', `/v1/campaigns?order=created_at&${query}`)
      expect({ status, body }).toMatchObject({ status: 200 })
      expect(body.total).toBe(body.campaigns.length)
      return body.campaigns.map(({ name }: { name: string }) => name).join()
    }
    const filter = (text: string) => found(text.replaceAll('f[', 'filters['))
    expect(await found('')).toBe('Static,Auto,Alone,Refer,Busy')
    expect(await found('campaign_type=GIFT_VOUCHERS')).toBe('Alone')
    expect(await found('campaign_status=IN_PROGRESS')).toBe('Busy')
    expect(await found('is_referral_code=true')).toBe('Refer')
    expect(await filter('f[campaigns][conditions][$contains]=u')).toBe('Auto,Busy')
    expect(await filter(`f[campaigns_id][conditions][$is]=${id}`)).toBe('Static')
    expect(await filter('f[status][$in_progress]=')).toBe('Busy')
    expect(await filter('f[status][before_start]=')).toBe('Auto')
    expect(await filter('f[status][conditions][$expired]=')).toBe('Static')
    expect(await filter('f[active][conditions][$disabled]=')).toBe('Alone')
    expect(await filter('f[active][$expired]=')).toBe('Static')
    expect(await filter('f[active][conditions][$active]=')).toBe('Refer,Busy')
    expect(await filter('f[is_referral_code][conditions][$is]=TRUE')).toBe('Refer')
    expect(await filter('f[voucher_type][conditions][$is]=GIFT_VOUCHER')).toBe('Alone')
    expect(await filter('f[type][conditions][$in][0]=BULK')).toBe('Static,Auto,Refer,Busy')
    expect(await filter('f[type][conditions][$not_in][0]=AUTO_UPDATE&f[type][conditions][$not_in][1]=STANDALONE')).toBe(
      'Static,Refer,Busy',
    )
    expect(await filter('f[categories][conditions][$is]=Cat')).toBe('Static')
    expect(await filter('f[start_date][conditions][$has_value]=')).toBe('Auto')
    expect(await filter('f[validity_day_of_week][conditions][$is]=1')).toBe('Static,Alone,Refer,Busy')
    expect(await filter('f[metadata.size][conditions][$is]=1')).toBe('Static')
    const [plain] = (await shop.call('GET', '/v1/campaigns?order=created_at')).body.campaigns
    expect(plain).toMatchObject({ category: 'Cat', categories: [] })
    expect(plain).not.toHaveProperty('validation_rules_assignments')
    const [expanded] = (await shop.call('GET', '/v1/campaigns?order=created_at&expand=category')).body.campaigns
    expect(expanded.categories).toMatchObject([{ name: 'Cat' }])
  })
})

describe('the summary of a campaign', () => {
  test('sums up events by day in the time zone of the project', async () => {
    const shop = await newProject({ project: { timezone: 'Asia/Tokyo' } })
    await newCampaign(shop, 'G', { vouchers_count: 3, voucher: { type: 'GIFT_VOUCHER', gift: { amount: 1000 } } })
    await runCampaignJobs(shop)
    const [one, two] = (await codesOf(shop, 'G')) as [string, string]
    await shop.call('POST', `/v1/vouchers/${one}/balance`, { amount: 300 })
    await shop.call('POST', `/v1/vouchers/${one}/balance`, { amount: -50 })
    await shop.call('DELETE', `/v1/vouchers/${one}`)
    await publish(shop, two)
    const today = new Intl.DateTimeFormat('sv', { timeZone: 'Asia/Tokyo' }).format(new Date())
    const expected = {
      object: 'campaign_summary',
      campaign: { name: 'G', vouchers_count: 2, categories: [] },
      vouchers_created: 3,
      vouchers_deleted: 1,
      publications: 1,
      publications_succeeded: 1,
      publications_failed: 0,
      created_vouchers_amount: 3000,
      amount_added: 300,
      amount_subtracted: 50,
      amount_redeemed: 0,
      amount_rolledback: 0,
      amount_deleted: 1250,
      redemptions: 0,
      validations: 0,
      rollbacks: 0,
      orders_amount: 0,
    }
    const summary = async (query: string) => (await shop.call('GET', `/v1/campaigns/G/summary${query}`)).body
    expect(await summary('')).toMatchObject(expected)
    expect(await summary(`?start_date=${today}&end_date=${today}`)).toMatchObject(expected)
    expect(await summary('?end_date=2020-01-01')).toMatchObject({ vouchers_created: 0, amount_added: 0 })
    expect(await summary('?start_date=2099-01-01')).toMatchObject({ vouchers_created: 0, amount_added: 0 })
    expect(await shop.call('GET', '/v1/campaigns/G/summary?start_date=2025-02-01&end_date=2025-01-01')).toMatchObject({
      status: 400,
    })
    expect(await shop.call('GET', '/v1/campaigns/G/summary?start_date=yesterday')).toMatchObject({ status: 400 })
    expect(await summary('')).not.toHaveProperty('points_added')
    expect((await summary('')).campaign).not.toHaveProperty('validation_rules_assignments')
  })

  test('sums up redemptions gross by day, and counts failures and rollbacks', async () => {
    const shop = await newProject()
    const { db } = shop.service.runtime.database
    const voucher = { type: 'GIFT_VOUCHER', gift: { amount: 1000 } }
    const { id } = await newCampaign(shop, 'G', { voucher })
    const card = (await shop.call('POST', '/v1/campaigns/G/vouchers/IN', {})).body
    const used = { ...ofVoucher(card), orders_amount: 5000, discounted_amount: 700, amount: 700 }
    const [first] = [
      await newRedemption(shop, { ...used, created_at: '2026-01-01T10:00:00.000Z' }),
      await newRedemption(shop, { ...used, amount: 100, created_at: '2026-01-02T10:00:00.000Z' }),
    ]
    await foldUsage(db, 1_000)
    await newRedemption(shop, { ...used, amount: 30, created_at: '2026-01-02T11:00:00.000Z' })
    await newRedemption(shop, {
      ...used,
      object: 'redemption_rollback',
      redemption_id: first,
      amount: -700,
      created_at: '2026-01-01T10:00:00.000Z',
    })
    await tallyMany(db, shop.project_id, [
      [`campaign/${id}/2026-01-02/redemptions_failed`, 2],
      [`campaign/${id}/2026-01-03/rollbacks_succeeded`, 1],
      [`campaign/${id}/2026-01-03/amount_rolledback`, 700],
      [`campaign/${id}/2026-01-03/orders_rolledback_amount`, 5000],
    ])
    const summary = async (query: string) => (await shop.call('GET', `/v1/campaigns/G/summary${query}`)).body
    expect(await summary('')).toMatchObject({
      redemptions: 5,
      redemptions_succeeded: 3,
      redemptions_failed: 2,
      rollbacks: 1,
      orders_amount: 15_000,
      orders_rolledback_amount: 5000,
      amount_redeemed: 830,
      amount_rolledback: 700,
    })
    expect(await summary('?start_date=2026-01-02')).toMatchObject({
      redemptions: 4,
      orders_amount: 10_000,
      amount_redeemed: 130,
    })
    expect(await summary('?end_date=2026-01-01')).toMatchObject({
      redemptions: 1,
      rollbacks: 0,
      orders_amount: 5000,
      amount_redeemed: 700,
    })
    expect(await summary('')).not.toHaveProperty('discounted_amount')
  })

  test.each([
    [{}, 'discounted_amount', 700],
    [
      {
        voucher: { type: 'LOYALTY_CARD', loyalty_card: { points: 9 } },
      },
      'points_redeemed',
      5,
    ],
  ])('a redemption in a campaign with %j counts as %s', async (more, name, value) => {
    const shop = await newProject()
    const { id: campaignId } = await newCampaign(shop, 'C', more)
    const of = ofVoucher({ id: 'v_1', code: 'A', campaign_id: campaignId })
    await newRedemption(shop, { ...of, discounted_amount: 700, amount: 5 })
    expect((await shop.call('GET', '/v1/campaigns/C/summary')).body).toMatchObject({ [name]: value, redemptions: 1 })
  })

  test('of amounts beyond the safe integers is capped, and tallies are still merged', async () => {
    const shop = await newProject()
    const voucher = { type: 'GIFT_VOUCHER', gift: { amount: Number.MAX_SAFE_INTEGER } }
    await newCampaign(shop, 'G', { vouchers_count: 1500, voucher })
    await runCampaignJobs(shop)
    const { db } = shop.service.runtime.database
    await foldTallies(db, 100_000)
    const { body } = await shop.call('GET', '/v1/campaigns/G/summary')
    expect(body).toMatchObject({ vouchers_created: 1500, created_vouchers_amount: Number.MAX_SAFE_INTEGER })
  })

  test.each<[type: object, has: string[], hasNot: string[]]>([
    [
      { campaign_type: 'PROMOTION', voucher: null },
      ['discounted_amount', 'redemptions'],
      ['vouchers_created', 'publications'],
    ],
    [{}, ['discounted_amount', 'vouchers_created', 'publications'], ['amount_added', 'referred_customers']],
    [{ campaign_type: 'REFERRAL_PROGRAM' }, ['referred_customers', 'vouchers_created'], ['amount_added']],
    [
      { voucher: { type: 'LOYALTY_CARD', loyalty_card: { points: 1 } } },
      ['created_vouchers_points', 'points_added', 'pending_points_canceled', 'points_transferred_out'],
      ['amount_added', 'discounted_amount'],
    ],
  ])('%j has the figures of its type only', async (more, has, hasNot) => {
    const shop = await newProject()
    await newCampaign(shop, 'C', more)
    const { body } = await shop.call('GET', '/v1/campaigns/C/summary')
    for (const name of has) expect(body).toHaveProperty(name, 0)
    for (const name of hasNot) expect(body).not.toHaveProperty(name)
  })
})

test('the transactions of a campaign are those of its cards', async () => {
  const shop = await newProject()
  const { id } = await newCampaign(shop, 'G', { voucher: { type: 'GIFT_VOUCHER', gift: { amount: 1000 } } })
  await newCampaign(shop, 'D')
  for (const code of ['A', 'B']) {
    await shop.call('POST', `/v1/campaigns/G/vouchers/${code}`, {})
    await shop.call('POST', `/v1/vouchers/${code}/balance`, { amount: 1 })
  }
  await newVoucher(shop, 'ALONE', { type: 'GIFT_VOUCHER', gift: { amount: 1 } })
  await shop.call('POST', '/v1/vouchers/ALONE/balance', { amount: 1 })
  const { data } = (await shop.call('GET', '/v1/campaigns/G/transactions')).body
  expect(data.map((each: { campaign_id: string }) => each.campaign_id)).toEqual([id, id])
  const { id: voucherId } = await getVoucher(shop, 'B')
  const one = (await shop.call('GET', `/v1/campaigns/G/transactions?filters[voucher_id][conditions][$is]=${voucherId}`))
    .body
  expect(one.data).toEqual(data.filter((each: { voucher_id: string }) => each.voucher_id === voucherId))
  expect(one.data).toHaveLength(1)
  expect((await shop.call('GET', '/v1/campaigns/D/transactions')).body).toEqual({
    object: 'list',
    data_ref: 'data',
    data: [],
    has_more: false,
    total: 0,
  })
  expect(await shop.call('POST', '/v1/campaigns/D/transactions/export', {})).toMatchObject({
    status: 403,
    body: { key: 'forbidden', details: 'Transactions are allowed only for loyalty or gift campaigns' },
  })
})
