import type { NewTemplate } from '../../../db/templates/import/import.ts'
import { maxInt, minInt } from '../../../db/templates/table/columns.ts'
import { type Call, type CommandOption, UsageError } from '../../terminal/command.ts'

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
  const blockchainId = readInteger(values, 'blockchain-id', minInt)
  const maxItems = readInteger(values, 'max-items', 1)
  return {
    ...(blockchainId !== undefined && { blockchainId }),
    ...(maxItems !== undefined && { maxItems }),
    ...(values.private === true && { publicProduct: false }),
    ...(typeof component === 'string' && { componentName: component })
  }
}

function readInteger(values: Call['values'], option: string, least: number): number | undefined {
  const given = values[option]
  if (given === undefined) return undefined
  const number = /^-?\d{1,10}$/.test(String(given)) ? Number(given) : Number.NaN
  if (number >= least && number <= maxInt) return number
  throw new UsageError(`--${option} takes an integer from ${least} to ${maxInt}`)
}
