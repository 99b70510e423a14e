/** Runs the test files of its arguments in one process. */
import { resolve } from 'node:path'

for (const file of process.argv.slice(2)) await import(resolve(file))
