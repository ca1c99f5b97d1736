import { writeFileSync } from 'node:fs'
import { architectureFile, drawnArchitecture } from './modules.ts'

// npm run modules: the picture in docs/architecture.md as the imports draw it now.
writeFileSync(architectureFile, drawnArchitecture().page)
