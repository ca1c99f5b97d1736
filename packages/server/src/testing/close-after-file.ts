import { afterAll } from 'vitest'
import { closeAll } from './closings.ts'

// Test files share the modules of their worker, so a hook in a shared module would belong to the file that imported it
// first. This file runs for each test file.
afterAll(closeAll)
