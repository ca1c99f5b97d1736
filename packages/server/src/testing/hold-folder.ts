import { createInterface } from 'node:readline'
import { lockFolder } from '../core/db/folder-lock.ts'

/*
 * A process that locks every folder given on its standard input, prints the result, and holds the locks until it is
 * stopped.
 */
for await (const folder of createInterface({ input: process.stdin })) {
  try {
    lockFolder(folder)
    process.stdout.write('locked\n')
  } catch (error) {
    process.stdout.write(`${(error as Error).message}\n`)
  }
}
