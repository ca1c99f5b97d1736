import { afterAll } from 'vitest'
import { closeAll } from './closings.ts'

// Test files share the modules of their worker, in which a hook would belong to the file that imported it first. This
// one is set up for each.
afterAll(closeAll)
