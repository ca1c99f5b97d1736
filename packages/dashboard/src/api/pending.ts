import type {} from './generated.ts'

declare module './generated.ts' {
  interface Operations {
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
