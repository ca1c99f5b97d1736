import type { Schemas } from '../api/client.ts'

/** Why a redeemable was applied or refused: the sentence, then the steps as a tree. */
export function Explanation({ explanation }: { explanation: Schemas['ExplanationView'] }) {
  return <p>{explanation.sentence}</p>
}
