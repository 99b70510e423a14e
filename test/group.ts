/** Runs several test files in one process: `TEST_FILES`, a JSON array. tap would name its folders after arguments. */
import { resolve } from 'node:path'

for (const file of JSON.parse(process.env.TEST_FILES ?? '[]')) await import(resolve(file))
