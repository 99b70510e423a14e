import { Validator } from '@cfworker/json-schema'
import type { Schema } from '../edit/schema.ts'
import type { FileRecord } from './parse-file.ts'

/** A template as `importProducts` takes it. */
export interface Input {
  id?: number
  blockchainId: number
  maxItems: number
  name: string
  publicProduct: boolean
  componentName: string
  data: string
  timeCreated?: string
  timeModified?: string
}

export type Checked = { place: number; input: Input } | { place: number; problem: string; name: string }

/** Makes a function that checks a record of a file; the service checks it once more. */
export function checkWith(schema: Schema): (record: FileRecord) => Checked {
  const validatorOf = (name: string) =>
    new Validator({ ...schema, $ref: `#/$defs/${name}` } as never, '2020-12')
  const validators = { Document: validatorOf('Document'), TrackingRecord: validatorOf('TrackingRecord') }
  return ({ place, value, problem }) => {
    if (!value) return { place, problem: problem ?? '', name: '' }
    const name = String(value.name ?? '')
    try {
      const input = toInput(value)
      const { valid, errors } = validators[
        input.componentName === 'TrackingRecord' ? 'TrackingRecord' : 'Document'
      ].validate(JSON.parse(input.data))
      if (valid) return { place, input }
      const { instanceLocation = '#', error = '' } = errors.at(-1) ?? {}
      return { place, name, problem: `${instanceLocation.replace(/^#/, 'document ')}: ${error}` }
    } catch (error) {
      return {
        place,
        name,
        problem: error instanceof SyntaxError ? 'data is not JSON' : (error as Error).message
      }
    }
  }
}

const numbers = ['blockchainId', 'maxItems'] as const

function toInput(value: Record<string, unknown>): Input {
  for (const field of numbers)
    if (!Number.isInteger(value[field])) throw new Error(`${field} is missing or no integer`)
  if (typeof value.name !== 'string') throw new Error('name is missing')
  if (value.data === undefined && value.document === undefined) throw new Error('data is missing')
  const { id, blockchainId, maxItems, name, publicProduct, componentName, timeCreated, timeModified } = value
  const data = typeof value.data === 'string' ? value.data : JSON.stringify(value.document)
  const given = { id, timeCreated, timeModified }
  return {
    ...Object.fromEntries(Object.entries(given).filter(([, found]) => found !== undefined && found !== null)),
    blockchainId,
    maxItems,
    name,
    publicProduct: publicProduct ?? false,
    componentName: componentName ?? 'DefaultProduct',
    data
  } as Input
}
