import { type Guerdon, unwrap } from '@guerdon/client'

/** The id of the project: PROJECT_ID, or the first one that the management key sees. */
export async function projectOf(guerdon: Guerdon): Promise<{ projectId: string }> {
  const projectId = process.env.PROJECT_ID || unwrap(await guerdon.listProjects()).data[0]?.id
  if (projectId === undefined) throw new Error('The management key sees no project')
  return { projectId }
}
