import type { BootstrapResult } from '../account/installation/bootstrap.ts'
import { findProjectOrOnly } from '../account/projects/store.ts'
import type { Runtime } from '../core/context.ts'
import type { Project } from '../core/db/project-row.ts'
import { openLog } from '../core/lib/log.ts'
import { version } from '../core/lib/version.ts'
import { type DemoResult, fillDemoShop } from '../demo/fill.ts'
import { demoStateOf, whyNotFillable } from '../demo/state.ts'
import { closeRuntime, openRuntime } from '../runtime.ts'
import { firstStartOf, writeKeysFile } from './keys-file.ts'
import type { CommandEnvironment } from './outside.ts'
import { firstKeys } from './welcome.ts'

/** Fills an empty project with the demo shop, and ends. */
export async function demoCommand(
  environment: CommandEnvironment,
  options: { project?: string | undefined },
): Promise<void> {
  const { settings, say } = environment
  say(`Guerdon ${version} fills a project with the demo shop …\n`)
  const { runtime, first_keys } = await openRuntime(settings, openLog(settings.log_level), (keys: BootstrapResult) =>
    writeKeysFile(firstStartOf(environment, keys)),
  )
  try {
    await refuseOtherNodes(runtime)
    await fillAndTell(runtime, await findProjectOrOnly(runtime.database.db, options.project), { say })
  } finally {
    await closeRuntime(runtime, 0)
    // The keys exist by now, and no later start can show them.
    if (first_keys !== null) say(firstKeys(firstStartOf(environment, first_keys)))
  }
}

/**
 * For `serve --demo`: fills the project before the service starts its jobs, which would do the work of the past with the time of the
 * present, and takes requests. `address` already shows how far it is. Of a project that has the demo shop it only says so.
 */
export async function fillBeforeServing(
  runtime: Runtime,
  { project: projectId, address, say, onDay }: { project: string | undefined; address: string } & Required<Progress>,
): Promise<void> {
  const { db } = runtime.database
  const project = await findProjectOrOnly(db, projectId)
  if ((await demoStateOf(db, project.id)) === 'filled')
    return say(`The project ${project.name} (${project.id}) has the demo shop already.\n`)
  await refuseOtherNodes(runtime)
  say(`Filling the project ${project.name} with the demo shop; until then ${address} shows how far it is …\n`)
  await fillAndTell(runtime, project, { say, onDay })
}

interface Progress {
  say(text: string): void
  onDay?(day: number, days: number): void
}

async function fillAndTell(runtime: Runtime, project: Project, { say, onDay = () => {} }: Progress): Promise<void> {
  const interrupted = () => {
    say(`\nInterrupted. ${whyNotFillable('interrupted', project, runtime.settings)}\n`)
    process.exit(130)
  }
  process.once('SIGINT', interrupted)
  process.once('SIGTERM', interrupted)
  const started = performance.now()
  let told = 0
  try {
    const result = await fillDemoShop(runtime, project, {
      onDay(day, days) {
        onDay(day, days)
        const quarter = Math.floor((4 * day) / days)
        if (quarter > told && quarter < 4) say(`  ${day} of ${days} days …\n`)
        told = quarter
      },
    })
    say(demoText(result, (performance.now() - started) / 1_000))
  } finally {
    process.off('SIGINT', interrupted)
    process.off('SIGTERM', interrupted)
  }
}

/** The jobs of a running service would do the work of the past with the time of the present. */
async function refuseOtherNodes({ database }: Runtime): Promise<void> {
  if (database.kind !== 'postgres') return
  // Each process has one such connection; one of them is ours.
  const { rows } = await database.execute(
    `select 1 from pg_stat_activity where datname = current_database() and application_name = 'guerdon-listen'`,
  )
  if (rows.length > 1)
    throw new Error(
      'Another Guerdon process uses this database. Stop it while the demo shop is filled, and start it again after.',
    )
}

/** What was made, and codes to try. */
function demoText(result: DemoResult, seconds: number): string {
  const { project, customers, days, orders, redemptions, refusals, rollbacks, publications, codes } = result
  const number = (count: number) => count.toLocaleString('en-US')
  return [
    `The demo shop is in the project ${project.name} (${project.id}), made in ${Math.round(seconds)} s:`,
    '',
    `  40 products in 6 collections, ${number(customers)} customers in 4 segments, 16 campaigns of every type`,
    `  ${days} days with ${number(orders)} orders, ${number(redemptions)} redemptions, ${number(refusals)} refusals, ` +
      `${number(rollbacks)} rollbacks and ${number(publications)} published codes`,
    '',
    `Codes to try, for the customer ${codes[0]?.customer} and an order of ${codes[0]?.order}:`,
    '',
    ...codes.map(({ code, sentence }) => `  ${code.padEnd(12)}${sentence}`),
    '',
    '',
  ].join('\n')
}
