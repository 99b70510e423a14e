/** Prints as JSON what a checkout says of itself: tables of documents, schema, settings, endpoints, metadata and help. */
import Fastify from 'fastify'
import { generateDocuments } from '../../build/docs.ts'
import { loadCommands } from '../../cli/dispatch.ts'
import { loadParts } from '../../features/load.ts'
import { productTemplates } from '../../index.ts'
import { listPluginSettings, listSettings } from '../../options/index.ts'
import { listEndpoints } from '../../routes/index.ts'
import { buildProgram } from '../../terminal/program.ts'

const app = Fastify()
await app.register(productTemplates, { database: 'sqlite::memory:' })
const metadata = await Promise.all(
  ['oauth-authorization-server', 'oauth-protected-resource'].map(async name => {
    const { body } = await app.inject(`/.well-known/${name}`)
    return body
  })
)
await app.close()
const documents = generateDocuments()
const program = buildProgram(await loadCommands(), process.env)
const help = (...names: string[]): string =>
  names
    .reduce((command, name) => command.commands.find(each => each.name() === name) ?? command, program)
    .helpInformation()
const known = {
  options: [...listSettings(), ...listPluginSettings().hostOnly].map(([option]) => option),
  paths: listEndpoints(await loadParts('server')).map(({ path }) => path),
  tables: Object.values(documents)
    .flatMap(text => text.match(/<!-- \w+: generated[\s\S]*?<!-- \/\w+ -->/g) ?? [])
    .join('\n'),
  schema: documents['graphql/schema.graphql'],
  metadata,
  help: {
    all: help(),
    serve: help('serve'),
    files: help('import') + help('export'),
    audit: help('audit', 'show')
  }
}
process.stdout.write(JSON.stringify(known))
