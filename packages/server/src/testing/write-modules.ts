import { writeFileSync } from 'node:fs'
import { architectureFile, drawnArchitecture } from './modules.ts'

// npm run modules: writes the module diagram in docs/architecture.md from the current imports.
writeFileSync(architectureFile, drawnArchitecture().page)
