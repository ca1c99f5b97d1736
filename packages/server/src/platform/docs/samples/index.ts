import type { SampleCall } from './call.ts'
import { curlSample } from './curl.ts'
import { phpSample } from './php.ts'
import { pythonSample } from './python.ts'
import { typescriptSample } from './typescript.ts'

/** The languages in which every operation is shown, in the order of the tabs. */
export const languages: ReadonlyArray<{ id: string; name: string; write: (call: SampleCall) => string }> = [
  { id: 'curl', name: 'curl', write: curlSample },
  { id: 'typescript', name: 'TypeScript', write: typescriptSample },
  { id: 'python', name: 'Python', write: pythonSample },
  { id: 'php', name: 'PHP', write: phpSample },
]
