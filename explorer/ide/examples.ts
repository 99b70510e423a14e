/** The operations in `examples/` with their variables. */
interface Example {
  query: string
  variables?: string
}

const queries = import.meta.glob<string>('../../examples/*.graphql', {
  query: '?raw',
  import: 'default',
  eager: true
})
const variables = import.meta.glob<string>('../../examples/*.json', {
  query: '?raw',
  import: 'default',
  eager: true
})

export const examples: Example[] = Object.entries(queries).map(([path, query]) => {
  const values = variables[path.replace('.graphql', '.json')]
  return { query: query.trim(), ...(values !== undefined && { variables: values.trim() }) }
})
