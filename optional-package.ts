import { StartError, type StartErrorCode } from './errors.ts'

interface OptionalPackage<Library> {
  /** The variable that switches on what needs it. */
  setting: string
  name: string
  load: () => Promise<Library>
  code?: StartErrorCode
}

/** Imports a package that only some settings need. Throws StartError if it is not installed. */
export async function importOptional<Library>({
  setting,
  name,
  load,
  code = 'PTS_BAD_OPTION'
}: OptionalPackage<Library>): Promise<Library> {
  try {
    return await load()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new StartError(code, `${setting} needs the package ${name}: npm install ${name}`)
  }
}
