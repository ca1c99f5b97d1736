import type { Ctx } from '../core/context.ts'

declare module '../core/reactions.ts' {
  interface Reactions {
    /** The time zone of the project of `ctx` has changed: its days begin at other instants. */
    timezoneChanged: (ctx: Ctx) => Promise<void>
  }
}
