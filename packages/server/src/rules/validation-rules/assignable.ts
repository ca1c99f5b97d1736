import type { Ctx } from '../../core/context.ts'
import type { EventData } from '../../core/events/catalogue.ts'
import type { RelatedObjectType } from './schema.ts'

/** The event members of an assignment that contain the assigned object, each in its short form. */
type RelatedObjectMembers = Omit<EventData<'business_validation_rule.assignment.created'>, 'rule' | 'assignment'>

/** The short form of an object; for a type without an event member, only the id. */
type FormOf<T extends RelatedObjectType> = { id: string } & (T extends keyof RelatedObjectMembers
  ? NonNullable<RelatedObjectMembers[T]>
  : unknown)

/** How to find objects of one type, in the short form of events. */
export interface Assignable<T extends RelatedObjectType> {
  /**
   * The object by its id, or by its other keys (docs/reference/rule-assignments.md#endpoints). It is locked with `for key
   * share` until the transaction ends: if it could be deleted meanwhile, an assignment to a missing object would remain.
   */
  find(ctx: Ctx, reference: string): Promise<FormOf<T> | undefined>
  /** Objects by their ids; deleted ones are skipped. */
  list(ctx: Ctx, ids: string[]): Promise<Array<FormOf<T>>>
}

declare module '../../core/reactions.ts' {
  /** Code that deletes an object of one of these types must call `deleteAssignmentsOf`. */
  interface Assignables {
    voucher: Assignable<'voucher'>
    campaign: Assignable<'campaign'>
    promotion_tier: Assignable<'promotion_tier'>
    earning_rule: Assignable<'earning_rule'>
    reward_assignment: Assignable<'reward_assignment'>
    /** Distributions are not supported, so none is ever found. */
    distribution?: Assignable<'distribution'>
  }
}

/** The event members of an assignment: the member of its type holds the object, the others are null. */
export function relatedObjectMembers(type: RelatedObjectType, form: object | undefined): RelatedObjectMembers {
  const allNull: RelatedObjectMembers = {
    voucher: null,
    campaign: null,
    promotion_tier: null,
    earning_rule: null,
    distribution: null,
  }
  return type in allNull ? { ...allNull, [type]: form ?? null } : allNull
}
