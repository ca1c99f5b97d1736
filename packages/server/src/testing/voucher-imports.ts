import { expect } from 'vitest'
import type { AsyncActionDefinition } from '../core/jobs/async-action.ts'
import { generateVouchers } from '../incentives/campaigns/generate.ts'
import { importCampaignVouchers, importCampaignVouchersCsv } from '../incentives/campaigns/import.ts'
import { updateVouchers } from '../incentives/campaigns/propagate.ts'
import { deleteVouchers } from '../incentives/campaigns/remove.ts'
import { updateVouchersInBulk, updateVouchersMetadata } from '../incentives/vouchers/bulk.ts'
import { importVouchers } from '../incentives/vouchers/import.ts'
import { importVouchersCsv } from '../incentives/vouchers/import-csv.ts'
import type { Shop } from './app.ts'
import { runAsyncActions } from './background.ts'

const actions = [
  importVouchers,
  importVouchersCsv,
  importCampaignVouchers,
  importCampaignVouchersCsv,
  updateVouchersInBulk,
  updateVouchersMetadata,
  generateVouchers,
  updateVouchers,
  deleteVouchers,
] as readonly AsyncActionDefinition[]

/** Sends a form with a CSV file and further fields. */
export function sendCsv(shop: Shop, path: string, csv: string, fields: Record<string, string> = {}) {
  const parts = Object.entries(fields).map(
    ([name, value]) => `--fence\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  const file = `--fence\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\nContent-Type: text/csv\r\n\r\n${csv}\r\n`
  const headers = { 'content-type': 'multipart/form-data; boundary=fence' }
  return shop.call('POST', path, `${parts.join('')}${file}--fence--\r\n`, headers)
}

/** Sends a CSV file, runs the import, and returns the finished async action. */
export async function importCsv(shop: Shop, path: string, csv: string, fields: Record<string, string> = {}) {
  const { status, body } = await sendCsv(shop, path, csv, fields)
  expect(status, JSON.stringify(body)).toBe(path.startsWith('/v1/campaigns/') ? 200 : 202)
  return finished(shop, body.async_action_id)
}

/** The same as `importCsv`, with JSON. */
export async function importJson(shop: Shop, path: string, entries: unknown) {
  const { status, body } = await shop.call('POST', path, entries)
  expect(status, JSON.stringify(body)).toBe(202)
  return finished(shop, body.async_action_id)
}

export async function finished(shop: Shop, id: string) {
  await runStarted(shop)
  return (await shop.call('GET', `/v1/async-actions/${id}`)).body
}

export const runStarted = (shop: Shop, options: { are_concurrent?: boolean } = {}) =>
  runAsyncActions(shop.service.runtime, shop.project_id, actions, options)
