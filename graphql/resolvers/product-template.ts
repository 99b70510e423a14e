import { type GraphQLObjectType, type GraphQLResolveInfo, getNamedType } from 'graphql'
import type { ProductDocument } from '../../db/templates/table/document.ts'
import { formatHash, hashOf } from '../../db/templates/table/document-hash.ts'
import type { FoundTemplate } from '../../db/templates/table/product-templates.ts'
import type { Context } from '../context.ts'
import { compileWriter, type ObjectWriter } from '../writer.ts'
import { addText, isLong } from '../written.ts'
import { revisions } from './revisions.ts'

/** By the nodes of a selection, which are the same for each template of a page. */
const writers = new WeakMap<object, ObjectWriter>()

/** Cost of hashing a document. */
const costPerHashedCharacter = 1 / 4096

/** A long document is read when it is its turn, and written as JSON: the executor gets something short instead. */
export const ProductTemplate = {
  data(
    template: FoundTemplate,
    _arguments: unknown,
    { operation, written }: Context,
    info: GraphQLResolveInfo
  ) {
    if (written || template.data !== null) return template.data
    return operation.inTurn(async () => {
      const json = JSON.stringify(await operation.documents.read(template))
      await addText(operation, info).addPieces([json])
      return ''
    })
  },

  document(template: FoundTemplate, _arguments: unknown, context: Context, info: GraphQLResolveInfo) {
    const { operation, written } = context
    const { data } = template
    if (written) return operation.documents.parse(data as string)
    if (data === null || isLong(data))
      return operation.inTurn(async () =>
        writeLong(
          operation.documents.parse(data ?? (await operation.documents.read(template))),
          context,
          info
        )
      )
    const document = operation.documents.parse(data)
    if (document === null) return null
    const json = addText(operation, info)
    json.add(writerOf(info, context).write(document))
    json.end()
    return null
  },

  hash(template: FoundTemplate, _arguments: unknown, { operation }: Context) {
    const { data } = template
    const hash = (text: string) => {
      operation.spend(text.length * costPerHashedCharacter)
      return formatHash(hashOf(text))
    }
    if (data !== null) return hash(data)
    return operation.inTurn(async () => hash(await operation.documents.read(template)))
  },

  revisions
}

async function writeLong(document: ProductDocument | null, context: Context, info: GraphQLResolveInfo) {
  if (document !== null)
    await addText(context.operation, info).addPieces(writerOf(info, context).writePieces(document))
  return null
}

function writerOf(info: GraphQLResolveInfo, context: Context): ObjectWriter {
  const known = writers.get(info.fieldNodes)
  if (known) return known
  const type = getNamedType(info.returnType) as GraphQLObjectType
  const writer = compileWriter(type, info.fieldNodes, context, info)
  writers.set(info.fieldNodes, writer)
  return writer
}
