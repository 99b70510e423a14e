import type { OptionValues } from 'commander'
import { type DefaultValues, maxInt, minInt } from '../../domain/columns.ts'
import { omitAbsent, readInteger, UsageError } from '../../terminal/command.ts'
import type { LoadedFormats } from '../../terminal/file-format.ts'
import { openFolder } from './read-folder.ts'
import { writeFolder } from './write-folder.ts'

/** Reads the fields that metadata does not have. Throws UsageError. */
function readFields(options: OptionValues): Partial<DefaultValues> {
  const { blockchainId, maxItems, component } = options
  if (component?.trim() === '') throw new UsageError('--component must be the name of a component')
  return omitAbsent({
    blockchainId: blockchainId && readInteger('--blockchain-id', blockchainId, minInt, maxInt),
    maxItems: maxItems && readInteger('--max-items', maxItems, 1, maxInt),
    publicProduct: options.private ? false : undefined,
    componentName: component
  })
}

/** What metadata adds to the commands `import` and `export`. */
export const formats: LoadedFormats = {
  async openImport({ options }, files) {
    const fields = readFields(options)
    if (Object.keys(fields).length > 0 && files.some(({ extension }) => extension !== undefined))
      throw new UsageError(
        'only folders of metadata take --blockchain-id, --max-items, --private, --component'
      )
    return { makeReaders: () => ({}), openFolder: path => openFolder(path, fields) }
  },
  makeWriters: () => ({}),
  writeFolder
}
