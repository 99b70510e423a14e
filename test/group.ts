/** Runs several test files in one process: `TEST_FILES`, a JSON array. tap would name its folders after arguments. */
import { resolve } from 'node:path'
import { t } from 'tap'

// tap ends once it is idle and has something to tear down, and a file may still await what its tests need.
Object.defineProperty(t, 'idle', { value: false })
for (const file of JSON.parse(process.env.TEST_FILES ?? '[]')) await import(resolve(file))
t.end()
