/**
 * What the command of graphql-codegen does with the example's configuration, without the command's own packages.
 * `npm run docs` runs it to write the files of the example.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { preset } from '@graphql-codegen/client-preset'
import { codegen } from '@graphql-codegen/core'
import { buildASTSchema, parse } from 'graphql'
import { parse as parseYaml } from 'yaml'

const root = new URL('../../', import.meta.url)
const project = 'examples/graphql-codegen'
const folder = fileURLToPath(new URL(project, root))

/** Generates the files of the example from a schema, with more of the preset's options. Returns their texts by path. */
export async function generateExample(
  schemaText: string,
  more: object = {}
): Promise<Record<string, string>> {
  const { documents, generates } = parseYaml(readFileSync(`${folder}/codegen.yml`, 'utf8'))
  const schema = parse(schemaText)
  const [[output, { presetConfig, config }]] = Object.entries(generates) as [
    [string, { presetConfig: object; config: object }]
  ]
  const sections = await preset.buildGeneratesSection({
    baseOutputDir: `${project}/${output}`,
    presetConfig: { ...presetConfig, ...more },
    schema,
    schemaAst: buildASTSchema(schema),
    documents: globSync(documents, { cwd: folder }).map(location => {
      const rawSDL = readFileSync(`${folder}/${location}`, 'utf8')
      return { location, rawSDL, document: parse(rawSDL), hash: location }
    }),
    config,
    plugins: [],
    pluginMap: {}
  })
  const files = sections.map(async section => [section.filename, await codegen(section)])
  return Object.fromEntries(await Promise.all(files))
}

if (import.meta.main) {
  const schema = readFileSync(new URL('graphql/schema.graphql', root), 'utf8')
  for (const [name, text] of Object.entries(await generateExample(schema)))
    writeFileSync(new URL(name, root), text)
}
