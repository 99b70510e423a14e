import { type GraphQLObjectType, type GraphQLResolveInfo, getNamedType } from 'graphql'
import type { ProductDocument } from '../../db/templates/document.ts'
import type { FoundTemplate } from '../../db/templates/product-templates.ts'
import type { Context } from '../context.ts'
import { compileWriter, type ObjectWriter } from '../writer.ts'
import { addText } from '../written.ts'

/** By the nodes of a selection, which are the same for each template of a page. */
const writers = new WeakMap<object, ObjectWriter>()

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
      const json = JSON.stringify(await operation.readDocument(template))
      await addText(operation, info).addPieces([json])
      return ''
    })
  },

  document(template: FoundTemplate, _arguments: unknown, context: Context, info: GraphQLResolveInfo) {
    const { operation, written } = context
    const { data } = template
    if (written) return operation.parse(data as string)
    if (data === null)
      return operation.inTurn(async () =>
        writeLong(operation.parse(await operation.readDocument(template)), context, info)
      )
    const document = operation.parse(data)
    if (document === null) return null
    const json = addText(operation, info)
    json.add(writerOf(info, context).write(document))
    json.end()
    return null
  }
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
