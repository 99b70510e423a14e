import type { OptionValues } from 'commander'
import type { NewTemplate } from '../../../db/templates/import/import.ts'
import { maxInt, minInt } from '../../../db/templates/table/columns.ts'
import { omitAbsent, readInteger, UsageError } from '../../terminal/command.ts'

/** The fields of a template that metadata does not have. */
export type OwnFields = Pick<NewTemplate, 'blockchainId' | 'maxItems' | 'publicProduct' | 'componentName'>

export const defaultFields: OwnFields = {
  blockchainId: 1,
  maxItems: 1,
  publicProduct: true,
  componentName: 'DefaultProduct'
}

/** The options of `import` for these fields. */
export const fieldOptions = {
  '--blockchain-id <number>': 'opensea: blockchainId; default: 1',
  '--max-items <number>': 'opensea: maxItems; default: 1',
  '--private': 'opensea: publicProduct is false; default: true',
  '--component <name>': 'opensea: componentName; default: DefaultProduct'
}

/** Reads the fields that are given as options. Throws UsageError. */
export function readFieldOptions(options: OptionValues): Partial<OwnFields> {
  const { blockchainId, maxItems, component } = options
  if (component?.trim() === '') throw new UsageError('--component takes the name of a component')
  return omitAbsent({
    blockchainId: blockchainId && readInteger('--blockchain-id', blockchainId, minInt, maxInt),
    maxItems: maxItems && readInteger('--max-items', maxItems, 1, maxInt),
    publicProduct: options.private ? false : undefined,
    componentName: component
  })
}
