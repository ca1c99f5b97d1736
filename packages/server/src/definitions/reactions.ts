import type { Ctx } from '../core/context.ts'

declare module '../core/reactions.ts' {
  interface Reactions {
    /** The metadata schema of a kind of object was created, changed or deleted. */
    metadataSchemaChanged: (ctx: Ctx, relatedObject: string) => Promise<void>
    /** The shape of a location was changed, so other coordinates are inside it. */
    locationShapeChanged: (ctx: Ctx, locationId: string) => Promise<void>
  }
}
