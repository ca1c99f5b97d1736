import { operation, operationPair } from '../../core/http/operation.ts'
import { StartedAsyncAction } from '../../core/jobs/async-actions/schema.ts'
import { createCampaign } from '../../incentives/campaigns/create.ts'
import { pageOfCampaigns } from '../../incentives/campaigns/list.ts'
import { removeCampaign } from '../../incentives/campaigns/remove.ts'
import { Campaign, CampaignList, DeleteCampaignQuery } from '../../incentives/campaigns/schema.ts'
import { showCampaign } from '../../incentives/campaigns/show.ts'
import { changeCampaign } from '../../incentives/campaigns/update.ts'
import { pageOfVouchers } from '../../incentives/vouchers/list.ts'
import { Voucher, VoucherList } from '../../incentives/vouchers/schema.ts'
import { toVoucher } from '../../incentives/vouchers/voucher.ts'
import { addMember } from './add-member.ts'
import { campaignIn, changesIn } from './program.ts'
import {
  CreateLoyaltyMember,
  CreateLoyaltyProgram,
  LoyaltyMemberQuery,
  LoyaltyProgramQuery,
  UpdateLoyaltyProgram,
} from './schema.ts'
import { getMemberIn, getProgram } from './store.ts'

export const loyalties = [
  operation({
    id: 'listLoyaltyPrograms',
    method: 'GET',
    path: '/v1/loyalties',
    summary: 'List loyalty programs',
    description: 'Campaigns of the type `LOYALTY_PROGRAM`, page by page.',
    query: LoyaltyProgramQuery,
    reply: CampaignList,
    errors: ['invalid_query_params'],
    run: (ctx, { query: { expand, ...page } }) =>
      pageOfCampaigns(ctx, {
        ...page,
        ...(expand === 'category' ? { expand } : {}),
        campaign_type: 'LOYALTY_PROGRAM',
      }),
  }),
  operation({
    id: 'createLoyaltyProgram',
    method: 'POST',
    path: '/v1/loyalties',
    summary: 'Create a loyalty program',
    description: 'One card is made at once; more are made in the background, which its status shows.',
    body: CreateLoyaltyProgram,
    reply: Campaign,
    errors: [
      'invalid_payload',
      'invalid_campaign',
      'invalid_code_config',
      'metadata_validation_failed',
      'not_found',
      'duplicate_found',
    ],
    run: (ctx, { body }) => createCampaign(ctx, campaignIn(body)),
  }),
  operation({
    id: 'getLoyaltyProgram',
    method: 'GET',
    path: '/v1/loyalties/{campaignId}',
    summary: 'Get a loyalty program',
    description: 'By id or name.',
    reply: Campaign,
    errors: ['not_found'],
    run: async (ctx, { params }) => showCampaign(ctx, await getProgram(ctx, params.campaignId)),
  }),
  operation({
    id: 'updateLoyaltyProgram',
    method: 'PUT',
    path: '/v1/loyalties/{campaignId}',
    summary: 'Update a loyalty program',
    description:
      'Cards that are neither published nor redeemed are changed too, in the background. With `options.recalculate_tiers`, ' +
      'new settings of tiers count for those who are in a tier already.',
    body: UpdateLoyaltyProgram,
    reply: Campaign,
    errors: ['invalid_payload', 'invalid_campaign', 'metadata_validation_failed', 'resource_protected', 'not_found'],
    target: (ctx, { params }) => getProgram(ctx, params.campaignId, { lock: 'update' }),
    run: (ctx, { target, body }) => changeCampaign(ctx, target, changesIn(body)),
  }),
  operation({
    id: 'deleteLoyaltyProgram',
    method: 'DELETE',
    path: '/v1/loyalties/{campaignId}',
    summary: 'Delete a loyalty program',
    description: 'With its cards: into the bin, where its name and the codes stay taken, or for good.',
    query: DeleteCampaignQuery,
    reply: StartedAsyncAction,
    errors: ['invalid_query_params', 'resource_protected', 'not_found'],
    target: (ctx, { params }) => getProgram(ctx, params.campaignId, { lock: 'update' }),
    run: (ctx, { target, query }) => removeCampaign(ctx, target, query.force === true),
  }),
  operation({
    id: 'listLoyaltyMembers',
    method: 'GET',
    path: '/v1/loyalties/{campaignId}/members',
    summary: 'List the members of a loyalty program',
    description: 'All cards of the program, also those that are not published yet.',
    query: LoyaltyMemberQuery,
    reply: VoucherList,
    errors: ['invalid_query_params', 'not_found'],
    target: (ctx, { params }) => getProgram(ctx, params.campaignId),
    run: (ctx, { target, query }) => pageOfVouchers(ctx, { ...query, campaign_id: target.id }),
  }),
  operation({
    id: 'createLoyaltyMember',
    method: 'POST',
    path: '/v1/loyalties/{campaignId}/members',
    summary: 'Add a member to a loyalty program',
    description:
      'Gives a customer a card: the one that is named, or any free one. A program that updates itself makes a card when there ' +
      'is none left. A customer who has a card keeps it, and the reply is that card.',
    body: CreateLoyaltyMember,
    reply: Voucher,
    errors: [
      'invalid_payload',
      'invalid_customer',
      'metadata_validation_failed',
      'duplicate_source_id',
      'voucher_cannot_be_published',
      'voucher_already_published',
      'no_voucher_suitable_for_publication',
      'not_found',
    ],
    target: (ctx, { params }) => getProgram(ctx, params.campaignId),
    run: (ctx, { target, body }) => addMember(ctx, target, body),
  }),
  ...operationPair({
    id: 'getLoyaltyProgramMember',
    method: 'GET',
    path: '/v1/loyalties/{campaignId}/members/{memberId}',
    summary: 'Get a member of a loyalty program',
    description: 'The loyalty card with its points, by code or id.',
    second: {
      id: 'getLoyaltyMember',
      path: '/v1/loyalties/members/{memberId}',
      summary: 'Get a member',
      description: 'The same, of whichever program.',
    },
    reply: Voucher,
    errors: ['not_found'],
    run: async (ctx, { params }) => toVoucher(ctx, await getMemberIn(ctx, params)),
  }),
]
