import type { Ctx } from '../../core/context.ts'
import type { EventData } from '../../core/events/catalogue.ts'
import type { RelatedObjectType } from './schema.ts'

/** The members in which the event of an assignment carries what a rule is assigned to, each in its short form. */
type Carried = Omit<EventData<'business_validation_rule.assignment.created'>, 'rule' | 'assignment'>

/** The short form of an object; a type that events do not carry is known by its id alone. */
type FormOf<T extends RelatedObjectType> = { id: string } & (T extends keyof Carried
  ? NonNullable<Carried[T]>
  : unknown)

/** How objects of one type are found, in the short form that events show. */
export interface Assignable<T extends RelatedObjectType> {
  /**
   * The object by its id, or by what else it is known by (docs/reference/rule-assignments.md#endpoints); nobody may delete it
   * before the transaction is over (`for key share`), otherwise an assignment to nothing would stay.
   */
  find(ctx: Ctx, reference: string): Promise<FormOf<T> | undefined>
  /** Objects by their ids; those that are gone are left out. */
  list(ctx: Ctx, ids: string[]): Promise<Array<FormOf<T>>>
}

declare module '../../core/reactions.ts' {
  /** A story that deletes an object of one of these types calls `deleteAssignmentsOf`. */
  interface Assignables {
    voucher: Assignable<'voucher'>
    campaign: Assignable<'campaign'>
    promotion_tier: Assignable<'promotion_tier'>
    earning_rule: Assignable<'earning_rule'>
    reward_assignment: Assignable<'reward_assignment'>
    /** Distributions are not served, so that none is found. */
    distribution?: Assignable<'distribution'>
  }
}

/** What the event of an assignment says about its object: one member has it, the others are null. */
export function carriedIn(type: RelatedObjectType, form: object | undefined): Carried {
  const nobody: Carried = {
    voucher: null,
    campaign: null,
    promotion_tier: null,
    earning_rule: null,
    distribution: null,
  }
  return type in nobody ? { ...nobody, [type]: form ?? null } : nobody
}
