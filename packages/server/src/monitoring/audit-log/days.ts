export const dayMs = 86_400_000

/** The days of these moments, each as the first moment of the UTC day. */
export const daysOf = (moments: readonly number[]): number[] => [
  ...new Set(moments.map((at) => Math.floor(at / dayMs) * dayMs)),
]
