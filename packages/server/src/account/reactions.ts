import type { Ctx } from '../core/context.ts'

declare module '../core/reactions.ts' {
  interface Reactions {
    /** The project of `ctx` has another time zone from now on: its days begin at other instants. */
    timezoneChanged: (ctx: Ctx) => Promise<void>
  }
}
