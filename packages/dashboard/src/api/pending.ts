import type {} from './generated.ts'

declare module './generated.ts' {
  interface Operations {
    'GET /auth/session': { path: undefined; query: undefined; body: undefined; reply: PendingSession }
    'POST /auth/session': {
      path: undefined
      query: undefined
      body: { email: string; password: string; totp?: string; recovery_code?: string }
      reply: PendingSession
    }
    'DELETE /auth/session': { path: undefined; query: undefined; body: undefined; reply: undefined }
    'GET /auth/features': {
      path: undefined
      query: undefined
      body: undefined
      reply: { oidc: boolean; mail: boolean; version: string }
    }
    'POST /auth/password': {
      path: undefined
      query: undefined
      body: { token?: string; old_password?: string; password: string }
      reply: PendingSession
    }
    'POST /auth/password/link': {
      path: undefined
      query: undefined
      body: { token: string }
      reply: { email: string; kind: 'INVITATION' | 'RESET' }
    }
    'POST /auth/totp': {
      path: undefined
      query: undefined
      body: { code?: string }
      reply: { secret?: string; uri?: string; qr_svg?: string; recovery_codes?: string[] }
    }
    'DELETE /auth/totp': { path: undefined; query: undefined; body: { password: string }; reply: undefined }
    'GET /auth/sessions': {
      path: undefined
      query: undefined
      body: undefined
      reply: {
        sessions: {
          id: string
          created_at: string
          last_used_at: string
          expires_at: string
          user_agent: string | null
          address: string | null
          is_current: boolean
        }[]
      }
    }
    'DELETE /auth/sessions/{sessionId}': {
      path: { sessionId: string }
      query: undefined
      body: undefined
      reply: undefined
    }
    'GET /v1/search': {
      path: undefined
      query: { q: string; limit?: number }
      body: undefined
      reply: {
        object: 'search'
        query: string
        campaigns: { id: string; name: string; campaign_type: string }[]
        vouchers: { id: string; code: string; type: string; campaign: string | null }[]
        customers: { id: string; name: string | null; email: string | null; source_id: string | null }[]
        orders: { id: string; source_id: string | null; amount: number; status: string }[]
        products: { id: string; name: string | null; source_id: string | null }[]
      }
    }
    'GET /v1/attention': {
      path: undefined
      query: undefined
      body: undefined
      reply: {
        object: 'list'
        data_ref: 'data'
        data: {
          id: string
          kind: string
          severity: 'INFO' | 'WARNING' | 'ERROR'
          message: string
          link: { place: string; id?: string; query?: Record<string, string> }
          data: Record<string, unknown>
        }[]
        total: number
      }
    }
  }
}

export interface PendingSession {
  user: {
    id: string
    email: string
    first_name: string | null
    last_name: string | null
    is_owner: boolean
    has_totp: boolean
    has_password: boolean
  }
  projects: {
    id: string
    name: string
    role: 'ADMIN' | 'USER' | 'VIEWER' | 'MERCHANT' | 'USER_RESTRICTED'
    currency: string | null
    timezone: string
  }[]
  features: { oidc: boolean; mail: boolean; version: string }
  session: { id: string; expires_at: string }
}
