import { useMemo } from 'react'
import type { ApiFailure, Schemas } from '../../api/client.ts'
import { useRead } from '../../api/queries.ts'
import { useMayChange } from '../../api/session.ts'
import { useFormat } from '../../ui/format.tsx'
import { useSettled } from '../../ui/use-settled.ts'
import { momentOf, qualificationOf, validationOf } from './request.ts'
import { isEmpty, type Situation } from './situation.ts'

export interface Simulation {
  mayValidate: boolean
  /** The call as a program would make it. */
  call: Schemas['ValidationBody']
  validation: Schemas['Validation'] | undefined
  failure: ApiFailure | null
  isCalculating: boolean
  qualification: Schemas['Qualification'] | undefined
  /** What was asked for it. */
  qualificationBody: Schemas['QualificationBody'] | undefined
  isQualifying: boolean
  qualificationFailure: ApiFailure | null
}

/**
 * Asks the service what a situation leads to, a moment after the last key. The last answer stays until the next is there, and
 * answers to earlier questions are dropped.
 */
export function useSimulation(situation: Situation): Simulation {
  const { timezone } = useFormat()
  const chosenMoment = momentOf(situation, timezone)
  const call = validationOf(situation, chosenMoment)
  const question = useSettled(JSON.stringify(call))
  const settled = useMemo(() => asked(JSON.parse(question) as Schemas['ValidationBody']), [question])
  // Viewers may not validate, because a validation may lock codes; what qualifies they may see.
  const mayValidate = useMayChange()
  const hasChosen = mayValidate && settled.redeemables.length > 0
  const validation = useRead('POST /v1/validations', { body: settled }, { enabled: hasChosen, keeps: true })
  const beside = useSettled(JSON.stringify(qualificationOf(situation, chosenMoment)))
  const besideBody = useMemo(() => JSON.parse(beside) as Schemas['QualificationBody'], [beside])
  const wantsOthers = situation.others && !isEmpty(situation)
  const qualification = useRead('POST /v1/qualifications', { body: besideBody }, { enabled: wantsOthers, keeps: true })
  return {
    mayValidate,
    call,
    validation: hasChosen ? validation.data : undefined,
    failure: hasChosen ? validation.error : null,
    isCalculating:
      mayValidate && situation.chosen.length > 0 && (validation.isFetching || question !== JSON.stringify(call)),
    qualification: wantsOthers ? qualification.data : undefined,
    // While the next answer is loaded, the one on screen is still that of the question before.
    qualificationBody: wantsOthers && !qualification.isPlaceholderData ? besideBody : undefined,
    isQualifying: wantsOthers && qualification.isFetching,
    qualificationFailure: wantsOthers ? qualification.error : null,
  }
}

/**
 * A validation of a known customer is an event of that customer and counts in figures, unless it is said to be at some
 * moment. A simulation is never one: where no moment is chosen it says that it is now.
 */
function asked(body: Schemas['ValidationBody']): Schemas['ValidationBody'] {
  const asOf = body.options?.as_of ?? new Date().toISOString()
  return { ...body, options: { ...body.options, as_of: asOf } }
}
