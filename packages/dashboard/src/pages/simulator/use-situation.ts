import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { ApiFailure } from '../../api/client.ts'
import { useReader } from '../../api/queries.ts'
import { cartOf, situationOf } from './address.ts'
import { prefilled, sampleOf } from './prefill.ts'
import { emptySituation, type Situation } from './situation.ts'

export type Change = (change: (situation: Situation) => Situation) => void

interface SituationState {
  situation: Situation
  change: Change
  reset: () => void
  trySample: () => void
  isLoading: boolean
  /** An object that the address names and that could not be read. */
  failure: ApiFailure | null
  /** The simulation does not fit into an address, and so cannot be shared. */
  isTooLarge: boolean
}

const writePauseMs = 300

/**
 * The situation that is edited. The address has it too, a moment later: it can be shared, and going back and forth in the
 * browser brings simulations back. An address that this did not write itself is read.
 */
export function useSituation(): SituationState {
  const search = useSearch({ from: '/$project/simulator' })
  const navigate = useNavigate({ from: '/$project/simulator' })
  const read = useReader()
  const [situation, setSituation] = useState(() => situationOf(search.cart))
  const [isLoading, setIsLoading] = useState(false)
  const [failure, setFailure] = useState<ApiFailure | null>(null)
  const [isTooLarge, setIsTooLarge] = useState(false)
  const written = useRef<string[]>([])
  const isEdited = useRef(false)
  const address = JSON.stringify(search)

  // biome-ignore lint/correctness/useExhaustiveDependencies: the address alone decides; the reader is new on each render
  useEffect(() => {
    if (written.current.includes(address)) return
    let isStale = false
    const base = situationOf(search.cart)
    isEdited.current = false
    setSituation(base)
    setFailure(null)
    setIsTooLarge(false)
    const { cart: _, ...origin } = search
    if (Object.keys(origin).length === 0 && base.customer === null) return
    setIsLoading(true)
    prefilled(base, origin, read)
      .then((filled) => !isStale && !isEdited.current && setSituation(filled))
      .catch((error: unknown) => {
        if (!isStale && error instanceof ApiFailure) setFailure(error)
      })
      .finally(() => !isStale && setIsLoading(false))
    return () => {
      isStale = true
    }
  }, [address])

  useEffect(() => {
    if (!isEdited.current) return
    const timer = setTimeout(() => {
      const next = cartOf(situation)
      const nextSearch = next.cart === undefined ? {} : { cart: JSON.stringify(next.cart) }
      setIsTooLarge(next.isTooLarge)
      // The router shows a search later than it was asked to, and perhaps one before the last: the last few are all ours.
      written.current = [...written.current.slice(-4), JSON.stringify(nextSearch)]
      void navigate({ search: nextSearch, replace: true })
    }, writePauseMs)
    return () => clearTimeout(timer)
  }, [situation, navigate])

  const change: Change = (edit) => {
    isEdited.current = true
    setSituation(edit)
  }
  return {
    situation,
    change,
    reset: () => change(() => emptySituation),
    trySample: () => {
      void sampleOf(emptySituation, read).then(
        (sample) => change(() => sample),
        (error: unknown) => error instanceof ApiFailure && setFailure(error),
      )
    },
    isLoading,
    failure,
    isTooLarge,
  }
}
