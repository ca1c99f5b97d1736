import { operation, operationPair } from '../../core/http/operation.ts'
import { listed } from '../../core/query/list.ts'
import { getCustomer } from '../customers/store.ts'
import { consentsOf, decideConsents, getDecidingCustomer } from './decide.ts'
import { changeConsentGroup, createConsent, createConsentGroup } from './define.ts'
import {
  Consent,
  ConsentDecisions,
  ConsentGroup,
  ConsentGroupList,
  ConsentList,
  ConsentsAndGroups,
  CreateConsent,
  CreateConsentGroup,
  CustomerConsentList,
  CustomerConsentQuery,
  UpdateConsent,
  UpdateConsentGroup,
} from './schema.ts'
import {
  deleteConsent,
  deleteConsentGroup,
  getConsent,
  getConsentGroup,
  listConsentGroups,
  listConsents,
  updateConsent,
} from './store.ts'

export const consents = [
  ...operationPair({
    id: 'listConsents',
    method: 'GET',
    path: '/v1/consents',
    summary: 'List consents and their groups',
    description: 'All consents that customers of the project can give, and the groups in which they are shown.',
    reply: ConsentsAndGroups,
    errors: [],
    run: async (ctx) => {
      const data = await listConsents(ctx)
      const groups = await listConsentGroups(ctx, data)
      return {
        groups: listed('data', groups, { total: groups.length }),
        consents: listed('data', data, { total: data.length }),
      }
    },
    second: {
      id: 'listClientConsents',
      path: '/client/v1/consents',
      summary: 'List consents and their groups (client side)',
      description:
        'All consents that customers of the project can give, and the groups in which they are shown, for a page of the shop.',
    },
  }),
  ...operationPair({
    id: 'updateCustomerConsents',
    method: 'PUT',
    path: '/v1/customers/{customerId}/consents',
    summary: 'Store what a customer has agreed to',
    description: 'Consents that are not named keep their state. `{"unsubscribed": true}` sets all of them to false.',
    body: ConsentDecisions,
    reply: null,
    errors: ['invalid_payload', 'not_found'],
    target: (ctx, { params }) => getDecidingCustomer(ctx, params.customerId),
    run: (ctx, { target, body }) => decideConsents(ctx, target, body),
    second: {
      id: 'updateClientCustomerConsents',
      path: '/client/v1/customers/{customerId}/consents',
      summary: 'Store what a customer has agreed to (client side)',
      description: 'The path names the customer by its tracking id, which proves that the page belongs to it.',
      errors: ['invalid_payload', 'not_found', 'forbidden'],
    },
  }),
  operation({
    id: 'listCustomerConsents',
    method: 'GET',
    path: '/v1/customers/{customerId}/consents',
    summary: 'List what a customer has agreed to',
    description:
      'Every consent of the project, with the decisions of the customer: when, through which application, and about which text.',
    query: CustomerConsentQuery,
    reply: CustomerConsentList,
    errors: ['invalid_query_params', 'not_found'],
    target: (ctx, { params }) => getCustomer(ctx, params.customerId),
    run: async (ctx, { target, query }) => {
      const data = await consentsOf(ctx, target, query)
      return listed('data', data, { total: data.length })
    },
  }),
  operation({
    id: 'listConsentDefinitions',
    method: 'GET',
    path: '/management/v1/projects/{projectId}/consents',
    summary: 'List the consents of a project',
    description: 'All consents that customers of the project can give.',
    reply: ConsentList,
    errors: ['not_found'],
    run: async (ctx) => {
      const data = await listConsents(ctx)
      return listed('data', data, { total: data.length })
    },
  }),
  operation({
    id: 'createConsent',
    method: 'POST',
    path: '/management/v1/projects/{projectId}/consents',
    summary: 'Create a consent',
    description: 'Customers can decide about it from then on.',
    body: CreateConsent,
    reply: Consent,
    errors: ['invalid_payload', 'not_found', 'duplicate_found'],
    run: (ctx, { body }) => createConsent(ctx, body),
  }),
  operation({
    id: 'updateConsent',
    method: 'PUT',
    path: '/management/v1/projects/{projectId}/consents/{consentId}',
    summary: 'Update a consent',
    description:
      'What customers decided stays, with the text about which they decided. Where the meaning changes, create another consent and ask again.',
    body: UpdateConsent,
    reply: Consent,
    errors: ['invalid_payload', 'not_found', 'duplicate_found'],
    target: (ctx, { params }) => getConsent(ctx, params.consentId),
    run: (ctx, { target, body }) => updateConsent(ctx, target.id, body),
  }),
  operation({
    id: 'deleteConsent',
    method: 'DELETE',
    path: '/management/v1/projects/{projectId}/consents/{consentId}',
    summary: 'Delete a consent',
    description:
      'Its groups lose it, and nobody can agree to it any more. The decisions of customers stay as proof: `include_deleted=true` shows them.',
    reply: null,
    errors: ['not_found'],
    target: (ctx, { params }) => getConsent(ctx, params.consentId),
    run: (ctx, { target }) => deleteConsent(ctx, target.id),
  }),
  operation({
    id: 'listConsentGroups',
    method: 'GET',
    path: '/management/v1/projects/{projectId}/consent-groups',
    summary: 'List the groups of consents of a project',
    description: 'All groups in which consents of the project are shown.',
    reply: ConsentGroupList,
    errors: ['not_found'],
    run: async (ctx) => {
      const data = await listConsentGroups(ctx, await listConsents(ctx))
      return listed('data', data, { total: data.length })
    },
  }),
  operation({
    id: 'createConsentGroup',
    method: 'POST',
    path: '/management/v1/projects/{projectId}/consent-groups',
    summary: 'Create a group of consents',
    description: 'Consents can be put into it from then on.',
    body: CreateConsentGroup,
    reply: ConsentGroup,
    errors: ['invalid_payload', 'not_found', 'duplicate_found'],
    run: (ctx, { body }) => createConsentGroup(ctx, body),
  }),
  operation({
    id: 'updateConsentGroup',
    method: 'PUT',
    path: '/management/v1/projects/{projectId}/consent-groups/{consentGroupId}',
    summary: 'Update a group of consents',
    description: 'Changes only what is sent.',
    body: UpdateConsentGroup,
    reply: ConsentGroup,
    errors: ['invalid_payload', 'not_found', 'duplicate_found'],
    target: (ctx, { params }) => getConsentGroup(ctx, params.consentGroupId),
    run: (ctx, { target, body }) => changeConsentGroup(ctx, target.id, body),
  }),
  operation({
    id: 'deleteConsentGroup',
    method: 'DELETE',
    path: '/management/v1/projects/{projectId}/consent-groups/{consentGroupId}',
    summary: 'Delete a group of consents',
    description: 'Its consents stay.',
    reply: null,
    errors: ['not_found'],
    target: (ctx, { params }) => getConsentGroup(ctx, params.consentGroupId),
    run: (ctx, { target }) => deleteConsentGroup(ctx, target.id),
  }),
]
