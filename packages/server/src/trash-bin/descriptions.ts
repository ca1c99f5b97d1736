import type { Descriptions } from '../core/http/openapi-descriptions.ts'

/** The bin. */
export const binDescriptions: Descriptions = {
  '*': { 'path.binEntryId': 'Id of the entry in the bin.' },
  BinEntry: {
    $: 'Something that was deleted and still holds its name or code.',
    created_at: 'When it was deleted.',
    resource_id: 'Id of what was deleted.',
    resource_type: 'What was deleted.',
    object: 'What was deleted, as `resource_type`.',
  },
}
