import type { NewTemplate } from '../../../db/templates/import/import.ts'
import { maxInt, minInt } from '../../../db/templates/table/columns.ts'
import { type Call, type CommandOption, omitAbsent, readInteger, UsageError } from '../../terminal/command.ts'

/** The fields of a template that metadata does not have. */
export type OwnFields = Pick<NewTemplate, 'blockchainId' | 'maxItems' | 'publicProduct' | 'componentName'>

export const defaultFields: OwnFields = {
  blockchainId: 1,
  maxItems: 1,
  publicProduct: true,
  componentName: 'DefaultProduct'
}

/** The options of `import` for these fields. */
export const fieldOptions: Record<string, CommandOption> = {
  'blockchain-id': { type: 'string', value: 'number', help: 'opensea: blockchainId; default: 1' },
  'max-items': { type: 'string', value: 'number', help: 'opensea: maxItems; default: 1' },
  private: { type: 'boolean', help: 'opensea: publicProduct is false; default: true' },
  component: { type: 'string', value: 'name', help: 'opensea: componentName; default: DefaultProduct' }
}

/** Reads the fields that are given as options. Throws UsageError. */
export function readFieldOptions(values: Call['values']): Partial<OwnFields> {
  const { component } = values
  if (typeof component === 'string' && component.trim() === '')
    throw new UsageError('--component takes the name of a component')
  const readOption = (option: string, least: number): number | undefined =>
    values[option] === undefined ? undefined : readInteger(`--${option} takes`, values[option], least, maxInt)
  return omitAbsent({
    blockchainId: readOption('blockchain-id', minInt),
    maxItems: readOption('max-items', 1),
    publicProduct: values.private === true ? false : undefined,
    componentName: component
  })
}
