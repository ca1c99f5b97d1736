import type { Ctx } from '../../core/context.ts'

/** `12,345` */
export const count = (value: number): string => value.toLocaleString('en-US')

/** `3 codes`, `1 code` */
export const counted = (value: number, noun: string): string => `${count(value)} ${noun}${value === 1 ? '' : 's'}`

/** Cents as `1,234.50 USD`. */
export const money = ({ project: { currency } }: Ctx, cents: number): string => {
  const amount = (cents / 100).toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })
  return currency === null ? amount : `${amount} ${currency}`
}
