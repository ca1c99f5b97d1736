import type { ReasonKey } from '@guerdon/engine'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { operations } from '../../operations.ts'
import { occurs, serviceTexts } from '../../testing/sources.ts'
import { type ErrorKey, errorKeys } from './errors.ts'
import { refusalsOf } from './openapi.ts'

/** Keys of docs/reference/errors.md#keys that are not in the table, and why the service never returns them. */
const reserved = {
  integration_api_key_required: 'integration keys may do what server keys may',
  missing_required_feature: 'nothing has to be paid for',
  resource_not_found: 'an older name of not_found',
  invalid_or_expired_cursor: 'an unknown starting_after_id is invalid_query_params',
  duplicate_resource_key: 'a taken key is duplicate_found',
  invalid_campaign_params: 'a campaign is refused with invalid_campaign',
  invalid_export_params: 'an export is refused with invalid_export_fields or invalid_payload',
  invalid_publish_params: 'a publication is refused with keys that say more',
  invalid_rollback_params: 'a rollback is refused with keys that say more',
  not_enough_codes: 'an empty list is invalid_payload',
  not_enough_source_ids: 'an empty list is invalid_payload',
  no_applicable_redeemables: 'a redemption that skips everything is refused with the first skip',
  member_already_exists: 'a key of the newer loyalty interface',
  non_active_program: 'a key of the newer loyalty interface',
  non_active_member: 'a key of the newer loyalty interface',
  zero_card_balance: 'a key of the newer loyalty interface',
  insufficient_card_balance: 'a key of the newer loyalty interface',
  pay_with_points_not_enabled: 'a key of the newer loyalty interface',
  program_outside_validity_window: 'a key of the newer loyalty interface',
  invalid_pending_points_bucket_status: 'a key of the newer loyalty interface',
}

/** The sources without the places that only list keys: the errors that operations declare, and their documentation. */
const refusing = new Map(
  [...serviceTexts()]
    .filter(([path]) => path !== 'packages/server/src/core/http/openapi-refusals.ts')
    .map(([path, text]) => [path, text.replaceAll(/\[(?:\s*(?:'\w+'|\.\.\.\w+),?)*\s*\]|[!=]== '\w+'/g, '')]),
)

describe('the table of error keys', () => {
  test.each(errorKeys)('%s is used by the code', (key) => {
    expect(occurs(new RegExp(`'${key}'`), refusing)).toBe(true)
  })

  test('each key is documented with an operation, or belongs to none', () => {
    const documented = new Set(operations.flatMap((operation) => [...refusalsOf(operation)]))
    expect(errorKeys.filter((key) => !documented.has(key))).toEqual(['method_not_allowed'])
  })

  test('contains every reason of the engine', () => {
    expectTypeOf<ReasonKey>().toExtend<ErrorKey>()
  })

  test.each(Object.entries(reserved))('%s is reserved: %s', (key) => {
    expect(errorKeys).not.toContain(key)
    expect(occurs(new RegExp(`\\b${key}\\b`), serviceTexts())).toBe(false)
  })
})
