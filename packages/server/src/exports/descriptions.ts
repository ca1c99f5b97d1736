import type { Descriptions } from '../core/http/openapi-descriptions.ts'

/** Exports as CSV files. */
export const exportDescriptions: Descriptions = {
  '*': {
    'path.exportId': 'Id of the export.',
    parameters: 'Which objects, in what order, with which columns.',
    'parameters.order': 'How the rows are sorted; with `-` in descending order.',
    'parameters.fields': 'The columns; left out: the usual ones.',
    'parameters.filters': 'Conditions that the objects must meet; left out: all of them.',
  },
  Export: {
    $: 'A CSV file that is written in the background.',
    status: 'How far it is; the file exists when it is `DONE`.',
    exported_object: 'What is exported.',
    result:
      'Where the file can be downloaded; null until it is written, and of `api_log` for roles that may not export it.',
    user_id: 'Always null.',
  },
  ExportList: { exports: 'The exports of this page.' },
  ExportParameters: {
    $: 'Which objects, in what order, with which columns.',
    order: 'How the rows are sorted; with `-` in descending order.',
    fields: 'The columns.',
    filters: 'Conditions that the objects must meet.',
    campaign_id: 'Id of the campaign whose codes are exported; absent: all codes.',
  },
  ExportFilter: {
    $: 'Conditions on fields: `{"created_at": {"conditions": {"$after": ["2026-01-01"]}}}`. The fields are those of the exported objects; `metadata.` and a key is one of their metadata.',
  },
  VoucherState: {
    $: 'The state of a voucher.',
    active: 'True: enabled, begun and not expired.',
    enabled: 'True: switched on.',
    disabled: 'True: switched off.',
    expired: 'True: the end is past.',
  },
  ...Object.fromEntries(
    [
      'ApiLog',
      'Customer',
      'Order',
      'PointsExpiration',
      'Product',
      'Publication',
      'Redemption',
      'Sku',
      'Transaction',
      'Voucher',
    ].map((noun) => [`${noun}ExportParameters`, { $like: 'ExportParameters' }]),
  ),
}
