import { StartError, type StartErrorCode } from './errors.ts'

/** Imports packages that not every user needs. If one is not installed, throws the error that `fail` makes of the reason. */
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

/** The error for a package that only `setting`, the variable that switches it on, needs. */
export const missingPackage =
  (setting: string, name: string, code: StartErrorCode = 'PTS_BAD_OPTION') =>
  (): StartError =>
    new StartError(code, `${setting} needs the package ${name}: npm install ${name}`)
