import { minifyIntrospection, outputIntrospectionFile } from 'gql.tada/internal'
import { buildSchema, introspectionFromSchema } from 'graphql'

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
