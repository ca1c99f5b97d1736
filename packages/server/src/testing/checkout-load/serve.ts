import { serve } from '../../command-line/serve.ts'
import { limits } from '../../core/lib/limits.ts'
import { readSettings } from '../../core/settings.ts'
import { patientWaits } from '../connection-wait.ts'

/*
 * The service as `guerdon serve` starts it, but without load shedding and with a longer wait for a connection: the load counts a 503
 * without a fault as a violation, and whether a process is overloaded depends on what else the machine does. Where a load measures
 * outages, it waits as long as in production.
 */

if (process.env.ORDINARY_WAITS !== 'true') Object.assign(limits, patientWaits)

await serve(
  { settings: readSettings(process.env), is_terminal: true, say: (text) => void process.stdout.write(text) },
  { sheds_load: false },
)
