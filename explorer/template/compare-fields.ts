import type { Contents } from './read.ts'

/** A field, a key of the document or a trait that differs. Undefined where it is missing. */
export interface FieldChange {
  label: string
  from: string | undefined
  to: string | undefined
}

const columns: [keyof Contents, label: string][] = [
  ['name', 'Name'],
  ['publicProduct', 'Public'],
  ['componentName', 'Component'],
  ['blockchainId', 'Blockchain'],
  ['maxItems', 'Max items']
]

/** Lists what differs between two contents. */
export function compareFields(before: Contents, after: Contents): FieldChange[] {
  const [old, now] = [flatten(before), flatten(after)]
  return [...new Set([...old.keys(), ...now.keys()])]
    .filter(label => old.get(label) !== now.get(label))
    .map(label => ({ label, from: old.get(label), to: now.get(label) }))
}

/** The values by label, as JSON so that 7 and "7" differ. */
function flatten(contents: Contents): Map<string, string> {
  const values = new Map(columns.map(([key, label]) => [label, JSON.stringify(contents[key])]))
  const document = parse(contents.data)
  for (const [key, value] of Object.entries(document)) {
    if (key !== 'attributes' || !Array.isArray(value)) values.set(`document: ${key}`, JSON.stringify(value))
    else for (const trait of value) addTrait(values, trait)
  }
  return values
}

function addTrait(values: Map<string, string>, trait: unknown): void {
  const { trait_type: type, value } = (trait ?? {}) as { trait_type?: unknown; value?: unknown }
  let label = `${type}`
  for (let again = 2; values.has(label); again++) label = `${type} (${again})`
  values.set(label, value === undefined ? 'no value' : JSON.stringify(value))
}

function parse(data: string): object {
  try {
    const found = JSON.parse(data)
    return typeof found === 'object' && found !== null ? found : {}
  } catch {
    return {}
  }
}
