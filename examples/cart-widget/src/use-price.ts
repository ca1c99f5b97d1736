import type { GuerdonClientSide } from '@guerdon/client'
import { useEffect, useState } from 'react'
import { type Line, type Price, plainPrice, priceWithCode } from './price.ts'

/** The price of the lines with a code, asked again whenever one of them changes; null until the answer is there. */
export function usePrice(client: GuerdonClientSide, lines: readonly Line[], code: string): Price | null {
  const [priced, setPriced] = useState<{ lines: readonly Line[]; code: string; price: Price } | null>(null)
  useEffect(() => {
    if (code === '') return
    const outdated = new AbortController()
    void priceWithCode(client, lines, code, outdated.signal).then((price) => {
      if (!outdated.signal.aborted) setPriced({ lines, code, price })
    })
    return () => outdated.abort()
  }, [client, lines, code])
  if (code === '') return plainPrice(lines)
  return priced?.lines === lines && priced.code === code ? priced.price : null
}
