import type { Assignables, Reactions, References, Wiring } from './core/reactions.ts'

/** What follows from what: each moment that a module announces, and the functions of higher modules that react to it. */
const reactions: Reactions = {}

/** Who may name what: asked before something is deleted. */
const references: References = {}

/** What a validation rule can be assigned to. */
const assignables: Assignables = {}

export const wiring: Wiring = { reactions, references, assignables }
