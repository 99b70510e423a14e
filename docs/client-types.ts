/** Writes the schema as TypeScript: types for the client, and the introspection as a type for gql.tada. */
import { plugin, type TypeScriptPluginConfig } from '@graphql-codegen/typescript'
import { minifyIntrospection, outputIntrospectionFile } from 'gql.tada/internal'
import {
  buildASTSchema,
  buildSchema,
  introspectionFromSchema,
  isInputObjectType,
  parse,
  visit
} from 'graphql'

const head = `// \`npm run docs\` writes this file from graphql/schema.graphql.

/** Any JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

/** A JSON value of a document: the scalar \`DocumentValue\` in a response. */
export type DocumentValue = Json

/** What a document may be given: the scalar \`DocumentValue\` in an argument. */
export type DocumentValueInput = string | number | boolean | readonly string[] | null

`

const config: TypeScriptPluginConfig = {
  avoidOptionals: { field: true },
  declarationKind: 'interface',
  enumsAsTypes: true,
  inputMaybeValue: 'T | null | undefined',
  scalars: {
    ID: 'string',
    JSON: 'Json',
    DocumentValue: { input: 'DocumentValueInput', output: 'DocumentValue' }
  },
  skipTypename: true
}

/** Writes the types of the schema with their descriptions, without the operations. */
export async function formatSchemaTypes(text: string): Promise<string> {
  const types = visit(parse(text), {
    ObjectTypeDefinition: ({ name }) => (/^(Query|Mutation)$/.test(name.value) ? null : undefined),
    FieldDefinition: field => ({ ...field, arguments: [] })
  })
  const schema = buildASTSchema(types)
  const output = await plugin(schema, [], config)
  const { prepend = [], content } = typeof output === 'string' ? { content: output } : output
  // Callers may pass read-only lists, and undefined for a default.
  const lenientInputs = content.replaceAll(/^export interface (\w+) {\n[\s\S]*?\n}/gm, (declaration, name) =>
    isInputObjectType(schema.getType(name))
      ? declaration
          .replaceAll('Array<', 'ReadonlyArray<')
          .replaceAll(/(?<=\?: )(?!InputMaybe)(.+);/g, '$1 | undefined;')
      : declaration
  )
  // Helper types of the generated types are not exported.
  const body = `${prepend.join('\n')}\n\n${lenientInputs}`.replaceAll(
    /^export (?=type (Input)?Maybe<|interface Scalars )/gm,
    ''
  )
  return `${head}${body.trimEnd()}\n`
}

/** Writes the introspection as a type. gql.tada's own command needs an API that TypeScript 7 does not have. */
export function formatIntrospection(text: string): string {
  const minified = minifyIntrospection(introspectionFromSchema(buildSchema(text)))
  const types = outputIntrospectionFile(minified, { fileType: '.d.ts', shouldPreprocess: true })
  const [, body] = /(export type introspection_types[\s\S]*?\n};)/.exec(types) ?? []
  if (body === undefined) throw new Error('gql.tada writes another form now')
  return `// \`npm run docs\` writes this file from graphql/schema.graphql.

${body}

/** The introspection of the schema, for \`initGraphQLTada\` of gql.tada. */
export type introspection = {
  name: never;
  query: 'Query';
  mutation: 'Mutation';
  subscription: 'Subscription';
  types: introspection_types;
};
`
}
