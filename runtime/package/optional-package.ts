import { StartError, type StartErrorCode } from '../host-errors.ts'

/** Imports optional packages. If one is not installed, throws the error that `fail` makes. */
export async function importOptional<Library>(
  load: () => Promise<Library>,
  fail: (cause: unknown) => Error
): Promise<Library> {
  try {
    return await load()
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND' ? fail(error) : error
  }
}

/** Makes the error for a missing package. `setting` is the variable that needs the package. */
export const missingPackage =
  (setting: string, name: string, code: StartErrorCode = 'PTS_BAD_OPTION') =>
  (): StartError =>
    new StartError(code, `${setting} needs the package ${name}: npm install ${name}`)
