import { UsageError } from '../terminal/command.ts'
import { openFile } from './files.ts'
import type { Input } from './format.ts'
import { findFormat } from './index.ts'
import { isFolder } from './opensea/list.ts'
import { fieldOptions, type OwnFields } from './opensea/options.ts'
import { openFolder } from './opensea/read.ts'

/** Opens files and folders; `-` is standard input. `fields` are for folders. Throws UsageError. */
export async function openInputs(
  paths: string[],
  format: string | undefined,
  fields: Partial<OwnFields>
): Promise<Input[]> {
  if (paths.filter(path => path === '-').length > 1) throw new UsageError('- may be given once')
  const given = await Promise.all(
    paths.map(async path => ({
      path,
      format: (await isFolder(path, format)) ? undefined : findFormat(path, format)
    }))
  )
  if (Object.keys(fields).length > 0 && given.some(({ format }) => format))
    throw new UsageError(`only folders of metadata take --${Object.keys(fieldOptions).join(', --')}`)
  return Promise.all(
    given.map(({ path, format }) => (format ? openFile(path, format) : openFolder(path, fields)))
  )
}
