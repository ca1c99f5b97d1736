import { Type } from 'typebox'
import { invalidPayload } from '../../core/http/errors.ts'
import { compileValidator } from '../../core/http/validation.ts'
import { always, ValidityBody, type ValidityState, validityAfter } from '../../rules/terms/validity.ts'
import { type Foreign, instant, LeftOut } from './foreign.ts'

const validityShape = compileValidator(Type.Object(ValidityBody))

/** The validity limits of an object, checked as those of a request are. */
export function validityOf(object: Foreign): ValidityState {
  const sent = {
    start_date: instant(object, 'start_date'),
    expiration_date: instant(object, 'expiration_date'),
    validity_timeframe: object.validity_timeframe ?? null,
    validity_day_of_week: object.validity_day_of_week ?? null,
    validity_hours: object.validity_hours ?? null,
  }
  const fault = validityShape.firstError(sent, { root: 'Payload', required: 'should' })
  if (fault !== null) throw new LeftOut(fault)
  return validityAfter(always, sent as ValidityBody, invalidPayload)
}
