import type { Column } from './columns.ts'

/** Returns the header of the column that has a problem; undefined if there is none. */
export function locateProblem(
  { path: [field = ''], pointer }: { path: string[]; pointer: string | null },
  columns: Column[],
  data: unknown
): string | undefined {
  const find = (kind: Column['kind'], name: unknown) =>
    columns.find(column => column.kind === kind && column.name === name)?.header
  if (field !== 'data') return find('field', field)
  const [, key = '', index] = (pointer ?? '')
    .split('/')
    .map(part => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  const trait = key === 'attributes' && index !== undefined ? findTrait(data, Number(index)) : undefined
  return find('trait', trait) ?? find('key', key) ?? find('field', 'data')
}

function findTrait(data: unknown, index: number): unknown {
  try {
    return JSON.parse(String(data)).attributes[index].trait_type
  } catch {
    return undefined
  }
}
