import { isNumber } from '../../domain/document.ts'
import { formatTrait } from '../price.ts'
import type { Trait } from './read.ts'

/** A value for people. Empty values say in which way they are empty. */
export function TraitValue({ trait }: { trait: Trait }) {
  const { value, valueType, text } = trait
  if (valueType === 'ABSENT') return <em>no value</em>
  if (value === null) return <em>null</em>
  if (value === '') return <em>empty text</em>
  if (Array.isArray(value) && value.length === 0) return <em>empty list</em>
  if (valueType === 'ARRAY') return <>{(value as string[]).map(part => part || '“”').join(' · ')}</>
  if (typeof value === 'string' && isUrl(value))
    return (
      <a href={value} rel="noreferrer noopener" target="_blank">
        {value.replace(/^https?:\/\//, '')} ↗
      </a>
    )
  return <>{formatTrait({ ...trait, text: text || JSON.stringify(value) })}</>
}

const names = { INTEGER: 'Number', BOOLEAN: 'Yes or no', ARRAY: 'List', ABSENT: '' }

export const isUrl = (text: string): boolean => /^https?:\/\/\S+$/.test(text) && URL.canParse(text)

/** Returns the kind of a value in plain words; empty where the value says it already. */
export function typeName({ valueType, value, text }: Trait): string {
  if (valueType === 'STRING') return isNumber(text) ? 'Text' : ''
  if (valueType !== 'OTHER') return names[valueType]
  if (typeof value === 'number') return 'Number'
  return value === null ? '' : Array.isArray(value) ? 'List' : 'Other'
}
