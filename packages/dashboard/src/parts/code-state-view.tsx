import type { Schemas } from '../api/client.ts'
import { Instant } from '../ui/format.tsx'
import { Status } from '../ui/state.tsx'
import { type CodeStatus, stateOf } from '../words/states.ts'

/** The state of a code with its date: "Active until 14 Mar 2026"; on a phone below each other, as a list has no room for both. */
export function CodeStateView({ code, status }: { code: Schemas['Voucher']; status: CodeStatus }) {
  const { word, tone, when } = stateOf(code, status)
  return (
    <Status tone={tone}>
      <span>
        {word}
        {when && (
          <span className="text-muted max-sm:block max-sm:text-xs">
            {' '}
            {when.word} <Instant at={when.at} withTime={false} />
          </span>
        )}
      </span>
    </Status>
  )
}
