/**
 * Hooks that lower modules call and higher modules implement, in the same transaction. A module declares its hooks by extending
 * this interface (`orders/reactions.ts`); `wiring.ts` assigns the implementation. A hook without an implementation does not
 * compile. Where a direct call is possible it stays a direct call.
 * A hook named `…ing` is called before the change, because its implementation reads or locks rows that the change writes; a hook
 * named `…ed` is called together with the change.
 */
// biome-ignore lint/suspicious/noEmptyInterface: modules extend it
export interface Reactions {}

/**
 * For each kind of resource, the functions that find objects which reference it (core/in-use.ts). The module that owns a kind
 * declares it next to the operation that deletes it (`definitions/locations/remove.ts`); `wiring.ts` lists the functions of higher
 * modules. A kind that is missing in `wiring.ts` does not compile.
 */
// biome-ignore lint/suspicious/noEmptyInterface: modules extend it
export interface References {}

/**
 * For each type of object that a validation rule can be assigned to, the functions that find and show it.
 * `rules/validation-rules/assignable.ts` declares the types; `wiring.ts` lists the functions of their modules.
 */
// biome-ignore lint/suspicious/noEmptyInterface: modules extend it
export interface Assignables {}

/** The calls from lower modules to higher ones, as three tables whose completeness the compiler checks (wiring.ts). */
export interface Wiring {
  reactions: Reactions
  references: References
  assignables: Assignables
}
