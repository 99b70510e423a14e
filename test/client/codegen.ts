/** What the command of graphql-codegen does with the example's configuration, without the command's own packages. */
import { globSync, readFileSync } from 'node:fs'
import { preset } from '@graphql-codegen/client-preset'
import { codegen } from '@graphql-codegen/core'
import { buildASTSchema, parse } from 'graphql'
import { parse as parseYaml } from 'yaml'

/** Generates the files of a project, with more of the preset's options; returns the texts by path. */
export async function generate(
  project: string,
  schemaFile: string,
  more: object = {}
): Promise<Record<string, string>> {
  const { documents, generates } = parseYaml(readFileSync(`${project}/codegen.yml`, 'utf8'))
  const schema = parse(readFileSync(schemaFile, 'utf8'))
  const [[folder, { presetConfig, config }]] = Object.entries(generates) as [
    [string, { presetConfig: object; config: object }]
  ]
  const sections = await preset.buildGeneratesSection({
    baseOutputDir: folder,
    presetConfig: { ...presetConfig, ...more },
    schema,
    schemaAst: buildASTSchema(schema),
    documents: globSync(documents, { cwd: project }).map(location => {
      const rawSDL = readFileSync(`${project}/${location}`, 'utf8')
      return { location, rawSDL, document: parse(rawSDL), hash: location }
    }),
    config,
    plugins: [],
    pluginMap: {}
  })
  const files = sections.map(async section => [section.filename, await codegen(section)])
  return Object.fromEntries(await Promise.all(files))
}
