/** A line of the cart as it is typed. */
export interface Line {
  key: string
  product_id?: string | undefined
  sku_id?: string | undefined
  name: string
  quantity: string
  price: string
}

/** A code or a promotion that is tried, with what only some kinds take. */
export interface Chosen {
  object: 'voucher' | 'promotion_tier' | 'promotion_stack'
  id: string
  name?: string | undefined
  /** Of a gift card: how much of it is spent. */
  credits?: string | undefined
  /** Of a loyalty card: what the points are spent on, and how many of them. */
  reward?: string | undefined
  points?: string | undefined
}

export interface Pair {
  key: string
  name: string
  value: string
}

/** Everything that a simulation is about. */
export interface Situation {
  customer: { id: string; name?: string | undefined } | null
  lines: Line[]
  chosen: Chosen[]
  orderMetadata: Pair[]
  metadata: Pair[]
  /** A moment on the clocks of the project, as a field has it; empty is now. */
  at: string
  /** Whether to look at what else would qualify. */
  others: boolean
}

export const emptySituation: Situation = {
  customer: null,
  lines: [],
  chosen: [],
  orderMetadata: [],
  metadata: [],
  at: '',
  others: true,
}

export const isEmpty = ({ customer, lines, chosen }: Situation) =>
  customer === null && lines.length === 0 && chosen.length === 0

let keys = 0

/** A key for React: rows are told apart while they are moved and edited. */
export const newKey = () => `k${++keys}`

export const newLine = (line: Partial<Line>): Line => ({ key: newKey(), name: '', quantity: '1', price: '', ...line })

export const sameChosen = (a: Pick<Chosen, 'object' | 'id'>, b: Pick<Chosen, 'object' | 'id'>) =>
  a.object === b.object && a.id === b.id
