import type { Target } from './target.ts'

/** A parsed publication request. */
export interface PublicationRequest {
  target: Target
  source_id: string | null
  /** Set by the request; the campaign may require it as well. */
  join_once: boolean
  metadata: Record<string, unknown>
  channel: string
}
