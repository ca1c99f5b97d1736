import type { Ctx } from '../../core/context.ts'
import { operation, operationPair } from '../../core/http/operation.ts'
import { listed } from '../../core/query/list.ts'
import { assignHolders, unassignHolder } from './assign-holders.ts'
import { changeReferralTier, createReferralTier, removeReferralTier, type TierInProgram } from './change-tiers.ts'
import { toRedeemableHolder } from './holder.ts'
import {
  CreateReferralTier,
  RedeemableHolderList,
  RedeemableHolderQuery,
  ReferralHolders,
  ReferralHoldersBody,
  ReferralTier,
  ReferralTierList,
  ReferralTierQuery,
  UpdateReferralTier,
} from './schema.ts'
import { getHolder, getReferralCode, getReferralProgram, listHolders } from './store.ts'
import { toReferralTier } from './tier.ts'
import { getReferralTier, listReferralTiers } from './tier-store.ts'

const holders = [
  ...operationPair({
    id: 'addReferralHoldersInCampaign',
    method: 'POST',
    path: '/v1/referrals/{campaignId}/members/{memberId}/holders',
    summary: 'Give a referral code to referees',
    second: { id: 'addReferralHolders', path: '/v1/referrals/members/{memberId}/holders' },
    description:
      'Up to 100 customers, known or new, and all of them or none. They hold the code from now on; that they were referred is ' +
      'known when they convert. The code has to be published to its referrer before.',
    body: ReferralHoldersBody,
    reply: ReferralHolders,
    errors: [
      'invalid_payload',
      'not_found',
      'not_published',
      'metadata_validation_failed',
      'duplicate_found',
      'holder_assignement_duplication',
    ],
    target: (ctx, { params }) => getReferralCode(ctx, params),
    run: (ctx, { target, body }) => assignHolders(ctx, target, body),
  }),
  ...operationPair({
    id: 'listReferralHoldersInCampaign',
    method: 'GET',
    path: '/v1/referrals/{campaignId}/members/{memberId}/holders',
    summary: 'List the holders of a referral code',
    description: 'Who recommends with the code, and who was recommended.',
    second: { id: 'listReferralHolders', path: '/v1/referrals/members/{memberId}/holders' },
    query: RedeemableHolderQuery,
    reply: RedeemableHolderList,
    errors: ['invalid_query_params', 'not_found'],
    target: (ctx, { params }) => getReferralCode(ctx, params),
    run: async (ctx, { target, query }) => {
      const { rows, ...rest } = await listHolders(ctx, target.code.id, query)
      const holders = rows.map((holder) => toRedeemableHolder(holder, target))
      return listed('data', holders, rest)
    },
  }),
  ...operationPair({
    id: 'removeReferralHolderInCampaign',
    method: 'DELETE',
    path: '/v1/referrals/{campaignId}/members/{memberId}/holders/{holderId}',
    summary: 'Take a referral code from a referee',
    second: { id: 'removeReferralHolder', path: '/v1/referrals/members/{memberId}/holders/{holderId}' },
    description: 'What the referee converted stays converted. The referrer cannot be removed.',
    reply: null,
    errors: ['not_found', 'forbidden'],
    target: async (ctx, { params }) => {
      const held = await getReferralCode(ctx, params)
      return { ...held, holder: await getHolder(ctx, held.code.id, params.holderId) }
    },
    run: (ctx, { target }) => unassignHolder(ctx, target),
  }),
]

/** A tier by its program and its id; a request that changes it locks the program exclusively. */
async function tierIn(
  ctx: Ctx,
  { campaignId, tierId }: { campaignId: string; tierId: string },
  options: { lock?: 'update' } = {},
): Promise<TierInProgram> {
  const program = await getReferralProgram(ctx, campaignId, options)
  return { program, tier: await getReferralTier(ctx, program.id, tierId) }
}

const tiers = [
  operation({
    id: 'listReferralTiers',
    method: 'GET',
    path: '/v1/referrals/{campaignId}/tiers',
    summary: 'List the tiers of a referral program',
    description: 'What customers get who recommend the shop, page by page.',
    query: ReferralTierQuery,
    reply: ReferralTierList,
    errors: ['invalid_query_params', 'not_found'],
    target: (ctx, { params }) => getReferralProgram(ctx, params.campaignId),
    run: async (ctx, { target, query }) => {
      const { rows, total } = await listReferralTiers(ctx, target.id, query)
      return listed('data', rows.map(toReferralTier), { total })
    },
  }),
  operation({
    id: 'createReferralTier',
    method: 'POST',
    path: '/v1/referrals/{campaignId}/tiers',
    summary: 'Add a tier to a referral program',
    description:
      'What those get who refer others: for each referee, or once when there are so many. A segment is asked whether the ' +
      'referrer is in it.',
    body: CreateReferralTier,
    reply: ReferralTier,
    errors: ['invalid_payload', 'not_found', 'resource_protected'],
    target: (ctx, { params }) => getReferralProgram(ctx, params.campaignId, { lock: 'update' }),
    run: (ctx, { target, body }) => createReferralTier(ctx, target, body),
  }),
  operation({
    id: 'getReferralTier',
    method: 'GET',
    path: '/v1/referrals/{campaignId}/tiers/{tierId}',
    summary: 'Get a tier of a referral program',
    description: 'By id, below its program.',
    reply: ReferralTier,
    errors: ['not_found'],
    run: async (ctx, { params }) => toReferralTier((await tierIn(ctx, params)).tier),
  }),
  operation({
    id: 'updateReferralTier',
    method: 'PUT',
    path: '/v1/referrals/{campaignId}/tiers/{tierId}',
    summary: 'Update a tier of a referral program',
    description:
      'What is not sent stays. Parameters are replaced as a whole; what was given already is not taken back.',
    body: UpdateReferralTier,
    reply: ReferralTier,
    errors: ['invalid_payload', 'not_found', 'resource_protected'],
    target: (ctx, { params }) => tierIn(ctx, params, { lock: 'update' }),
    run: (ctx, { target, body }) => changeReferralTier(ctx, target, body),
  }),
  operation({
    id: 'deleteReferralTier',
    method: 'DELETE',
    path: '/v1/referrals/{campaignId}/tiers/{tierId}',
    summary: 'Delete a tier of a referral program',
    description: 'For good. What was given by it stays given.',
    reply: null,
    errors: ['not_found', 'resource_protected'],
    target: (ctx, { params }) => tierIn(ctx, params, { lock: 'update' }),
    run: (ctx, { target }) => removeReferralTier(ctx, target),
  }),
]

export const referrals = [...holders, ...tiers]
