import type { Trait } from './read.ts'

const names = {
  STRING: 'string',
  INTEGER: 'integer',
  BOOLEAN: 'boolean',
  ARRAY: 'string[]',
  ABSENT: 'absent'
}

export const isUrl = (text: string): boolean => /^https?:\/\/\S+$/.test(text) && URL.canParse(text)

/** Returns the technical name of a value's type. */
export function typeName({ valueType, value }: Trait): string {
  if (valueType === 'STRING' && isUrl(String(value))) return 'url'
  if (valueType !== 'OTHER') return names[valueType]
  return value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value
}
