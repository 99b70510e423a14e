import { isNumber } from '../../domain/document.ts'
import type { Trait } from './read.ts'

const names = { INTEGER: 'Number', BOOLEAN: 'Yes or no', ARRAY: 'List', ABSENT: '' }

export const isUrl = (text: string): boolean => /^https?:\/\/\S+$/.test(text) && URL.canParse(text)

/** Returns the kind of a value in plain words; empty where the value says it already. */
export function typeName({ valueType, value, text }: Trait): string {
  if (valueType === 'STRING') return isNumber(text) ? 'Text' : ''
  if (valueType !== 'OTHER') return names[valueType]
  if (typeof value === 'number') return 'Number'
  return value === null ? '' : Array.isArray(value) ? 'List' : 'Other'
}
