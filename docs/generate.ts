/** Generates the tables in the documents and the filter in the schema: `npm run docs` writes them, a test compares them. */
import { readFileSync, writeFileSync } from 'node:fs'
import { fields } from '../db/templates/fields.ts'
import { settingEntries } from '../options.ts'
import { endpoints } from '../routes/index.ts'

const root = new URL('../', import.meta.url)

/** Generates every document that has tables; returns the texts by file name. */
export const generateDocuments = (): Record<string, string> => ({
  'graphql/schema.graphql': withFilterFields('graphql/schema.graphql'),
  'README.md': withTable('README.md', 'endpoints', endpointTable()),
  'docs/configuration.md': withTable('docs/configuration.md', 'settings', settingTable())
})

export const readDocument = (name: string): string => readFileSync(new URL(name, root), 'utf8')

/** The schema with the fields of its filter. */
function withFilterFields(name: string): string {
  const begin = '# `npm run docs` makes these'
  const end = '  # These are no fields.'
  const text = readDocument(name)
  const from = text.indexOf('\n', text.indexOf(begin)) + 1
  return `${text.slice(0, from)}${filterFields()}${text.slice(text.indexOf(end))}`
}

const filterFields = (): string =>
  Object.entries(fields)
    .map(([name, { description, input }]) => `${indent(printDescription(description))}  ${name}: ${input}\n`)
    .join('')

const indent = (lines: string[]): string => lines.map(line => `  ${line}\n`).join('')

/** A description of the schema, in lines that fit. */
function printDescription(text: string): string[] {
  const lines = text.match(/.{1,115}(?: |$)/g)?.map(line => line.trimEnd()) ?? []
  return lines.length === 1 ? [`"${text}"`] : ['"""', ...lines, '"""']
}

function withTable(name: string, table: string, rows: string[][]): string {
  const begin = `<!-- ${table}: made by \`npm run docs\` -->`
  const end = `<!-- /${table} -->`
  const text = readDocument(name)
  const [from, to] = [text.indexOf(begin), text.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`${name} has no markers for the table "${table}"`)
  return `${text.slice(0, from)}${begin}\n${markdown(rows)}\n${text.slice(to)}`
}

function markdown([head = [], ...rows]: string[][]): string {
  return [head, head.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`).join('\n')
}

const endpointTable = (): string[][] => [
  ['method', 'path', 'auth', 'what it does'],
  ...endpoints.map(({ method, path, auth, what }) => [method, `\`${path}\``, auth, what])
]

const settingTable = (): string[][] => [
  ['variable', 'option', 'default', 'meaning'],
  ...settingEntries().map(
    ([option, { env, description, secret, default: value, production, minimum, maximum, enum: names }]) => [
      secret ? `\`${env}\`, \`${env}_FILE\`` : `\`${env}\``,
      `\`${option}\``,
      [
        value === undefined ? '' : `\`${value}\``,
        production === undefined ? [] : `\`${production}\` in production`
      ]
        .flat()
        .join('; '),
      [
        description,
        minimum === undefined ? [] : `${minimum} to ${maximum}`,
        names === undefined ? [] : (names as string[]).map(name => `\`${name}\``).join(', ')
      ]
        .flat()
        .join('; ')
    ]
  )
]

if (import.meta.main) {
  for (const [name, text] of Object.entries(generateDocuments())) writeFileSync(new URL(name, root), text)
}
