import { scaled } from './scale.ts'

/**
 * Pairs to test: at full size each operation with each way to call it. At small size the operations share the ways, in turn: every
 * operation and every way is tried at least once.
 */
export function inTurn<Target, Way>(targets: readonly Target[], ways: readonly Way[]): Array<[Target, Way]> {
  const count = scaled(ways.length, Math.ceil(ways.length / targets.length))
  return targets.flatMap((target, at) =>
    Array.from({ length: count }, (_, n): [Target, Way] => [target, ways[(at * count + n) % ways.length] as Way]),
  )
}
