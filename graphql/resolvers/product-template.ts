import type { GraphQLResolveInfo } from 'graphql'
import type { ProductTemplate as ProductTemplateValues } from '../../db/templates/table/columns.ts'
import { formatHash, hashOf } from '../../db/templates/table/document.ts'
import type { FoundTemplate } from '../../db/templates/table/product-templates.ts'
import type { Context } from '../execute.ts'
import { costPerCharacter } from '../execution/documents.ts'
import { isLongDocument, jsonPieces, writeField } from '../execution/json.ts'
import { compileRead, type ReadValue, type Resolvers } from '../execution/selection.ts'
import { revisions } from './revisions.ts'

/** Keyed by the nodes of a selection, which are the same for each template of a page. */
const compiled = new WeakMap<object, ReadValue>()

/**
 * A long document is read by a separate evaluation and written as JSON. The executor gets a short value in its place.
 */
export const ProductTemplate = {
  data(template: FoundTemplate, _arguments: unknown, context: Context, info: GraphQLResolveInfo) {
    const { operation, documents } = context
    if (template.data !== null) return template.data
    return operation.evaluate(async () => {
      const json = JSON.stringify(await documents.read(template))
      await writeField(operation, info).addPieces([json])
      return ''
    })
  },

  document(template: FoundTemplate, _arguments: unknown, context: Context, info: GraphQLResolveInfo) {
    const { operation, documents } = context
    const { data } = template
    if (data !== null && !isLongDocument(data)) {
      const document = documents.parse(data)
      if (document === null) return null
      const json = writeField(operation, info)
      json.add(JSON.stringify(reading(info, context)(document)))
      json.flush()
      return null
    }
    return operation.evaluate(async () => {
      const document = documents.parse(data ?? (await documents.read(template)))
      if (document) await writeField(operation, info).addPieces(jsonPieces(reading(info, context)(document)))
      return null
    })
  },

  hash(template: FoundTemplate, _arguments: unknown, { operation, documents }: Context) {
    const { data } = template
    const hash = (text: string) => {
      operation.spend(text.length * costPerCharacter)
      return formatHash(hashOf(text))
    }
    if (data !== null) return hash(data)
    return operation.evaluate(async () => hash(await documents.read(template)))
  },

  revisions
}

/** The same for a template whose document has been read: the fields of a list that bypasses the executor. */
export const completeTemplate: Resolvers = {
  data: ({ data }: ProductTemplateValues) => data,
  document: ({ data }: ProductTemplateValues, _arguments: unknown, { documents }: Context) =>
    documents.parse(data)
}

function reading(info: GraphQLResolveInfo, context: Context): ReadValue {
  const read = compiled.get(info.fieldNodes) ?? compileRead(context, info)
  compiled.set(info.fieldNodes, read)
  return read
}
