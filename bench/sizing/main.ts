import { help, parsePlan } from './arguments.ts'
import figures from './figures.json' with { type: 'json' }
import { sizeFor } from './model.ts'
import { report } from './report.ts'

/** `npm run sizing -- --redemptions 2000/s`: what a load needs, from the figures that `npm run bench -- sizing` has measured. */
try {
  const asked = parsePlan(process.argv.slice(2))
  if (asked === null) process.stdout.write(help)
  else {
    const sizing = sizeFor(asked.plan, figures)
    process.stdout.write(
      asked.is_json
        ? `${JSON.stringify({ plan: asked.plan, sizing, figures }, null, 2)}\n`
        : report(asked.plan, sizing, figures),
    )
  }
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n\n${help}`)
  process.exitCode = 2
}
