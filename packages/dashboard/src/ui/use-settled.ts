import { useEffect, useState } from 'react'

/** A value once it has not changed for a moment: what is typed is asked for when the typing pauses. */
export function useSettled<Value>(value: Value, pauseMs = 250): Value {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pauseMs)
    return () => clearTimeout(timer)
  }, [value, pauseMs])
  return settled
}
