import { locate } from '../runtime/package/package-files.ts'
import type { Command } from '../terminal/command.ts'
import { printJson } from '../terminal/result.ts'

export const command: Command = {
  summary: 'Print the GraphQL schema',
  options: { '--json': 'print the result of introspection as JSON' },
  settings: 'none',
  details: 'The schema is also a file of the package: product-templates/schema.graphql',
  async run({ options }) {
    const { readFile } = await import('node:fs/promises')
    const text = await readFile(locate('graphql/schema.graphql'), 'utf8')
    if (!options.json) return void process.stdout.write(text)
    const { buildSchema, introspectionFromSchema } = await import('graphql')
    printJson(introspectionFromSchema(buildSchema(text)))
  }
}
