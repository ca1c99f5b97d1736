import { useEffect, useState } from 'react'
import type { ApiFailure } from '../api/client.ts'
import { FailureNotice, Notice } from '../ui/state.tsx'
import { waitText } from '../words/wait.ts'

/** The seconds until the service takes the next attempt; 0 when it takes one. */
export function useSecondsLeft(failure: ApiFailure | null): number {
  const [left, setLeft] = useState(0)
  useEffect(() => {
    if (failure?.status !== 429 || failure.retryAfter === undefined) {
      setLeft(0)
      return
    }
    const end = Date.now() + failure.retryAfter * 1000
    const tick = () => setLeft(Math.max(0, Math.ceil((end - Date.now()) / 1000)))
    tick()
    const timer = setInterval(tick, 500)
    return () => clearInterval(timer)
  }, [failure])
  return left
}

/** Why an attempt was refused. After too many of them: when the next one is taken. */
export function AttemptFailure({ failure, secondsLeft }: { failure: ApiFailure | null; secondsLeft: number }) {
  if (failure === null) return null
  if (failure.status !== 429) return <FailureNotice failure={failure} />
  if (failure.retryAfter !== undefined && secondsLeft === 0) return null
  return (
    <Notice tone="warn" title="Too many attempts.">
      {secondsLeft > 0 ? `Try again ${waitText(secondsLeft)}.` : 'Wait a moment, then try again.'}
    </Notice>
  )
}
