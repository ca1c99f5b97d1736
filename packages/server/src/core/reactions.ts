/**
 * What higher modules do when something happens in a lower one, in the same transaction. A module declares the moments that it
 * announces by extending this interface (`orders/reactions.ts`); `wiring.ts` says which function reacts. A moment without a
 * reaction does not compile. Where a direct call is possible it stays a direct call.
 * A moment named `…ing` is announced before the change, because its reaction reads or locks rows that the change writes; one
 * named `…ed` is announced together with the change.
 */
// biome-ignore lint/suspicious/noEmptyInterface: modules extend it
export interface Reactions {}

/**
 * For each kind of thing, the functions that find which objects name it (core/in-use.ts). The module that owns a kind declares it
 * beside the story that deletes it (`definitions/locations/remove.ts`); `wiring.ts` lists the functions of higher modules. A kind
 * that `wiring.ts` leaves out does not compile.
 */
// biome-ignore lint/suspicious/noEmptyInterface: modules extend it
export interface References {}

/**
 * For each type of object that a validation rule can be assigned to, how it is found and shown. `rules/validation-rules/assignable.ts`
 * declares the types; `wiring.ts` lists what their modules offer.
 */
// biome-ignore lint/suspicious/noEmptyInterface: modules extend it
export interface Assignables {}

/** The calls from lower modules to higher ones, as three tables that the compiler completes (wiring.ts). */
export interface Wiring {
  reactions: Reactions
  references: References
  assignables: Assignables
}
