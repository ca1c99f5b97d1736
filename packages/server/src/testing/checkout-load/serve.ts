import { serve } from '../../command-line/serve.ts'
import { readSettings } from '../../core/settings.ts'

/**
 * The service as `guerdon serve` starts it, except that it turns nobody away for being overloaded: a load counts a 503 while
 * nothing is broken as a violation, and whether a process is overloaded depends on what else the machine does.
 */
await serve(
  { settings: readSettings(process.env), say: (text) => void process.stdout.write(text) },
  { sheds_load: false },
)
