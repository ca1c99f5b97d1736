import type { ReactNode } from 'react'
import { Facts } from './page.tsx'

/** Values under their keys, as somebody else named them: readable, whatever they hold. */
export function KeyValues({ values, empty }: { values: Record<string, unknown> | undefined; empty: string }) {
  const entries = Object.entries(values ?? {})
  if (entries.length === 0) return <p className="text-muted">{empty}</p>
  return <Facts facts={entries.map(([key, value]) => [key, valueText(value)] as [string, ReactNode])} />
}

/** A value as a person would write it: no quotes, no brackets. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined || value === '') return '–'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return value.length === 0 ? '–' : value.map(valueText).join(', ')
  if (typeof value === 'object') {
    return Object.entries(value)
      .map(([key, inner]) => `${key}: ${valueText(inner)}`)
      .join(', ')
  }
  return String(value)
}
