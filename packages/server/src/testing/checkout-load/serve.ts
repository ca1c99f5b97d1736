import { serve } from '../../command-line/serve.ts'
import { readSettings } from '../../core/settings.ts'

/**
 * The service as `guerdon serve` starts it, but without load shedding: the load counts a 503 without a fault as a violation, and
 * whether a process is overloaded depends on what else the machine does.
 */
await serve(
  { settings: readSettings(process.env), say: (text) => void process.stdout.write(text) },
  { sheds_load: false },
)
