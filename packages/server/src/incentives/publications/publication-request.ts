import type { Target } from './target.ts'

/** What one request asks for. */
export interface PublicationRequest {
  target: Target
  source_id: string | null
  /** Asked for by the request; the campaign may demand it besides. */
  join_once: boolean
  metadata: Record<string, unknown>
  channel: string
}
