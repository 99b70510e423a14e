import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'

/** Whether this machine has the program. */
export const has = (program: string): boolean =>
  (process.env.PATH ?? '').split(':').some(folder => {
    try {
      accessSync(join(folder, program), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
