import type { Ctx } from '../context.ts'
import type { Configuration } from './configuration.ts'

/** The configuration at the version that `ctx.db` reads, or a later one: in a transaction, with its own changes. */
export async function configurationNow({
  db,
  primary = db,
  project_id,
  configurations,
}: Pick<Ctx, 'db' | 'primary' | 'project_id' | 'configurations'>): Promise<Configuration> {
  const { config_version } = await db
    .selectFrom('projects')
    .where('id', '=', project_id as `proj_${string}`)
    .select('config_version')
    .executeTakeFirstOrThrow()
  return configurations.atLeast(primary, project_id, config_version)
}
