import { type Id, idPrefix } from '../../core/lib/ids.ts'

/** An entry has the digits of its request, so that each id gives the other. */
export const entryIdOf = (requestId: string): Id<'audit_entry'> => `log_${requestId.slice(idPrefix('request').length)}`

export const requestIdOf = (entryId: string): Id<'request'> => `v-${entryId.slice(idPrefix('audit_entry').length)}`
