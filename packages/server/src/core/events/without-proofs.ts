import type { Project } from '../db/project-row.ts'
import { isProof, trackingName } from '../http/tracking-id.ts'

type Secret = Pick<Project, 'tracking_secret'>
interface Tracked {
  tracking_id?: unknown
}
interface ValidationData {
  customer: { source_id: string | null }
  validation: Tracked & { promotions?: Tracked[] }
}

/**
 * An event without tracking ids that prove its customer: whoever may read events could act as the customer on the client side.
 * Events of validations contained them before they were left out (checkout/validations/record-event.ts).
 */
export function withoutProofs<E extends { type: string; data: unknown }>(project: Secret, event: E): E {
  if (!event.type.startsWith('customer.validation.')) return event
  const data = event.data as ValidationData
  const { promotions } = data.validation
  const named = <T extends Tracked>(object: T): T => {
    const { tracking_id } = object
    if (typeof tracking_id !== 'string' || !isProof(tracking_id)) return object
    const { source_id } = data.customer
    return { ...object, tracking_id: source_id === null ? undefined : trackingName(project, source_id) }
  }
  const validation = named(data.validation)
  return {
    ...event,
    data: {
      ...data,
      validation: promotions === undefined ? validation : { ...validation, promotions: promotions.map(named) },
    },
  }
}
